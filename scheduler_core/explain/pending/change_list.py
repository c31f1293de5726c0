"""Several changes tried together: what one attempt of a pod decides where a branch begins with all of them.

Entries are made one after the other to a state of their own, as the first steps of the branch will make them, so that
each sees what those before it left: a request lowered by the first and a toleration added by the second are one pod
with both. An entry is what a remedy or a reader's own change says in words (`texts`), or changes as a branch takes
them (`changes`). A remedy that was tried alone gives whole objects, which would take back what an earlier entry did to
the same object; there its texts, which name single values, are made instead.

The cost is that of restoring the state and of one attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from scheduler_core.api.objects import KINDS
from scheduler_core.engine.branches.branching import BranchError, carry_out
from scheduler_core.engine.branches.whole_objects import WholeObjectChange
from scheduler_core.engine.inputs import InputChange
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.prospects import find_prospect
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.pending.own_change import ChangeProblem, object_change, own_change
from scheduler_core.profiles.plugin_sets import ProfileError


class ListEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of a list of changes: in words, as inputs of a branch, or both for the same change."""

    texts: tuple[str, ...] = ()
    changes: tuple[InputChange, ...] = ()


class EntryMade(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an entry: why it could not be made, "" if it was, and the whole objects that a branch gets for
    its words."""

    problem: str = ""
    objects: tuple[WholeObjectChange, ...] = ()


class TriedTogether(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt decides with all entries: as in `Trial`, beside how many nodes fitted without them.

    ``problem``: why there was no attempt: the pod is not there, or waits no more; "" if there was one.
    """

    entries: tuple[EntryMade, ...] = ()
    problem: str = ""
    n_nodes: int = 0
    n_fit: int = 0
    n_fit_before: int = 0
    node: str = ""
    failure: str = ""
    gated: str = ""
    nominated: str = ""
    victims: tuple[str, ...] = ()
    unanswered: str = ""

    @property
    def can_be_made(self) -> bool:
        """Whether every entry could be made."""
        return not any(one.problem for one in self.entries)


def try_together(simulation: Simulation, now: int, pod: str, entries: Iterable[ListEntry]) -> TriedTogether:
    """Make the entries to a simulation at the beginning of a branch, which is used up, and try ``pod`` at virtual time
    ``now`` ("" for no attempt)."""
    before, touched = Trials(simulation, now), set[tuple[str, str]]()
    n_fit_before = len(before.attempt(pod).feasible) if before.knows(pod) else 0
    made = tuple([_make(before, pod, entry, touched) for entry in entries])
    tried = TriedTogether(entries=made, n_fit_before=n_fit_before)
    return _with_attempt(tried, Trials(simulation, now), pod) if pod else tried


def _with_attempt(tried: TriedTogether, trials: Trials, pod: str) -> TriedTogether:
    if not trials.knows(pod) or trials.simulation.world.pods[pod].node_name:
        return msgspec.structs.replace(tried, problem=f"With these changes {pod} does not wait.")
    try:
        trial = trials.attempt(pod)
    except KeyError:
        return msgspec.structs.replace(tried, problem=f"With these changes no profile is there for {pod}.")
    prospect, decided = find_prospect(trials, trial, UNCHANGED, by_preemption=True), trial.preemption
    return msgspec.structs.replace(
        tried,
        n_nodes=trials.simulation.context.cluster.n_nodes,
        n_fit=len(trial.feasible),
        node="" if prospect.failure else trial.node,
        failure=prospect.failure or trial.failure,
        gated=trial.gated.message if trial.gated is not None else "",
        nominated=trial.nominated or "",
        victims=decided.chosen.victims if decided is not None and decided.chosen is not None else (),
        unanswered=prospect.unanswered,
    )


def _make(trials: Trials, pod: str, entry: ListEntry, touched: set[tuple[str, str]]) -> EntryMade:
    """Make an entry; ``touched`` has kind and key of the objects that entries changed so far."""
    names = {name for change in entry.changes if (name := _name(change)) is not None}
    in_words = bool(entry.texts) and (not entry.changes or bool(names & touched))
    try:
        if in_words:
            return EntryMade(objects=tuple(_made_in_words(trials, pod, entry.texts, touched)))
        carry_out(trials.simulation, entry.changes)
    except (ChangeProblem, BranchError, ProfileError) as problem:
        return EntryMade(problem=f"{problem}")
    touched |= names
    return EntryMade(objects=tuple(map(_as_whole, entry.changes)) if entry.texts else ())


def _as_whole(change: InputChange) -> WholeObjectChange:
    return WholeObjectChange.of("put" if change.action == "put" else "delete", change.object)


def _made_in_words(
    trials: Trials, pod: str, texts: Sequence[str], touched: set[tuple[str, str]]
) -> Iterator[WholeObjectChange]:
    for text in texts:
        try:
            change = object_change(trials, pod, own_change(text))
        except KeyError:
            raise ChangeProblem("", f"{pod or 'no pod'} waits here, so it is not known what is changed") from None
        made = change.at(0)
        carry_out(trials.simulation, [made])
        if (name := _name(made)) is not None:
            touched.add(name)
        yield change


def _name(change: InputChange) -> tuple[str, str] | None:
    """Kind and key of the object that is changed, None for settings."""
    kind = type(change.object).__name__
    return (kind, getattr(change.object, "key", change.object.name)) if kind in KINDS else None
