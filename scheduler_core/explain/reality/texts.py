"""Reality in words, the same on pages and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from scheduler_core.explain.agreement.model import PendingStanding, Standing
from scheduler_core.explain.agreement.texts import PENDING, STANDINGS
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.explain.reality.model import Apart, Cause, CauseTest, FreeRunDivergence, HeldDecision, Reality
from scheduler_core.versions.trains import VersionError, find_train, is_outside

SAME_NODE, AMONG_BEST, EQUAL_MESSAGE, OTHER_TEXT, NOT_COMPARABLE = (
    "same node", "among our best", "message equal", "other text", "not comparable",
)  # fmt: skip
CAUSE_TITLES: dict[Cause, str] = {
    "version": "Version",
    "configuration": "Configuration",
    "missing kind": "Missing kind",
    "chance": "Chance",
    "order": "Order of arrivals",
    "gap": "Gap",
    "no cause found": "No cause found",
}
APART: dict[Apart, str] = {
    "static": "a kubelet runs it, no scheduler placed it",
    "other_scheduler": "no profile of the configuration has its schedulerName",
    "no_node": "its node was not collected",
    "gap": "inside a gap of the collection",
    "clocks": "clocks: only its event tells of it, and nothing but the event's own time says when it was",
    "came_bound": "it was never seen without its node",
    "unread": "its object was not collected before, or cannot be read",
    "gated": "it has scheduling gates by its object",
    "undecided": "our attempt failed with an error",
}
_NOMINATION = "nomination_differs"


def word(one: HeldDecision) -> str:
    """The verdict in a word or two; a difference by its cause."""
    if one.verdict == "not_comparable":
        return NOT_COMPARABLE
    if one.verdict == "differ":
        return one.cause or "differs"
    if one.what == "message":
        return EQUAL_MESSAGE
    return AMONG_BEST if one.verdict == "chance" else SAME_NODE


def headline(one: HeldDecision) -> str:
    """What the real scheduler did and what ours does, in a sentence."""
    if one.verdict == "not_comparable":
        return f"Not comparable: {APART[one.apart]}." if one.apart else "Not comparable."
    if one.what == "message":
        return _of_message(one)
    if one.verdict == "agree":
        return f"Both take {one.node}."
    if one.standing == "tied":
        return f"The real scheduler took {one.node}, one of {one.n_best:,} nodes with our best total."
    ours = one.ours[0] if one.ours else ""
    if one.standing == "refused":
        said = f"ours takes {ours} and refuses that node" if ours else "ours refuses every node"
        return f"The real scheduler took {one.node}, {said}: {_because(one)}."
    return f"The real scheduler took {one.node}, ours takes {ours}: {_because(one)}."


def _of_message(one: HeldDecision) -> str:
    if one.agrees_in_all:
        again = f" It came {plural(one.repeats, 'more time')}." if one.repeats else ""
        chosen = f" Both nominate {one.real_nominated}." if one.real_nominated else ""
        return f"Both find no node, for the same reasons.{chosen}{again}"
    if one.standing == _NOMINATION:
        real = one.real_nominated or "no node"
        return (
            f"Both find no node; the real scheduler nominates {real}, ours {one.nominated or 'none'}: {_because(one)}."
        )
    if one.ours:
        return f"The real scheduler found no node, ours takes {one.ours[0]}: {_because(one)}."
    said = PENDING.get(_pending(one.standing), "they differ")
    return f"Both find no node; of the messages, {said}: {_because(one)}."


def _because(one: HeldDecision) -> str:
    named = next((test for test in one.tests if test.cause == one.cause), None)
    if one.cause in ("", "no cause found") or named is None:
        return one.cause or "its causes were not tried"
    if one.cause == "version":
        return f"by the rules of {named.subject.split()[0]}, which the cluster had then"
    return f"{one.cause}, {named.result or named.subject}"


def standing_words(one: HeldDecision) -> str:
    """Where the real decision ranks in ours."""
    if one.standing == _NOMINATION:
        return "nomination differs"
    if one.what == "message":
        return PENDING.get(_pending(one.standing), one.standing)
    return STANDINGS.get(_bound(one.standing), one.standing)


def _pending(standing: str) -> PendingStanding:
    return standing  # type: ignore[return-value]


def _bound(standing: str) -> Standing:
    return standing  # type: ignore[return-value]


def test_words(test: CauseTest) -> str:
    """One line for a cause that was looked at."""
    parts = [part for part in (test.subject, test.result) if part]
    tried = " (tried)" if test.tested else ""
    return f"{CAUSE_TITLES[test.cause]}: {'; '.join(parts) or 'nothing to look at'}{tried}"


def divergence_text(one: FreeRunDivergence | None, free_run: str) -> str:
    """Where a free run leaves the real history."""
    if free_run:
        return f"No free run: {free_run}."
    if one is None:
        return "A free run from the beginning places every pod as the real scheduler did."
    same = f"after {plural(one.number, 'equal placement')}"
    if not one.ours:
        return f"{one.pod}: really on {one.real}, and still pending in a free run, {same}."
    drawn = f" It was drawn among {one.tied:,} nodes with the best total." if one.tied > 1 else ""
    real = f"really on {one.real}" if one.real else "really without a node"
    return f"{one.pod}: {real}, on {one.ours} in a free run at cycle {one.cycle:,}, {same}.{drawn}"


def _of_version(figures: Reality) -> str:
    """What is not certain about the version that is followed, "" for nothing."""
    train, real = find_train(figures.follows), None
    with suppress(VersionError):
        real = find_train(figures.server_version)
    if real is None:
        return f"The cluster's version is not known; the rules of {train.label} are followed."
    outside = "" if figures.follows != figures.server_version else is_outside(figures.follows)
    if outside:
        return f"The cluster has {figures.server_version}; the nearest rules that are known are those of {train.label}."
    if real != train:
        return f"The cluster has {figures.server_version}; the rules of {figures.follows} are followed, as asked for."
    return "" if train.is_measured else f"The rules of {train.label} are {train.evidence}, not from recorded decisions."


def unknowns(figures: Reality) -> Iterator[tuple[str, str]]:
    """(subject, sentence) of what the comparison cannot know."""
    if said := _of_version(figures):
        yield "Version", said
    if figures.n_untested:
        yield "Causes", f"Of {figures.n_untested:,} more differing decisions no causes were tried."
    for problem in figures.problems[:5]:
        yield "Not read", problem
    if figures.n_problems > 5:
        yield "Not read", f"{figures.n_problems - 5:,} more objects"
