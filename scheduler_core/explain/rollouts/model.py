"""An unfinished rollout, as plain values for the pages, the command line and exports."""

from __future__ import annotations

import msgspec

from scheduler_core.controllers.rollouts.rollout_states import RevisionPods, RolloutState
from scheduler_core.explain.diagnosis.model import ObstacleSet

__all__ = ["RevisionPods", "RolloutAnswer", "RolloutState"]


class RolloutAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A rollout as of event ``seq``, at virtual microseconds ``at``.

    ``state`` has its strategy in numbers, its pods by revision, its deadline and what it waits for
    (controllers/rollouts/rollout_states.py); ``text`` is the one sentence on it. ``cause`` is why it does not go on as
    data, the pods' own where pods have no node; None where it goes on: it is neither ``is_stuck`` nor waits on purpose.
    ``is_stuck``: nothing that would move it is to come, or its deadline has passed. Of pods that admission refuses:
    ``next_try`` is when the controller tries again (None: not planned), ``tries`` how often it failed since its last
    success, ``is_admitted``: the pod would be admitted now, and nothing but the wait keeps it.
    """

    seq: int
    at: int
    state: RolloutState
    text: str
    is_stuck: bool
    cause: ObstacleSet | None = None
    next_try: int | None = None
    tries: int = 0
    is_admitted: bool = False

    @property
    def pods(self) -> tuple[str, ...]:
        """The pods without a node that are of the rollout and count with it, not beside it (namespace/name)."""
        return () if self.state.is_on_purpose else self.state.pending
