"""What rows say of themselves."""

from __future__ import annotations

from scheduler_core.explain.outcomes.making.model import RolloutOutcome, Short
from scheduler_core.explain.rollouts.model import RolloutState


def test_rows_have_the_name_of_their_owner_and_how_many_pods_were_made() -> None:
    short = Short("Deployment a/web", desired=4, bound=1, unmade=3, why="")
    assert (short.key, short.made) == ("a/web", 1)
    state = RolloutState(key="Deployment/a/web", title="Deployment a/web", strategy="RollingUpdate", replicas=4)
    assert RolloutOutcome(state=state, text="", is_stuck=True).key == "a/web"
