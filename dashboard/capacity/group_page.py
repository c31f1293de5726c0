"""The answer to "which group": the sentence, what is proved of it, and what an autoscaler may not do."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dashboard.capacity.group_lines import BAR, GroupLine, NewNodeView
from dashboard.capacity.matrix import GroupMatrix
from dashboard.capacity.words import is_are, tail
from dashboard.common.pages.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.answering.capacity import GroupsAnswer
    from dashboard.capacity.choice import CapacityChoice
    from scheduler_core.capacity.adding import AddingAnswer

PROOF = {
    "fewest": "No mix of these groups has fewer nodes",
    "cheapest": "No mix of these groups is cheaper",
    "works": "A mix that works; one with fewer nodes may be there",
}


@dataclass(frozen=True)
class GroupPage:
    """The answer as the page shows it; `url` gives the address of the page with another choice."""

    answer: GroupsAnswer
    choice: CapacityChoice
    url: Callable[..., str]

    @property
    def adding(self) -> AddingAnswer:
        """The answer about all pods."""
        return self.answer.table.answer

    @cached_property
    def matrix(self) -> GroupMatrix:
        """The matrix."""
        return GroupMatrix(self.answer, self.choice, self.url)

    @cached_property
    def added(self) -> dict[str, int]:
        """{group: nodes} of the answer: the mix, or the one group that helps."""
        if self.adding.mix is not None:
            return self.adding.mix.nodes
        helping = {one.name: one.nodes for one in self.adding.groups if one.nodes}
        return helping if len(helping) == 1 and self.is_decided else {}

    @property
    def is_decided(self) -> bool:
        """Whether the answer about all pods is there; the matrix may still be filled."""
        return self.adding.in_time

    @property
    def n_nodes(self) -> int:
        """How many nodes the answer adds."""
        return sum(self.added.values())

    @property
    def n_run(self) -> int:
        """How many pods run with them."""
        return len({pod for one in self.adding.groups for pod in one.pods})

    @property
    def n_asked(self) -> int:
        """How many pods find no node."""
        return len(self.adding.asked)

    @property
    def n_gated(self) -> int:
        """How many pods wait for a gate."""
        return sum(len(row.pods) for row in self.answer.table.gated)

    @property
    def price(self) -> str:
        """What the nodes cost an hour, "" where that is not known."""
        prices = {one.name: one.price for one in self.answer.groups}
        costs = [price * count for name, count in self.added.items() if (price := prices[name]) is not None]
        return f"{sum(costs):g} an hour more" if costs and len(costs) == len(self.added) else ""

    @property
    def has_prices(self) -> bool:
        """Whether mixes can be compared by price."""
        return bool(self.answer.groups) and all(one.price is not None for one in self.answer.groups)

    @property
    def proof(self) -> str:
        """What is proved of the mix, "" where there is none."""
        return PROOF[self.adding.mix.proved] if self.adding.mix is not None else ""

    @property
    def progress(self) -> str:
        """How far the answer is."""
        table = self.answer.table
        return f"{table.done:,} of {plural(table.total, 'cell')} asked"

    @property
    def fewest_url(self) -> str:
        """The address of the mix with the fewest nodes."""
        return self.url(goal="", turn=0)

    @property
    def cheapest_url(self) -> str:
        """The address of the cheapest mix."""
        return self.url(goal="price", turn=0)

    # --- sentences --------------------------------------------------------------------------------------------------
    @property
    def tile(self) -> tuple[str, str, str]:
        """(figure, words, note) of the question's tile."""
        gated = f"{self.n_gated:,} more wait for a gate" if self.n_gated else ""
        if not self.n_asked and self.is_decided:
            return "no pod", "lacks a node", gated or "what waits finds a node"
        if not self.answer.groups:
            return "no group", "is known", "name a node that new ones are like"
        if self.n_nodes:
            numbers = ", ".join(f"{count:,} {name}" for name, count in self.added.items())
            return plural(self.n_nodes, "node"), f"for {self.n_run:,} of {plural(self.n_asked, 'pod')}", numbers
        if not self.is_decided:
            return (
                "trying",
                plural(self.n_asked, "pod"),
                f"{self.answer.table.done:,} of {self.answer.table.total:,} cells",
            )
        if self.n_run:
            return "no mix", f"found for {plural(self.n_run, 'pod')}", "each group alone is below"
        return "no group", f"helps {plural(self.n_asked, 'pod')}", gated or "each with its obstacle"

    @property
    def lead(self) -> str:
        """The answer in a sentence."""
        pods = f"the pod {self.choice.pod}" if self.choice.pod else f"{self.n_run:,} of {plural(self.n_asked, 'pod')}"
        if not self.is_decided:
            return f"{is_are(self.n_asked, 'pod')} tried with nodes of {plural(len(self.answer.groups), 'group')}."
        if not self.n_asked:
            return "What waits finds a node as it is: no node has to be added." + self._rest
        if not self.answer.groups:
            return f"No object and no label of a node names a pool whose nodes are known. {self._without}."
        if self.n_nodes:
            mix = ", ".join(f"{count:,} of {name}" for name, count in self.added.items())
            let = "lets" if self.n_nodes == 1 else "let"
            return f"{plural(self.n_nodes, 'node')} {let} {pods} run: {mix}.{self._rest}"
        if self.n_run:
            return f"Each of several groups lets some of {self.n_asked:,} pods run; no mix of them was found for all."
        return f"No node of these groups lets {'it' if self.choice.pod else 'any of them'} run. {self._without}."

    @property
    def _without(self) -> str:
        return f"{self.n_asked:,} pod{' finds' if self.n_asked == 1 else 's find'} no node"

    @property
    def _rest(self) -> str:
        lost = len(self.adding.unplaced)
        said = f" No group helps {plural(lost, 'pod')}." if lost else ""
        gated = self.n_gated
        return f"{said} {gated:,} more {'waits' if gated == 1 else 'wait'} for a gate." if gated else said

    # --- lists ------------------------------------------------------------------------------------------------------
    @cached_property
    def lines(self) -> list[GroupLine]:
        """The groups."""
        answers = {one.name: one for one in self.adding.groups}
        most = max(
            (max(one.maximum or 0, one.present + self.added.get(one.name, 0)) for one in self.answer.groups), default=1
        )
        chosen, heads = self.matrix.chosen, self.matrix.heads
        return [
            GroupLine(
                facts=one,
                answer=answers.get(one.name),
                added=self.added.get(one.name, 0),
                scale=BAR / max(most, 1),
                url=self.url(group=one.name, row=self._row),
                is_chosen=chosen is not None and heads[chosen[1]] == one.name,
            )
            for one in self.answer.groups
        ]

    @property
    def _row(self) -> str:
        chosen = self.matrix.chosen
        return self.answer.table.rows[chosen[0]].pods[0] if chosen is not None else ""

    @property
    def places(self) -> list[NewNodeView]:
        """The new nodes."""
        return [NewNodeView(one) for one in self.answer.table.places]

    @property
    def why_not(self) -> list[tuple[str, str]]:
        """(group or pods, what may keep an autoscaler from it)."""
        bounds = [(one.name, text) for one in self.adding.groups for text in one.bounds]
        gates = [(row.name, "waits for a gate: an autoscaler does not count it") for row in self.matrix.gated]
        return bounds + gates

    @property
    def unplaced(self) -> list[tuple[str, int]]:
        """(why, how many pods) of those that no group helps."""
        return Counter("; ".join(one.texts) or ", ".join(one.codes) for one in self.adding.unplaced).most_common()

    @property
    def words(self) -> list[tuple[str, list[str]]]:
        """(what the cluster's autoscaler said, of which pods)."""
        pods_of: dict[str, list[str]] = {}
        for pod, said in self.answer.words.items():
            pods_of.setdefault(said, []).append(tail(pod))
        return list(pods_of.items())
