"""Rows of an upgrade report: behaviours, decisions, waits and texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from scheduler_core.compare.upgrade.lines import wait_text, why_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.compare.upgrade import PodUpgrade
    from scheduler_core.compare.upgrade.model import BehaviourChange, TextChange, WaitUpgrade

UPSTREAM = "https://github.com/kubernetes/kubernetes/pull/"
_NUMBER = re.compile(r"#(\d+)")
NO_ATTEMPT = "no such attempt"


@dataclass(frozen=True)
class BehaviourRow:
    """A behaviour that differs: of how many pods it brings the first difference (`n_decided`), and where it leads."""

    one: BehaviourChange
    n_decided: int
    rests_on_sources: bool
    url: str
    is_selected: bool

    @property
    def n_waits(self) -> int:
        """How many pods wait otherwise by it, though decided alike."""
        return self.one.n_pods - self.n_decided

    @property
    def is_derived(self) -> bool:
        """Whether it was read in sources alone, or a version is."""
        return self.rests_on_sources or self.one.evidence != "recorded"

    @property
    def sentence(self) -> str:
        """What it does, or what is so no longer."""
        return self.one.sentence if self.one.comes else f"No longer: {self.one.sentence}"

    @property
    def absent(self) -> str:
        """What it would act on and is not here, "" where it could act."""
        return "" if self.one.n_pods else self.one.absent

    @property
    def changes(self) -> list[tuple[str, str]]:
        """(text, address) of the upstream changes, without an address for what is no pull request."""
        numbers = _NUMBER.findall(self.one.change)
        return [(f"#{n}", f"{UPSTREAM}{n}") for n in numbers] if numbers else [(self.one.change, "")]

    @property
    def style(self) -> str:
        """How it is drawn."""
        return "nomin" if self.n_decided else "queue" if self.n_waits else "none"

    @property
    def glyph(self) -> str:
        """Its sign."""
        return "layers" if self.n_decided else "clock" if self.n_waits else "dash"


@dataclass(frozen=True)
class UpgradeDecision:
    """A pod's first attempt that ends otherwise; `follows_url` leads to the row that it follows from."""

    pod: PodUpgrade
    cycle: int
    is_derived: bool
    is_marked: bool
    follows_url: str

    @property
    def a(self) -> str:
        """What A decides."""
        return NO_ATTEMPT if self.pod.a is None else self.pod.a.text

    @property
    def b(self) -> str:
        """What B decides."""
        return NO_ATTEMPT if self.pod.b is None else self.pod.b.text

    @property
    def why(self) -> str:
        """Why they part."""
        return why_text(self.pod)


@dataclass(frozen=True)
class WaitRow:
    """A pod that waits otherwise."""

    one: WaitUpgrade
    is_tried: bool

    @property
    def a(self) -> str:
        """Its wait under A."""
        return wait_text(self.one.a)

    @property
    def b(self) -> str:
        """Its wait under B."""
        return wait_text(self.one.b)

    @property
    def why(self) -> str:
        """The behaviour that brings it, as far as that is known."""
        if self.one.by:
            return f"by {self.one.by}"
        return "by no behaviour of the queue alone" if self.is_tried else "not tried"


class MarkedText(NamedTuple):
    """A text in three parts, of which the middle one differs from the other text."""

    head: str
    middle: str
    tail: str


@dataclass(frozen=True)
class TextRow:
    """A text of A, of B, or both where one takes the other's place, with the numbers of messages that have it."""

    old: MarkedText | None
    new: MarkedText | None
    n_old: int
    n_new: int
    lost: str


def text_rows(changes: Sequence[TextChange]) -> list[TextRow]:
    """The texts of A, each with the text of B that replaces it, then the texts that only B has.

    A text of B that replaces several is in the row of each, with the number of messages of all of them.
    """
    by_text = {one.text: one for one in changes if one.b and not one.a}
    olds = [one for one in changes if one.a]
    rows = [_row(one, by_text.get(one.now)) for one in olds]
    replaced = {one.now for one in olds}
    return rows + [_row(None, one) for one in by_text.values() if one.text not in replaced]


def _row(old: TextChange | None, new: TextChange | None) -> TextRow:
    head = tail = ""
    if old is not None and new is not None:
        head = old.text[: _n_common(old.text, new.text)]
        rests = (text[len(head) :][::-1] for text in (old.text, new.text))
        tail = old.text[len(old.text) - _n_common(*rests) :]
    return TextRow(
        None if old is None else _marked(old.text, head, tail),
        None if new is None else _marked(new.text, head, tail),
        0 if old is None else old.a,
        0 if new is None else new.b,
        "" if old is None else old.lost,
    )


def _marked(text: str, head: str, tail: str) -> MarkedText:
    end = len(text) - len(tail)
    return MarkedText(head, text[len(head) : end], tail)


def _n_common(a: str, b: str) -> int:
    """How many characters both begin with."""
    return next((n for n, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))
