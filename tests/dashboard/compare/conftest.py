"""Two runs that differ: the scene, and the scene with a node that takes what fits nowhere else."""

from __future__ import annotations

import pytest
from django.http import QueryDict

from dashboard.compare.address import asked_comparison
from dashboard.compare.page import ComparisonPage
from tests.dashboard.debugger.conftest import _fresh, cycle_of, execute, plain_run, run, scene
from tests.dashboard.run_helpers import node

__all__ = ["_fresh", "cycle_of", "execute", "plain_run", "run"]


@pytest.fixture
def other(execute):
    """The scene with another node."""
    return execute([*scene(), node("spare", "128")], slug="larger", schedule="pending", seed=3, once=True)


@pytest.fixture
def asked(workspace, run, other):
    """A function that returns what an address asks for: asked(a_cycle=3)."""

    def asked(**query):
        named = {"a": run.number, "b": other.number} | query
        parts = QueryDict("&".join(f"{name}={value}" for name, value in named.items()))
        return asked_comparison(workspace, parts)

    return asked


@pytest.fixture
def page(asked):
    """A function that returns the page of an address."""
    return lambda **query: ComparisonPage(asked(**query), {})
