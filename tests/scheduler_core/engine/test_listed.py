"""Attempts in the order of the list."""

from __future__ import annotations

import pytest

from scheduler_core.simulate import Policies, RunSession
from tests.scheduler_core.engine.scenarios import teaching


@pytest.mark.parametrize("order", ["queue", "listed"])
def test_both_attempt_orders_come_to_an_end(order: str) -> None:
    session = RunSession.start(teaching(policies=Policies(attempt_order=order)))  # type: ignore[arg-type]
    assert session.advance()
    assert session.finish_reason
