"""Nodes side by side: the scores that each plugin gave them, or would have given them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace

from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Points, Trial, Trials
from scheduler_core.explain.facts import NodeFacts, Questions
from scheduler_core.explain.rivals.flips import best_rows
from scheduler_core.explain.rivals.inputs import inputs_among, score_inputs
from scheduler_core.explain.rivals.model import Lead, Rival, RivalRefusal, Rivalry
from scheduler_core.recording.events import NodesFiltered
from scheduler_core.recording.frames.frame import Frame

ONLY_ONE = "it was the only node that fitted, and with one feasible node kube-scheduler scores nothing"
NOMINATED = "the nominated node fitted, so nothing was scored"
NOT_REACHED = "the search had found enough nodes before it looked at this one"
NOT_BESIDE_NOMINATED = "the nominated node fitted, so no other was looked at"
ALONE = "it would have been the only node, and with one feasible node kube-scheduler scores nothing"
REPLACED = "extenders gave nodes of their own in place of the cluster's, and this one was not among them"
NOT_ON_TAPE = "what extenders would give it is unknown: the tape has no answer to that"
WHOLE = "the pod was rejected before any node was looked at"


def compare(
    trials: Trials, pod: str, nodes: Sequence[str], recorded: Frame | None = None, names: Sequence[str] = ()
) -> Rivalry:
    """The nodes compared for the pod, on the state that its cycle found. ``recorded``: the cycle's frame, with the node
    ``names`` by row; without it the attempt is what is compared, and ``is_computed``.

    Raises KeyError for a pod or node that the state does not have.
    """
    trial = trials.attempt(pod)
    scored = _Scored(recorded or trial.frame, list(names) if recorded is not None and names else list(trial.names))
    asked = _Asked(trials, trial, scored, tuple(nodes), is_recorded=recorded is not None)
    rivals = tuple(asked.rivals())
    leads = _leads(*rivals[:2]) if len(rivals) > 1 else ()
    return Rivalry(
        pod=pod,
        cycle=trial.cycle,
        winner=trial.node,
        tied=scored.tied() or trial.tied,
        n_scored=len(scored.rows),
        n_nodes=len(trial.row_of),
        rivals=rivals,
        leads=leads,
        lead=sum(one.points for one in leads) if leads else None,
        without=scored.deciding(),
    )


def _leads(first: Rival, second: Rival) -> tuple[Lead, ...]:
    """By plugin; one that scored nothing in one of two attempts gave 0 there. Empty where one was not scored."""
    if not first.points or not second.points:
        return ()
    of_first, of_second = ({one.plugin: one.weighted for one in rival.points} for rival in (first, second))
    plugins = dict.fromkeys([*of_first, *of_second])
    return tuple(Lead(name, of_first.get(name, 0) - of_second.get(name, 0)) for name in plugins)


class _Scored:
    """The scored nodes of a frame; none where there is no frame."""

    def __init__(self, frame: Frame | None, names: list[str]) -> None:
        self.frame, self.names = frame, names
        self.row_of = {name: row for row, name in enumerate(names) if name}
        has_scores = frame is not None and bool(frame.score_plugins)
        self.rows = frame.feasible() if frame is not None and has_scores else np.zeros(0, dtype=np.int64)
        self.norms = [frame.normalized(i) for i in range(len(frame.score_plugins))] if frame is not None else []
        self.totals = frame.totals() if frame is not None else np.zeros(0, dtype=np.int64)
        self._scored = set(self.rows.tolist())

    def has(self, node: str) -> bool:
        """Whether the node was scored."""
        return self.row_of.get(node, -1) in self._scored

    def points(self, row: int) -> tuple[Points, ...]:
        """What each plugin gave the row."""
        frame = self.frame
        assert frame is not None
        return tuple(
            Points(plugin, int(frame.raw[i, row]), int(self.norms[i][row]), frame.weights[i])
            for i, plugin in enumerate(frame.score_plugins)
        )

    def rank(self, total: int) -> int:
        """The rank of a total among the scored nodes."""
        return 1 + int((self.totals[self.rows] > total).sum())

    def tied(self) -> tuple[str, ...]:
        """Names of the nodes with the best total."""
        return tuple(sorted(self.names[row] for row in best_rows(self.totals, self.rows))) if len(self.rows) else ()

    def deciding(self) -> tuple[str, ...]:
        """Plugins without which others would have the best total."""
        if len(self.rows) < 2 or self.frame is None:
            return ()
        best, plugins = best_rows(self.totals, self.rows), list[str]()
        for i, plugin in enumerate(self.frame.score_plugins):
            without = self.totals - self.frame.weights[i] * self.norms[i]
            if best_rows(without, self.rows) != best:
                plugins.append(plugin)
        return tuple(plugins)


class _Asked:
    """The nodes that are compared, each as it stands in the cycle or would have stood."""

    def __init__(
        self, trials: Trials, trial: Trial, scored: _Scored, nodes: tuple[str, ...], is_recorded: bool
    ) -> None:
        self._trials, self._trial, self._scored, self._nodes = trials, trial, scored, nodes
        self._is_recorded = is_recorded
        unknown = [name for name in nodes if name not in trial.row_of]
        if unknown:
            raise KeyError(unknown[0])
        simulation, key = trials.simulation, trial.pod.key
        questions = Questions(simulation, key, scored.frame)
        self._facts = {one.node: one for one in questions.about(dict.fromkeys(nodes))}
        missed = [name for name, one in self._facts.items() if _is_missed(one)]
        # A node that the cycle did not look at has no recorded verdicts; it is asked now.
        self._now = {one.node: one for one in Questions(simulation, key).about(missed)} if missed else {}
        self._admitted = dict[tuple[str, ...], Trial]()

    def rivals(self) -> Iterable[Rival]:
        """Each node, in the order asked for."""
        return (self._scored_one(name) if self._scored.has(name) else self._other(name) for name in self._nodes)

    def _scored_one(self, name: str) -> Rival:
        row = self._scored.row_of[name]
        total = int(self._scored.totals[row])
        return Rival(
            node=name,
            total=total,
            rank=self._scored.rank(total),
            of=len(self._scored.rows),
            points=self._scored.points(row),
            inputs=tuple(score_inputs(one) for one in self._facts[name].scores),
            is_computed=not self._is_recorded,
            difference=self._difference(name),
        )

    def _difference(self, name: str) -> str:
        differences = [f"{one.plugin}: {one.difference}" for one in self._facts[name].filters if one.difference]
        return "; ".join(differences) if self._is_recorded else ""

    def _other(self, name: str) -> Rival:
        """A node that the cycle did not score: refused, not looked at, or the only one that fitted."""
        facts = self._now.get(name, self._facts[name])
        refusals = tuple(RivalRefusal(one.plugin, one.reasons, one.text) for one in facts.refusing)
        looked_at = name not in self._now
        unknown = "" if refusals and looked_at else self._why_not_scored(looked_at)
        rival = Rival(
            name, None, 0, refusals=refusals, looked_at=looked_at, unknown=unknown, difference=self._difference(name)
        )
        return self._as_if(rival)

    def _why_not_scored(self, looked_at: bool) -> str:
        filtered = next((event for event in self._trial.events if isinstance(event, NodesFiltered)), None)
        if filtered is not None and filtered.nominated_only:
            return NOMINATED if looked_at else NOT_BESIDE_NOMINATED
        return ONLY_ONE if looked_at else NOT_REACHED

    def _as_if(self, rival: Rival) -> Rival:
        """With what the node would have had: it alone is let through, or, where no other one fits or it is the only one
        that does, all that are compared."""
        name, key = rival.node, self._trial.pod.key
        is_only = self._trial.fits(name)
        admitted = tuple(other for other in self._nodes if other != name) if is_only else (name,)
        attempt = self._attempt(admitted)
        is_together = attempt.scores is None and not is_only
        if is_together:
            attempt = self._attempt(self._nodes)
        total = attempt.total(name) if attempt.scores is not None else None
        if total is None or attempt.unanswered.any:
            cannot = _why_nothing_scores(attempt)
            why = f"{rival.unknown}; {cannot}" if rival.unknown else cannot
            return rival if is_only else replace(rival, unknown=why)
        points = tuple(attempt.points(name))
        assert attempt.scores is not None
        rows = attempt.scores.rows
        return replace(
            rival,
            total=total,
            rank=1 + int((attempt.scores.totals[rows] > total).sum()),
            of=len(rows),
            points=points,
            inputs=inputs_among(self._trials, key, name, rows, tuple(one.plugin for one in points)),
            is_computed=True,
            is_together=is_together,
            beside=self._beside(attempt, name),
        )

    def _attempt(self, admitted: tuple[str, ...]) -> Trial:
        if admitted not in self._admitted:
            self._admitted[admitted] = self._trials.attempt(self._trial.pod.key, Changes(admitted=admitted))
        return self._admitted[admitted]

    def _beside(self, attempt: Trial, name: str) -> int | None:
        """The first node's total in the attempt, where it is not the recorded one."""
        first = self._nodes[0]
        if first == name or not self._scored.has(first):
            return None
        total = attempt.total(first)
        return None if total == int(self._scored.totals[self._scored.row_of[first]]) else total


def _why_nothing_scores(attempt: Trial) -> str:
    """Why a node has no scores in the attempt that lets it through."""
    extended = attempt.outcome.extended if attempt.outcome is not None else None
    if attempt.unanswered.any:
        return NOT_ON_TAPE
    if attempt.refused_whole is not None:
        return WHOLE
    if extended is not None and extended.replaced is not None:
        return REPLACED
    return attempt.failure or ALONE


def _is_missed(facts: NodeFacts) -> bool:
    """Whether the cycle did not look at the node, though nothing rejected the pod as a whole."""
    said = {one.verdict for one in facts.filters}
    return "not asked" in said and not facts.refusing
