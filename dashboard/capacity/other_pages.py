"""The answers to "how many more fit", "may these nodes be drained" and "what is not needed"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from dashboard.capacity.words import amounts, first, sentence, tail
from dashboard.common.pages.numbers import plural
from dashboard.debugger.panels.why.causes.short_words import head_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.capacity import DrainedAnswer, MoreAnswer, UnneededAnswer
    from dashboard.answers.answering.capacity_state import PodOffer, RestingNode
    from dashboard.capacity.choice import CapacityChoice

MOST_NODES = 60
EVICTION_WORDS = {
    "EVICT_NO_CONTROLLER": "no controller",
    "EVICT_LOCAL_STORAGE": "local data",
    "EVICT_BUDGET": "budget",
    "EVICT_KEPT": "kept by annotation",
}


def code_word(code: str) -> str:
    """What a reason is called in a list of reasons: "short of cpu", "budget"."""
    said = EVICTION_WORDS.get(code) or head_of(code)
    return f"{said} {code.rpartition('_')[2].lower()}" if code.startswith("SHORT_") else said


def offer_name(offer: PodOffer) -> str:
    """ "shop/api, 12 pods: 500m cpu, 1Gi" """
    namespace, _, name = offer.pod.partition("/")
    named = f"{namespace}/{tail(offer.owner) or name}"
    count = f", {plural(offer.pods, 'pod')}" if offer.owner else ""
    return f"{named}{count}: {amounts(offer.requests)}"


@dataclass(frozen=True)
class RoomPage:
    """How many more fit; `url` gives the address of the page with another choice."""

    answer: MoreAnswer
    choice: CapacityChoice
    url: Callable[..., str]

    @property
    def name(self) -> str:
        """What more are to fit of."""
        one = self.answer.asked
        return "" if one is None else f"{one.pod.partition('/')[0]}/{tail(one.owner) or tail(one.pod)}"

    @property
    def count(self) -> str:
        """ "7", "at least 7" """
        fitting = self.answer.fitting
        return "" if fitting is None else f"{'' if fitting.in_time else 'at least '}{fitting.count:,}"

    @property
    def tile(self) -> tuple[str, str, str]:
        """(figure, words, note) of the question's tile."""
        fitting = self.answer.fitting
        if fitting is None:
            return "no pod", "is in this cluster", "nothing to ask for"
        full = f"first full: {fitting.by_shape[0].shape}" if fitting.count else "no node takes one more"
        return f"{self.count} more", f"of {self.name} fit{'s' if fitting.count == 1 else ''} now", full

    @property
    def lead(self) -> str:
        """The answer in a sentence."""
        fitting = self.answer.fitting
        if fitting is None:
            return "There is no pod in this cluster that more could be made of."
        if not fitting.count:
            return f"No node takes one more of {self.name}."
        said = f"{self.count} more of {self.name} {'fits' if fitting.count == 1 else 'fit'}"
        return f"{said[:1].upper()}{said[1:]}, on {plural(len(fitting.by_node), 'node')}."

    @property
    def then(self) -> str:
        """What keeps the next one off all nodes, "" where the counting was not over."""
        fitting = self.answer.fitting
        if fitting is None:
            return ""
        if fitting.refused is None:
            return "The counting was stopped before it ended."
        return sentence(f"the next one finds no node: {'; '.join(fitting.refused.texts)}")

    @property
    def offers(self) -> list[tuple[str, str, bool]]:
        """(pod, what it is called, whether it is chosen) to choose from; one that the address names is among them."""
        asked, offers = self.answer.asked, list(self.answer.offers)
        if asked is not None and all(one.pod != asked.pod for one in offers):
            offers.insert(0, asked)
        return [(one.pod, offer_name(one), asked is not None and one.pod == asked.pod) for one in offers]

    @property
    def nodes(self) -> list[tuple[str, int]]:
        """(node, how many more) of the first nodes, those with the most first."""
        fitting = self.answer.fitting
        by_node = fitting.by_node if fitting is not None else {}
        return sorted(by_node.items(), key=lambda pair: -pair[1])[:MOST_NODES]

    @property
    def long_url(self) -> str:
        """The address that counts for longer."""
        return self.url(long=True)

    @property
    def more_nodes(self) -> int:
        """How many nodes are not listed."""
        fitting = self.answer.fitting
        return len(fitting.by_node) - MOST_NODES if fitting is not None else 0


class DrainRow(NamedTuple):
    """An evicted pod: its node, what becomes of it, and why."""

    pod: str
    source: str
    meaning: str
    glyph: str
    word: str
    why: str


class DrainChoice(NamedTuple):
    """A node to drain, and what is known of it alone: how that looks and its words."""

    line: RestingNode
    is_chosen: bool
    meaning: str
    glyph: str
    words: str


