"""Everything that the page says of nodes that are set against each other; each part only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import grouped
from dashboard.debugger.inputs.facts import facts_kept
from dashboard.debugger.outcomes.summary_cache import summary_of
from dashboard.debugger.page import CursorPage
from dashboard.debugger.why.node.address import FIELDS, MOST, rivals_url
from dashboard.debugger.why.node.asked import AskedRivals
from dashboard.debugger.why.node.lines import RivalLine, rival_lines
from dashboard.debugger.why.node.rivals import RivalRow, rival, with_answer
from dashboard.debugger.why.node.weights import Weights
from dashboard.debugger.why.siblings import outcome_of
from scheduler_core.explain.rivals import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.debugger.why.node.address import RivalsCursor
    from scheduler_core.explain.outcomes.model import PodOutcome
    from scheduler_core.explain.rivals.model import Rivalry


@dataclass(frozen=True)
class Comparison:
    """The page's answer: heading, one sentence, the nodes, and their lines; no lines where nothing was scored.

    `difference` says where what the engine decides now is not what was recorded.
    """

    title: str
    sentence: str
    rivals: list[RivalRow]
    lines: list[RivalLine]
    best: int
    lead: int | None
    is_tie: bool
    difference: str = ""
    has_answer: bool = False

    @property
    def n_computed(self) -> int:
        """Return how many nodes have computed rather than recorded numbers."""
        return sum(one.is_computed for one in self.rivals)

    @property
    def has_refused(self) -> bool:
        """Return whether a node failed a filter, so that more can be asked about it."""
        return any(one.is_refused or not one.verdict.asked for one in self.rivals)


def comparison_title(rivals: Sequence[RivalRow], is_tie: bool) -> str:
    """Return the heading: which node, and which not."""
    if not rivals:
        return "Nothing to compare"
    second = rivals[1].node if len(rivals) > 1 else ""
    return texts.title(rivals[0].node, second, rivals[0].meaning == "win", is_tie)


def comparison_sentence(
    pod: str, attempt: int, rivals: Sequence[RivalRow], lines: Sequence[RivalLine], without: str
) -> str:
    """Return what the first node's lead over the second comes from, and who would win without its largest part."""
    said = f"{pod}, attempt {grouped(attempt)}."
    if len(rivals) < 2:
        return said
    first, second = rivals[0], rivals[1]
    refused = [one for one in (first, second) if one.is_refused]
    if refused:
        refusals = [f"{one.node} was refused by {one.verdict.plugin}: {one.verdict.reason}" for one in refused]
        return f"{said} {'; '.join(refusals)}."
    if first.total is None or second.total is None or first.is_computed or second.is_computed:
        return f"{said} Not both were scored, so no recorded points tell them apart."
    leads = [(line.plugin, line.lead or 0) for line in lines]
    return f"{said} {texts.lead_words(leads, first.total)}.{without}"


# At most this many nodes are offered by name: those that fit, the best first, then refused ones; others can be typed.
OFFERED = 200
SHOWN_ALIKE = 8


# ---------------------------------------------------------------- the page


@dataclass(frozen=True)
class Picker:
    """A field that chooses a node of the comparison; `rival` is the one that is chosen, None for a free place."""

    field: str
    number: int
    rival: RivalRow | None

    @property
    def index(self) -> int:
        """Return its position among the compared nodes."""
        return self.number - 1


@dataclass(frozen=True)
class Alike:
    """Another pod of the same owner that was bound: its cycle, its node, and how it was decided."""

    cycle: int
    pod: str
    node: str
    ties: int
    margin: int | None
    url: str


