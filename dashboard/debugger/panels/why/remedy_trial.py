"""One remedy tried at the cursor, shown below its row: what the engine decides with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import duration, grouped, plural
from dashboard.debugger.labels import listed, split_key

if TYPE_CHECKING:
    from scheduler_core.explain.remedies.model import ProposedEdit, Remedy
    from scheduler_core.explain.remedies.single import RemedyTrial

SHOWN_NAMES = 3
SHOWN_EDITS = 4
THERE = "there"


@dataclass(frozen=True)
class TrialFigure:
    """One figure of the outcome: what it is, its value, and what is to be said of it."""

    label: str
    value: str
    sub: str


@dataclass(frozen=True)
class EditRow:
    """One edit: what is changed, on which object, and in `text` how: "4 -> 2", "+ gpu:NoSchedule", "- zone"."""

    subject: str
    text: str


@dataclass(frozen=True)
class TrialBlock:
    """What came of it: `title` says it, `meaning` and `glyph` are those of the outcome, `took` is the attempt's time.

    `node` is where the pod would go, or where preemption would make room; "" where the remedy does not help. `edits`
    are each said once, though they may be several operations.
    """

    meaning: str
    glyph: str
    title: str
    took: str
    node: str
    figures: tuple[TrialFigure, ...]
    edits: tuple[EditRow, ...]
    more_edits: int


def trial_block(trial: RemedyTrial) -> TrialBlock:
    """Return what the page shows of a trial; one without a remedy says that there is none."""
    name, remedy = split_key(trial.pod)[1], trial.remedy
    if remedy is None:
        title = "This change is not made up for this state, or not in time: nothing was tried."
        return TrialBlock("unsched", "alert", title, "", "", (), (), 0)
    edits = tuple(dict.fromkeys(EditRow(_subject(one, name), _edit_text(one)) for one in remedy.edits))
    meaning, glyph, title = _title(name, remedy)
    return TrialBlock(
        meaning=meaning,
        glyph=glyph,
        title=title,
        took=duration(remedy.seconds),
        node=remedy.node,
        figures=(_fit(trial, remedy), _total(trial, remedy), _evictions(remedy)),
        edits=edits[:SHOWN_EDITS],
        more_edits=max(0, len(edits) - SHOWN_EDITS),
    )


def _title(name: str, remedy: Remedy) -> tuple[str, str, str]:
    if not remedy.node and remedy.unanswered:
        return "backoff", "alert", f"Unknown: the tape has no answer to {remedy.unanswered}."
    if not remedy.node:
        return "unsched", "x", f"It does not fit: {remedy.failure}"
    if not remedy.n_fit:
        return "nomin", "diamond", f"No node has room, but preemption makes it on {remedy.node}."
    if remedy.unanswered:
        return (
            "bound",
            "check",
            f"It fits. Where it would go is unknown: the tape has no answer to {remedy.unanswered}.",
        )
    return "bound", "check", f"It fits. {name} would go to {remedy.node}."


def _fit(trial: RemedyTrial, remedy: Remedy) -> TrialFigure:
    change = f"{grouped(trial.n_fit_before)} \N{RIGHTWARDS ARROW} {grouped(remedy.n_fit)}"
    return TrialFigure("nodes that fit", change, f"of {grouped(trial.n_nodes)}")


def _total(trial: RemedyTrial, remedy: Remedy) -> TrialFigure:
    if trial.chosen is None:
        return TrialFigure("total", "none", "one node fits: not scored" if remedy.n_fit == 1 else "no node to score")
    value = f"{grouped(trial.chosen.total)} of {grouped(trial.most)}"
    if remedy.tied > 1:
        return TrialFigure("total", value, f"drawn from {grouped(remedy.tied)} equals")
    if trial.next is None:
        return TrialFigure("total", value, "no other node fits")
    return TrialFigure("total", value, f"next: {trial.next.node} with {grouped(trial.next.total)}")


def _evictions(remedy: Remedy) -> TrialFigure:
    if not remedy.victims:
        return TrialFigure("evictions", "none", "no preemption needed")
    names = [split_key(pod)[1] for pod in remedy.victims]
    shown = listed(names) if len(names) <= SHOWN_NAMES else f"{', '.join(names[:SHOWN_NAMES])} and others"
    if remedy.budgets:
        shown += f"; against budget {listed(list(remedy.budgets))}"
    return TrialFigure("evictions", plural(len(names), "pod"), shown)


def _edit_text(edit: ProposedEdit) -> str:
    """How a value changes; "there" stands for a value without text."""
    if edit.before == THERE:
        return edit.after or "dropped"
    if edit.before and edit.after:
        return f"{edit.before} \N{RIGHTWARDS ARROW} {edit.after}"
    return f"+ {edit.after}" if edit.after else f"\N{MINUS SIGN} {edit.before}" if edit.before else ""


def _subject(edit: ProposedEdit, pod: str) -> str:
    what = edit.subject if edit.subject == edit.kind else f"{edit.kind} {edit.subject}".strip()
    return f"{what} of {edit.node or pod}"