@dataclass(frozen=True)
class DrainPage:
    """A drain; `url` gives the address of the page with another choice."""

    answer: DrainedAnswer
    choice: CapacityChoice
    url: Callable[..., str]

    @property
    def tile(self) -> tuple[str, str, str]:
        """(figure, words, note) of the question's tile."""
        drain = self.answer.drain
        if drain is None:
            return "drain", "nodes: none is chosen", "choose nodes to see where their pods go"
        names = f"drain {first(drain.nodes, 2)}"
        if not drain.pending and not drain.blocked:
            return "yes", names, f"{plural(len(drain.moves), 'pod')} to run elsewhere"
        return "no", names, f"{self._stuck} of {plural(len(drain.order), 'pod')}"

    @property
    def _stuck(self) -> str:
        """How many pods stay pending, and how many may not be evicted."""
        drain = self.answer.drain
        assert drain is not None
        parts = [f"{len(drain.pending):,} would stay pending"] if drain.pending else []
        parts += [f"{len(drain.blocked):,} may not be evicted"] if drain.blocked else []
        return " and ".join(parts)

    @property
    def lead(self) -> str:
        """The answer in a sentence."""
        drain = self.answer.drain
        if drain is None:
            return "Choose nodes to see where their pods go."
        names, count = first(drain.nodes), len(drain.order)
        if not count:
            return f"No pod has to go elsewhere from {names}."
        if not drain.pending and not drain.blocked:
            pods = "The pod" if count == 1 else f"All {count:,} pods"
            return f"{pods} of {names} {'runs' if count == 1 else 'run'} elsewhere."
        return f"Of the {plural(count, 'pod')} of {names}, {self._stuck}."

    @cached_property
    def rows(self) -> list[DrainRow]:
        """The pods in the order of their evictions."""
        drain = self.answer.drain
        if drain is None:
            return []
        targets = {one.pod: one.target for one in drain.moves}
        pending = {one.pod: "; ".join(one.texts) for one in drain.pending}
        blocked = {one.pod: one.why for one in drain.blocked}
        rows = []
        for pod, source in drain.order.items():
            if pod in targets:
                rows.append(DrainRow(pod, source, "bound", "check", f"to {targets[pod]}", ""))
            elif pod in pending:
                rows.append(DrainRow(pod, source, "unsched", "x", "stays pending", pending[pod]))
            else:
                rows.append(DrainRow(pod, source, "victim", "eject", "not evicted", blocked.get(pod, "")))
        return rows

    @property
    def clear_url(self) -> str:
        """The address without chosen nodes."""
        return self.url(node=())

    @property
    def choices(self) -> list[DrainChoice]:
        """The nodes to choose from."""
        chosen = set(self.choice.node)
        return [DrainChoice(line, line.name in chosen, *_alone(line)) for line in self.answer.nodes]

    @property
    def more(self) -> int:
        """How many nodes are not listed."""
        return self.answer.n_nodes - len(self.answer.nodes)


def _alone(line: RestingNode) -> tuple[str, str, str]:
    """How a node looks alone to an autoscaler, as far as it was asked."""
    if line.need is None:
        return "none", "", ""
    if not line.need.needed:
        return "bound", "check", "not needed"
    return "none", "dash", f"needed for {tail(line.need.pod)}"


class SpareRow(NamedTuple):
    """A node that is needed or not, with how that looks, and why."""

    line: RestingNode
    meaning: str
    glyph: str
    word: str
    why: str


@dataclass(frozen=True)
class SparePage:
    """Which nodes are not needed; `url` gives the address of the page with another choice."""

    answer: UnneededAnswer
    choice: CapacityChoice
    url: Callable[..., str]

    @property
    def progress(self) -> str:
        """How far it is, "" where all nodes were asked."""
        one = self.answer
        return "" if one.is_complete else f"{one.done:,} of {one.total:,} nodes asked"

    @property
    def tile(self) -> tuple[str, str, str]:
        """(figure, words, note) of the question's tile."""
        names = first((line.name for line in self.answer.free), 2)
        words = f"{'is' if self.answer.n_free == 1 else 'are'} not needed, each alone"
        return plural(self.answer.n_free, "node"), words, self.progress or names or "each has its reason"

    @property
    def lead(self) -> str:
        """The answer in a sentence."""
        one = self.answer
        names = f": {first(line.name for line in one.free)}" if one.n_free else ""
        of = f"of {one.done:,}{'' if one.is_complete else ' asked'} nodes"
        return f"{one.n_free:,} {of} {'is' if one.n_free == 1 else 'are'} not needed, each alone{names}."

    @property
    def reasons(self) -> list[tuple[str, str, int, str, bool]]:
        """(code, word, nodes, address, whether it is chosen) of each reason why nodes are needed."""
        return [
            (code, code_word(code), n, self.url(why="" if code == self.choice.why else code), code == self.choice.why)
            for code, n in self.answer.codes.items()
        ]

    @property
    def rows(self) -> list[SpareRow]:
        """The nodes that are not needed, then those that are."""
        free = [
            SpareRow(line, "bound", "check", "not needed", f"{is_fit(line.need.moves)} elsewhere")
            for line in self.answer.free
            if line.need is not None
        ]
        needed = [
            SpareRow(line, "none", "dash", "needed", f"{tail(line.need.pod)}: {line.need.why}")
            for line in self.answer.needed
            if line.need is not None
        ]
        return ([] if self.choice.why else free) + needed

    @property
    def more(self) -> int:
        """How many nodes are not listed."""
        one, why = self.answer, self.choice.why
        needed = one.codes.get(why, 0) if why else one.done - one.n_free
        return needed - len(one.needed) + (0 if why else one.n_free - len(one.free))


def is_fit(count: int) -> str:
    """ "no pod has to go", "its pod fits", "all 3 pods fit" """
    return "it has no pod to go" if not count else "its pod fits" if count == 1 else f"all {count:,} pods fit"