class RivalsPage:
    """The panels that the page has beside those of the debugger's: `page`, which reads no inputs.

    `asked` is what answer workers say; `part` and `query` are those of `AskedRivals`.
    """

    def __init__(self, cursor: RivalsCursor, part: str = "", query: Mapping[str, str] | None = None) -> None:
        self.cursor = cursor
        self.page = CursorPage(cursor, facts_kept)
        self.attempt = self.page.attempt
        self.asked = AskedRivals(cursor, self.attempt, part, query)

    @cached_property
    def weights(self) -> Weights | None:
        """The scores of all feasible nodes, None where nothing was scored."""
        frame = self.attempt.frame
        if frame is None or not frame.has_scores or not len(frame.feasible) or self.attempt.cycle is None:
            return None
        return Weights(frame, self.attempt.cycle.winner) if self.attempt.cycle.scored is not None else None

    @cached_property
    def rivals(self) -> list[RivalRow]:
        """The compared nodes."""
        if self.attempt.frame is None or self.attempt.cycle is None:
            return []
        rows = [rival(self.attempt.frame, self.attempt.cycle, name) for name in self.asked.names]
        answers = {one.node: one for one in self._answer.rivals} if self._answer is not None else {}
        return [with_answer(row, answers[row.node]) if row.node in answers else row for row in rows]

    @property
    def pickers(self) -> list[Picker]:
        """The fields that choose the nodes, with an empty one while another node can be added."""
        chosen = self.rivals
        n = min(len(chosen) + 1, MOST)
        return [Picker(FIELDS[i], i + 1, chosen[i] if i < len(chosen) else None) for i in range(n)]

    @cached_property
    def comparison(self) -> Comparison | None:
        """The answer, None where the cycle looked at no node."""
        cycle, frame, weights = self.attempt.cycle, self.attempt.frame, self.weights
        if cycle is None or frame is None or not self.rivals:
            return None
        lines = rival_lines(frame, self.rivals, weights, self._deciding, self._answer, self.cursor.weights)
        leads = [line.lead for line in lines if line.lead is not None]
        return Comparison(
            title=comparison_title(self.rivals, self._is_tie),
            sentence=comparison_sentence(cycle.name, cycle.row.attempt, self.rivals, lines, self._without(lines)),
            rivals=self.rivals,
            lines=lines,
            best=100 * sum(line.weight for line in lines),
            lead=sum(leads) if leads and len(leads) == len(lines) else None,
            is_tie=self._is_tie,
            difference=self._answer.difference if self._answer is not None else "",
            has_answer=self._answer is not None,
        )

    @property
    def _answer(self) -> Rivalry | None:
        """What an answer worker says of the nodes, None until it has arrived."""
        return self.asked.compared.shown

    @property
    def _deciding(self) -> set[str]:
        """The plugins without any one of which another node would have won; none where the winner was drawn."""
        cycle = self.attempt.cycle
        scored = cycle.scored.plugins if cycle is not None and cycle.scored is not None and not cycle.is_tie else ()
        return {score.plugin for score in scored if score.decided}

    @property
    def _is_tie(self) -> bool:
        """Whether the first two nodes both had the best total."""
        selected, two = self.attempt.cycle.selected if self.attempt.cycle else None, self.rivals[:2]
        return selected is not None and len(two) == 2 and all(one.total == selected.total for one in two)

    def _without(self, lines: list[RivalLine]) -> str:
        """What would win without the plugin that adds most to the lead, "" where the same node would."""
        cycle, weights = self.attempt.cycle, self.weights
        rivals = self.rivals
        main = max((line for line in lines if line.is_key), key=lambda line: line.lead or 0, default=None)
        if cycle is None or weights is None or main is None or rivals[0].node != cycle.winner:
            return ""
        best = weights.without(lines.index(main))
        if len(best.tied) > 1:
            return f" Without {main.plugin} it would have been {best.text()}."
        return f" Without {main.plugin} {best.node} would have won by {best.lead}." if best.node != cycle.winner else ""

    @property
    def swapped(self) -> str:
        """The address with the first two nodes swapped, "" with fewer than two."""
        names = self.asked.names
        return self.cursor.url(nodes=(names[1], names[0], *names[2:])) if len(names) > 1 else ""

    @property
    def offered(self) -> list[str]:
        """The nodes that the fields offer."""
        frame = self.attempt.frame
        if frame is None:
            return []
        order = frame.feasible[(-frame.totals[frame.feasible]).argsort(kind="stable")]
        rows = [*order.tolist(), *frame.refused.tolist()]
        return [frame.names[row] for row in rows[:OFFERED]]

    @property
    def movable(self) -> dict[str, object] | None:
        """What the script needs to move weights: the plugins' weights and the scores of all feasible nodes."""
        if self.weights is None or self.attempt.frame is None:
            return None
        return {
            "weights": self.weights.weights,
            "plugins": list(self.attempt.frame.frame.score_plugins),
            "nodes": self.weights.kinds(),
            "winner": self.attempt.cycle.winner if self.attempt.cycle else "",
        }

    @cached_property
    def outcome(self) -> PodOutcome | None:
        """How the pod ended, None while that is not known."""
        outcomes, selected = summary_of(self.page.run).outcomes, self.page.moment.selection
        return outcome_of(outcomes, selected.pod, selected.uid) if outcomes is not None and selected.pod else None

    @cached_property
    def alike(self) -> list[Alike]:
        """Other pods of the same owner that were bound after scoring, in order of their cycles."""
        outcomes, here = summary_of(self.page.run).outcomes, self.outcome
        if outcomes is None or here is None:
            return []
        pods = sorted(
            (pod for pod in outcomes.pods if pod.owner == here.owner and pod.node and pod.total >= 0),
            key=lambda pod: pod.cycle,
        )
        return [
            Alike(
                cycle=pod.cycle,
                pod=pod.pod.partition("/")[2],
                node=pod.node,
                ties=pod.ties,
                margin=pod.margin,
                url=rivals_url(self.cursor.slug, self.page.run.number, pod.cycle),
            )
            for pod in pods
        ]

    @property
    def shown_alike(self) -> list[Alike]:
        """Those nearest to this cycle."""
        at = next((i for i, one in enumerate(self.alike) if one.cycle == self.page.moment.selection.cycle), 0)
        first = max(min(at - SHOWN_ALIKE // 2, len(self.alike) - SHOWN_ALIKE), 0)
        return self.alike[first : first + SHOWN_ALIKE]

    @property
    def owner(self) -> str:
        """Return the title of the pod's owner: "web-*", "Deployment web"."""
        outcomes = summary_of(self.page.run).outcomes
        return outcomes.owners[self.outcome.owner].title if outcomes is not None and self.outcome is not None else ""
