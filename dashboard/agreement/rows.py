"""Bound and pending pods of a comparison as the page shows them, and what the comparison cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from django.utils.html import format_html, format_html_join

from scheduler_core.explain.agreement.model import EQUAL, NOT_COMPARED
from scheduler_core.explain.agreement.texts import (
    PENDING,
    STANDINGS,
    cause_text,
    ours_text,
    pending_text,
    standing_text,
    unknowns,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.utils.safestring import SafeString

    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import AgreementFigures, BesidePoints, BoundPod, ComparedReason, PendingPod


SHOWN_VICTIMS = 8
# The year 9999: later moments are no dates.
LATEST = 253_402_300_800
Mark = Literal["", "eq", "ne"]
STYLES = {
    "only_one": "bound",
    "same": "win",
    "tied": "tie",
    "lower": "second",
    "refused": "unsched",
    "undecided": "error",
}


class NamedPod:
    """The parts of the name of a row's pod."""

    pod: BoundPod | PendingPod

    @property
    def namespace(self) -> str:
        """Return the pod's namespace."""
        return self.pod.pod.partition("/")[0]

    @property
    def name(self) -> str:
        """Return the pod's name."""
        return self.pod.pod.partition("/")[2]


@dataclass(frozen=True)
class BoundRow(NamedPod):
    """A bound pod; `matrix_url` leads to its cycle in the run that decided it again, `older_url` to the one without the
    pods made later; "" where there is no such run yet."""

    pod: BoundPod
    matrix_url: str = ""
    older_url: str = ""

    @property
    def n_younger(self) -> int:
        """Return how many pods were made later, where the engine decided without them."""
        return max((cause.younger for cause in self.pod.causes if cause.tried), default=0)

    @property
    def older_words(self) -> str:
        """Return what the button says that decides the pod without those."""
        return f"Decide without the {self.n_younger:,}" if self.n_younger > 1 else "Decide without the other"

    @property
    def is_compared(self) -> bool:
        """Return whether the engine decided it."""
        return self.pod.agrees or self.pod.differs

    @property
    def style(self) -> str:
        """Return the meaning whose colour and glyph it bears."""
        return STYLES.get(self.pod.standing, "none")

    @property
    def word(self) -> str:
        """Return its standing in words."""
        return STANDINGS[self.pod.standing]

    @property
    def about(self) -> str:
        """Return what the standing says of this pod."""
        return standing_text(self.pod)

    @property
    def ours(self) -> str:
        """Return where the engine would put it."""
        return ours_text(self.pod)

    @property
    def best_total(self) -> int | None:
        """Return the best total, None where nothing was scored."""
        return None if self.pod.total is None else self.pod.total + self.pod.gap

    @property
    def points(self) -> list[tuple[BesidePoints, int]]:
        """Return the plugins whose points differ, with what the real node has more."""
        return [(row, row.real - row.ours) for row in self.pod.points if row.real != row.ours]

    @property
    def by(self) -> int:
        """Return what the real node's total is more than the best one."""
        return -self.pod.gap

    @property
    def equal_points(self) -> tuple[int, int] | None:
        """Return how many plugins gave both nodes the same, and their points; None where none did."""
        same = [row for row in self.pod.points if row.real == row.ours]
        return (len(same), sum(row.real for row in same)) if same else None

    @property
    def causes(self) -> list[tuple[str, str]]:
        """Return (subject, rest) of each likely cause."""
        parts = (cause_text(cause).partition(":") for cause in self.pod.causes)
        return [(first, rest.strip()) if rest else ("", first) for first, _, rest in parts]


@dataclass(frozen=True)
class PendingRow(NamedPod):
    """A pending pod, the real scheduler's message beside ours."""

    pod: PendingPod

    @property
    def word(self) -> str:
        """Return its standing in words."""
        return PENDING[self.pod.standing]

    @property
    def style(self) -> str:
        """Return the meaning whose colour and glyph it bears."""
        if self.pod.standing in EQUAL:
            return "bound"
        return "none" if self.pod.standing in NOT_COMPARED else "unsched"

    @property
    def source(self) -> str:
        """Return the source of the real message."""
        return "FailedScheduling" if self.pod.report.source == "event" else "PodScheduled"

    @property
    def reported_at(self) -> datetime | None:
        """Return when it was said, None where the dump does not say."""
        at = self.pod.report.at
        return None if at is None or not 0 <= at < LATEST else datetime.fromtimestamp(at, UTC)

    @property
    def about(self) -> str:
        """Return what stands against the real message."""
        return pending_text(self.pod)

    @property
    def victims(self) -> str:
        """Return who was preempted for it, the first by name."""
        names = self.pod.victims
        more = f" and {len(names) - SHOWN_VICTIMS:,} more" if len(names) > SHOWN_VICTIMS else ""
        return f"{', '.join(names[:SHOWN_VICTIMS])}{more}"

    @cached_property
    def rows(self) -> list[ComparedReason]:
        """Return the reasons that were compared."""
        compared = self.pod.compared
        return [*compared.reasons, *compared.preempting] if compared is not None else []

    @property
    def real_message(self) -> SafeString:
        """Return the real message, its reasons marked."""
        reasons = [(row.real, row.former or row.reason, row.is_equal) for row in self.rows]
        return _as_html(marked(self.pod.report.message, reasons))

    @property
    def our_message(self) -> SafeString:
        """Return our message, its reasons marked."""
        return _as_html(marked(self.pod.ours, [(row.ours, row.reason, row.is_equal) for row in self.rows]))


def marked(text: str, reasons: Iterable[tuple[int, str, bool]]) -> list[tuple[str, Mark]]:
    """Return the text in parts: each "COUNT REASON" that it holds is marked as equal or not, the rest is bare."""
    spans: list[tuple[int, int, Mark]] = []
    for count, reason, is_equal in reasons:
        entry = f"{count} {reason}"
        at = text.find(entry)
        if count and at >= 0 and all(at >= end or at + len(entry) <= start for start, end, _ in spans):
            spans.append((at, at + len(entry), "eq" if is_equal else "ne"))
    parts: list[tuple[str, Mark]] = []
    done = 0
    for start, end, mark in sorted(spans):
        parts += [(text[done:start], ""), (text[start:end], mark)]
        done = end
    return [part for part in [*parts, (text[done:], "")] if part[0]]


def _as_html(parts: Iterable[tuple[str, Mark]]) -> SafeString:
    """The parts one after the other; a template would put line breaks between them."""
    marks = (format_html('<mark class="{}">{}</mark>', mark, text) if mark else text for text, mark in parts)
    return format_html_join("", "{}", ((part,) for part in marks))


def list_doubts(figures: AgreementFigures, configuration: ChosenConfiguration) -> list[tuple[str, str]]:
    """Return (subject, text) of what a snapshot cannot tell, and of extenders, which are not asked here."""
    doubts = list(unknowns(figures))
    if addresses := configuration.extenders_not_asked:
        verb = "was" if len(addresses) == 1 else "were"
        text = (
            f"{', '.join(addresses)} {verb} not asked: nodes that the real scheduler did not choose because of them"
            " count as feasible here, and their scores are missing."
        )
        doubts.insert(0, ("Extenders", text))
    return doubts
