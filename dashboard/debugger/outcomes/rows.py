"""The rows of the table of outcomes, as the templates show them. `level` is how far a row is indented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from dashboard.debugger.panels.rollout import RolloutPanel
    from scheduler_core.explain.doubt import AnswerDoubt
    from scheduler_core.explain.outcomes.model import Part

FOLDER = "debugger/outcomes"


@dataclass(frozen=True)
class SectionRow:
    """The head of a section."""

    template: ClassVar[str] = f"{FOLDER}/_section.html"
    title: str


@dataclass(frozen=True)
class ScarceCell:
    """The scarce resource there: `share` from 0 to 1, None where there is none of it."""

    resource: str
    name: str
    where: str
    share: float | None

    @property
    def percent(self) -> str:
        """Return the share with one decimal: "98.9 %"."""
        return "none there" if self.share is None else f"{100 * self.share:.1f} %"

    @property
    def title(self) -> str:
        """Return the whole of it, with the resource's full name."""
        return f"{self.resource}: {self.percent} requested on {self.where or 'all nodes'}"

    @property
    def width(self) -> str:
        """Return the width of the meter's bar."""
        return f"{100 * min(max(self.share or 0.0, 0.0), 1.0):.1f}%"

    @property
    def is_hot(self) -> bool:
        """Return whether next to nothing is left."""
        return self.share is not None and self.share >= 0.85


@dataclass(frozen=True)
class GroupRow:
    """A row of 54 px: a reason, an owner or a namespace. `meaning` is the colour, `glyph` "" for the usual one.

    `scarce` and the plugins are those of the reason; of an owner or a namespace, those of its pods' commonest reason.
    """

    template: ClassVar[str] = f"{FOLDER}/_group.html"
    id: str
    title: str
    meaning: str
    word: str
    evidence: tuple[Part, ...]
    pods: int
    scarce: ScarceCell | None
    plugin: str
    more_plugins: tuple[str, ...]
    wait: str
    why: str
    why_word: str
    toggle: str
    is_open: bool

    @property
    def evidence_text(self) -> str:
        """Return the evidence as one text."""
        return "".join(part.text for part in self.evidence)

    @property
    def plugins_title(self) -> str:
        """Return all plugins that refused the nodes."""
        return f"refused by {', '.join((self.plugin, *self.more_plugins))}"


@dataclass(frozen=True)
class SubRow:
    """A row of 24 px that opens: an owner below a reason, or a reason below an owner."""

    template: ClassVar[str] = f"{FOLDER}/_sub.html"
    id: str
    level: int
    title: str
    meaning: str
    word: str
    sub: str
    pods: int
    third: str
    wait: str
    why: str
    why_word: str
    toggle: str
    is_open: bool


@dataclass(frozen=True)
class OutcomePodRow:
    """A pod; its name, the title, leads to its last attempt."""

    template: ClassVar[str] = f"{FOLDER}/_pod.html"
    id: str
    title: str
    namespace: str
    sub: str
    attempts: str
    third: str
    wait: str
    why: str
    why_word: str


@dataclass(frozen=True)
class MoreRow:
    """How much more there is, with a link to it."""

    template: ClassVar[str] = f"{FOLDER}/_more.html"
    id: str
    level: int
    link: str
    text: str
    url: str


@dataclass(frozen=True)
class MissingRow:
    """A workload that lacks pods that nothing refused."""

    template: ClassVar[str] = f"{FOLDER}/_missing.html"
    id: str
    workload: str
    lacking: int
    desired: int
    text: str


@dataclass(frozen=True)
class QuotaMeter:
    """What a quota has left of a resource: `text` as "6 of 6", `share` used from 0 to 1."""

    resource: str
    text: str
    share: float

    @property
    def width(self) -> str:
        """Return the width of the meter's bar."""
        return f"{100 * self.share:.1f}%"


@dataclass(frozen=True)
class OwnerRow:
    """A row of 54 px about an owner: pods that were never made, or a rollout that does not go on, which opens where it
    has a `toggle`. `number` with its `unit` is what counts: "2", "never made"; `plugin` refuses, of kind `meaning`."""

    template: ClassVar[str] = f"{FOLDER}/_owner.html"
    id: str
    title: str
    meaning: str
    glyph: str
    evidence: str
    number: str
    unit: str
    meter: QuotaMeter | None
    plugin: str
    wait: str
    why: str
    why_word: str = "Why"
    toggle: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class OpenRolloutRow:
    """What an opened rollout shows below its row: its state, and on the right what would let it go on."""

    template: ClassVar[str] = f"{FOLDER}/_rollout.html"
    id: str
    rollout: RolloutPanel
    remedies: str


@dataclass(frozen=True)
class DoneRow:
    """Nothing needs a look."""

    template: ClassVar[str] = f"{FOLDER}/_done.html"
    text: str


@dataclass(frozen=True)
class DoubtRow:
    """What decides in a real cluster, is not played, and may falsify the rows."""

    template: ClassVar[str] = f"{FOLDER}/_doubt.html"
    doubt: AnswerDoubt


OfPods = GroupRow | SubRow | OutcomePodRow | MoreRow
OfOwners = MissingRow | OwnerRow | OpenRolloutRow
Row = SectionRow | OfPods | OfOwners | DoneRow | DoubtRow
