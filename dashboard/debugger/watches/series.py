"""The changes of watches as JSON for the page: values as text, with Kubernetes' units."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dashboard.answers.outcomes import Answer, Dropped, TooLate, Waiting, WaitsFor
from dashboard.answers.panel import OutcomePanel
from dashboard.common.pages.numbers import BINARY, amount, cpu, trimmed
from scheduler_core.explain.watches import Watch, WatchKind, parse_watch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.answers.outcomes import Outcome
    from dashboard.runs.models import RunWatch
    from scheduler_core.explain.watches import SeriesPart, WatchValue

# What browsers count exactly.
MOST = 2**53


@dataclass(frozen=True)
class SeriesPanel(OutcomePanel):
    """The answer to the question for the changes of some watches, or why there is none yet."""

    watches: Sequence[RunWatch]
    seconds: float

    @property
    def text(self) -> str:
        """The short text that a row shows instead of a value."""
        match self.outcome:
            case Waiting(WaitsFor.OTHERS, place):
                return f"waiting, {place} in line"
            case Waiting(WaitsFor.RESULT):
                return "being computed"
            case Waiting():
                return "no answer worker replies"
        return super().text

    @property
    def _late(self) -> str:
        return f"no answer within {self.seconds:g} s"

    def as_json(self) -> dict[str, Any]:
        """Return it for the page. `state`: done, more (the next turn goes on), waiting, or failed."""
        outcome: Outcome = self.outcome
        if not isinstance(outcome, Answer):
            state = "waiting" if self.is_waiting else "failed"
            may_ask_again = isinstance(outcome, TooLate | Dropped)
            return {"state": state, "words": self.text, "late": may_ask_again, "pause": self.pause_ms}
        answer = outcome.value
        series = {
            str(watch.pk): series_json(parse_watch(watch.text), part)
            for watch, part in zip(self.watches, answer.parts, strict=True)
        }
        state = "done" if answer.reached >= answer.head else "more"
        return {"state": state, "reached": answer.reached, "head": answer.head, "series": series}


def series_json(watch: Watch, part: SeriesPart) -> dict[str, Any]:
    """Return the changes of one watch, its values as words and as numbers (null where there is none)."""
    return {
        "reached": part.reached,
        "cut": part.is_cut,
        "seqs": part.seqs,
        "ats": part.ats,
        "which": part.which,
        "texts": [value_text(watch, value) for value in part.values],
        "numbers": [None if one.number is None else max(-MOST, min(one.number, MOST)) for one in part.values],
    }


def value_text(watch: Watch, value: WatchValue) -> str:
    """Return a value in words; two that differ never read alike."""
    if value.text or value.number is None:
        return value.text
    if watch.kind not in (WatchKind.FREE, WatchKind.USED):
        return f"{value.number:,}"
    if watch.resource == "cpu":
        return exact_cpu(value.number)
    is_bytes = amount(2048, watch.resource) == "2Ki"
    return exact_bytes(value.number) if is_bytes else f"{value.number:,}"


def exact_cpu(milli: int) -> str:
    """Return thousandths of a core, also of a large sum: "87,626.674"."""
    return cpu(milli) if abs(milli) < 1_000_000 else trimmed(Decimal(milli) / 1000, 3)


def exact_bytes(count: int) -> str:
    """Return bytes in the largest binary unit that needs at most one digit after the point."""
    for power in range(len(BINARY) - 1, 0, -1):
        unit = 1024**power
        if abs(count) >= unit and count * 10 % unit == 0:
            return trimmed(Decimal(count) / unit, 1) + BINARY[power]
    return f"{count:,}"
