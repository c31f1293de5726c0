"""The run of the debugger's tests, in the workspace "team"."""

from __future__ import annotations

import pytest

from tests.dashboard.debugger.conftest import admission_run, execute, run

__all__ = ["admission_run", "execute", "run"]


@pytest.fixture
def hits_of():
    """A function that returns what a person finds: {kind: [(what is said of a hit, its address), ...]}."""

    def hits_of(person, typed="", at="/w/team/", slug="team", **more):
        response = person.get(f"/w/{slug}/search/names/", {"q": typed, "at": at, **more})
        assert response.status_code == 200
        groups = response.context["answer"].groups
        return {
            group.kind: [(" ".join(filter(None, (hit.label, hit.sub, hit.place))), hit.url) for hit in group.hits]
            for group in groups
        }

    return hits_of
