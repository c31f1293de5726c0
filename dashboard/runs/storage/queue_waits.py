"""How long pods waited and how often they were tried until they were bound, as kube-scheduler measures it.

Its clock begins when a pod first enters activeQ (InitialAttemptTimestamp): what scheduling gates held back before does
not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.runs.models import QueueMove

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scheduler_core.recording.rows import QueueMoveRow

ACTIVE = "active"


class QueueWaits:
    """The pods of one run that wait, in its writer's memory; the table has those that came before this writer."""

    def __init__(self, run_id: int) -> None:
        self.run_id = run_id
        self._waiting: dict[str, tuple[str, int | None, int]] = {}

    def of_bound(self, moves: Iterable[QueueMoveRow], bound: Iterable[tuple[int, int, str]]) -> list[tuple[int, int]]:
        """Return (virtual us in the queue, attempts) of the pods that a chunk bound; call it after the chunk's rows
        are stored."""
        ended = []
        going = iter(moves)
        move = next(going, None)
        for seq, at, pod in bound:
            while move is not None and move.seq < seq:
                self._take(move)
                move = next(going, None)
            record = self._waiting.pop(pod) if pod in self._waiting else self._stored(pod, seq)
            _, entered, attempts = record
            if entered is not None:
                ended.append((at - entered, attempts))
        while move is not None:
            self._take(move)
            move = next(going, None)
        return ended

    def _take(self, move: QueueMoveRow) -> None:
        uid, entered, attempts = self._waiting.get(move.pod, ("", None, 0))
        if move.pod not in self._waiting and move.source:
            # It came before this writer did.
            uid, entered, attempts = self._stored(move.pod, move.seq)
        if (move.pod_uid or "") != uid:
            uid, entered, attempts = move.pod_uid or "", None, 0
        if entered is None and move.target == ACTIVE:
            entered = move.at
        self._waiting[move.pod] = uid, entered, move.attempts or attempts

    def _stored(self, pod: str, seq: int) -> tuple[str, int | None, int]:
        rows = QueueMove.objects.filter(run_id=self.run_id, pod=pod, seq__lt=seq)
        last = rows.order_by("-seq").first()
        if last is None:
            return "", None, 0
        first = rows.filter(pod_uid=last.pod_uid, target=ACTIVE).order_by("seq").values_list("at_us", flat=True).first()
        return last.pod_uid or "", first, last.attempts
