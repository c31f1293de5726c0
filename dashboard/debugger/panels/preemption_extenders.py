"""What extenders made of the candidates of a preemption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.labels import split_key
from scheduler_core.recording.vocabulary import address_of_extender

if TYPE_CHECKING:
    from scheduler_core.recording.events import ExtendersPreempted


@dataclass(frozen=True)
class ExtenderAnswer:
    """What an extender made of the candidates that it was shown: those that it gave up, victims that it spared, or how
    its call failed.
    """

    address: str
    n_shown: int
    gone: list[str]
    spared: list[tuple[str, str]]
    error: str
    is_ignored: bool


def answers_to(shown: ExtendersPreempted) -> list[ExtenderAnswer]:
    """Return what extenders made of the candidates that they were shown, in the order in which they were asked."""
    left = {one.node: one.victims for one in shown.candidates}
    answers = []
    for call in shown.calls:
        returned = left if call.error else {one.node: one.victims for one in call.returned if one.victims}
        answers.append(
            ExtenderAnswer(
                address=address_of_extender(call.name),
                n_shown=len(left),
                gone=sorted(left.keys() - returned.keys()),
                spared=[
                    (split_key(pod)[1], node)
                    for node, victims in sorted(left.items())
                    for pod in victims
                    if node in returned and pod not in returned[node]
                ],
                error=call.error,
                is_ignored=call.ignored,
            )
        )
        left = returned
    return answers
