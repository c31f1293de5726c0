"""Why the selected pod stands as it does: who refused it, over all its attempts, and what changed between them."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from dashboard.answers.panel import AnswerPanel
from dashboard.answers.questions import NoPreemption, RemediesOf, RoomTaken
from dashboard.debugger.attempt import InspectedAttempt
from dashboard.debugger.inputs.grouping import grouping_of
from dashboard.debugger.inputs.node_usage import layout_at
from dashboard.debugger.panels.asks import RequestedResource, asks_of
from dashboard.debugger.panels.why.attempts import AttemptLog, attempt_log
from dashboard.debugger.panels.why.dominant import Because, because, headline, over_attempts, reason_of
from dashboard.debugger.panels.why.no_preemption import NoPreemptionList, no_preemption_list
from dashboard.debugger.panels.why.refused_groups import SHOWN_GROUPS, RefusedGroup, Terms, refused_groups
from dashboard.debugger.panels.why.remedies import RemedyList, remedy_list
from dashboard.debugger.panels.why.room_taken import RoomList, room_list
from dashboard.debugger.panels.why.shared_labels import LabelColumns, label_columns, unknown
from dashboard.runs import queries as run_queries


class ExplainedAttempt(InspectedAttempt):
    """What is said of the attempt in words, each part computed on first use."""

    @property
    def asks(self) -> list[RequestedResource]:
        """What the selected pod requests, also where it was not tried yet."""
        if self.cycle is None and self.facts and self.selection.pod:
            return asks_of(self.facts.pod(self.selection.pod, self.state))
        return asks_of(self.pod)

    @cached_property
    def history(self) -> run_queries.PodHistory | None:
        """Everything that happened to the selected pod."""
        selected = self.selection
        return run_queries.pod_history(self.run, selected.pod, selected.uid) if selected.pod else None

    @cached_property
    def attempt_log(self) -> AttemptLog | None:
        """The pod's attempts with what changed between them, None for a pod without one."""
        if self.history is None or not self.history.cycles:
            return None
        return attempt_log(self.run, self.history, self.selection.cycle)

    @cached_property
    def labels(self) -> LabelColumns | None:
        """The labels of the nodes as the cycle found them, None while they are being read."""
        if self.facts is None:
            return None
        facts, state = self.facts, self.before
        layout, first = layout_at(facts, state), grouping_of(facts, state, self.pod).label
        key = (layout.nodes, facts.node_versions(state.at), "labels", first)
        found: LabelColumns = facts.groupings.get(key, lambda: label_columns(layout, first))
        return found

    @cached_property
    def refused_groups(self) -> list[RefusedGroup]:
        """Who refused, by reason and by what the nodes have in common."""
        if self.frame is None or not len(self.frame.refused):
            return []
        common = self.labels.common if self.labels else unknown
        return refused_groups(self.frame, Terms(self.missing, common, self.pod.selector if self.pod else ""))

    @property
    def shown_groups(self) -> list[RefusedGroup]:
        """The largest of the groups."""
        return self.refused_groups[:SHOWN_GROUPS]

    @cached_property
    def because(self) -> Because | None:
        """The answer for a pod that every node refused."""
        groups, frame = self.refused_groups, self.frame
        if not groups or frame is None:
            return None
        selector = self.pod.selector if self.pod else ""
        title = headline(groups, len(frame.refused), self._where)
        return because(title, self.asks, groups, selector, self._over_attempts)

    @property
    def remedies_url(self) -> str:
        """Where the part of the page is that says what would let the pod fit; "" where no node was looked for.

        The page itself does not ask: trying changes takes long, and most moments are only passed.
        """
        return self.asking.address("remedies") if self._is_refused else ""

    @property
    def _is_refused(self) -> bool:
        return self.cycle is not None and self.cycle.row.outcome == "unschedulable" and self.cycle.is_done

    @cached_property
    def remedies(self) -> AnswerPanel | None:
        """The question what would let the pod fit, asked of an answer worker."""
        if self.cycle is None or not self._is_refused:
            return None
        return AnswerPanel.of(self.asking, RemediesOf(self.cycle.row.number))

    @cached_property
    def remedy_list(self) -> RemedyList | None:
        """What came of it, None before the answer is there."""
        found = self.remedies.answer if self.remedies else None
        return None if found is None else remedy_list(found.value, found.seconds)

    @property
    def no_preemption_url(self) -> str:
        """Where the part is that says why preemption did not help; "" where it helped or was not tried."""
        return self.asking.address("no-preemption") if self._is_in_vain else ""

    @property
    def _is_in_vain(self) -> bool:
        decided = self.cycle.preemption if self.cycle else None
        return self._is_refused and decided is not None and not decided.nominated_node

    @cached_property
    def no_preemption(self) -> AnswerPanel | None:
        """The question why preemption did not help, asked of an answer worker."""
        if self.cycle is None or not self._is_in_vain:
            return None
        return AnswerPanel.of(self.asking, NoPreemption(self.cycle.row.number))

    @cached_property
    def no_preemption_list(self) -> NoPreemptionList | None:
        """What came of it, None before the answer is there."""
        found = self.no_preemption.answer if self.no_preemption else None
        return None if found is None else no_preemption_list(found.value)

    @property
    def room_url(self) -> str:
        """Where the part is that says who took the room; "" where it is not room that is short."""
        return self.asking.address("room") if self._is_refused and self._short_resource else ""

    @property
    def _short_resource(self) -> str:
        """The resource that most nodes lack, "" where none is short."""
        counts = Counter[str]()
        for group in self.refused_groups:
            counts[group.resource] += group.count if group.resource else 0
        return counts.most_common(1)[0][0] if counts else ""

    @cached_property
    def room(self) -> AnswerPanel | None:
        """The question who took the room, asked of an answer worker."""
        if self.cycle is None or not self.room_url:
            return None
        return AnswerPanel.of(self.asking, RoomTaken(self.cycle.row.number))

    @cached_property
    def room_list(self) -> RoomList | None:
        """What came of it, None before the answer is there."""
        found = self.room.answer if self.room else None
        return None if found is None else room_list(found.value, self._short_resource)

    @property
    def _where(self) -> str:
        """What names the nodes that the pod's selector leaves it: "T4", "" where no label does."""
        if self.frame is None or self.labels is None:
            return ""
        outside = {name for group in self.refused_groups if group.plugin == "NodeAffinity" for name in group.all_names}
        if not outside:
            return ""
        names = self.frame.array[self.frame.refused].tolist()
        return self.labels.common([name for name in names if name not in outside]).partition("=")[2]

    @property
    def _over_attempts(self) -> str:
        cycles = self.history.cycles if self.history else []
        failed = [cycle.number for cycle in cycles if cycle.outcome == "unschedulable"]
        verdicts = run_queries.verdicts_among(self.run, failed)
        return over_attempts([reason_of(found) for found in verdicts.values()])
