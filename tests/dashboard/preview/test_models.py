"""The state of a computation follows from its fields."""

from __future__ import annotations

import pytest
from django.utils import timezone

from dashboard.preview.models import Computation

NOW = timezone.now()


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({}, "waiting"),
        ({"claimed_at": NOW}, "running"),
        ({"ended_at": NOW}, "done"),
        ({"ended_at": NOW, "error": "no memory"}, "failed"),
        ({"ended_at": NOW, "is_cancelled": True}, "cancelled"),
    ],
)
def test_the_state_follows_from_the_fields(fields, state):
    assert Computation(**fields).state == state
