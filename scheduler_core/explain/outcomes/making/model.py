"""What a summary says of pods that were never made, of quotas, and of unfinished rollouts."""

from __future__ import annotations

import msgspec

from scheduler_core.controllers.rollouts.rollout_states import RolloutState


class Short(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A workload that lacks pods: see events.Missing. Where admission refused pods of it to the end: the ``code`` of
    the cause, the object that refuses (``by``: Kind/namespace/name) and the API server's ``message``, which ``maker``
    asked for them ("" for a pod of an input), how often it was ``refused`` since a pod of it was made, the virtual
    microseconds of the first of these (``since``), and how many events there were after the last (``seq``).
    """

    workload: str
    desired: int
    bound: int
    unmade: int
    why: str
    code: str = ""
    by: str = ""
    message: str = ""
    maker: str = ""
    refused: int = 0
    since: int = -1
    seq: int = 0

    @property
    def key(self) -> str:
        """The workload's namespace/name."""
        return self.workload.partition(" ")[2]

    @property
    def made(self) -> int:
        """How many of its pods were made."""
        return self.desired - self.unmade


class QuotaUse(msgspec.Struct, frozen=True, array_like=True):
    """A resource of a quota (namespace/name) at the end: ``used`` and ``hard`` in canonical integers, and how many
    ``refused`` pods this quota keeps from being made, whichever of its resources is short."""

    quota: str
    resource: str
    used: int
    hard: int
    refused: int = 0


class RolloutSpan(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """A rollout over virtual microseconds: when the template changed, when a Deployment's condition said that it has
    ended and that its deadline has passed, and when the last pod of the owner was bound before that; -1 for never."""

    title: str
    began: int
    ended: int = -1
    late_at: int = -1
    bound_at: int = -1


class RolloutOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A rollout that is unfinished when the run ends: explain.rollouts.model.RolloutAnswer, with the cause as
    its ``codes`` and ``because``. ``pods`` have no node and count with it."""

    state: RolloutState
    text: str
    is_stuck: bool
    codes: tuple[str, ...] = ()
    because: str = ""
    pods: tuple[str, ...] = ()
    next_try: int | None = None
    is_admitted: bool = False

    @property
    def key(self) -> str:
        """The owner's namespace/name."""
        return self.state.title.partition(" ")[2]
