"""The remedies for a pod that the engine tried, with their outcomes: by reading of the cause, and who can do them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.common.pages.numbers import duration, grouped, plural
from dashboard.debugger.labels import listed, split_key
from dashboard.debugger.panels.why.causes.letters import Letter, Lettering
from scheduler_core.explain.diagnosis.model import readings
from scheduler_core.explain.remedies import model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from scheduler_core.explain.diagnosis.model import Diagnosis
    from scheduler_core.explain.remedies.model import ProposedEdit, Remedies, Remedy

# At most this many are listed.
SHOWN = 12
SHOWN_NAMES = 3
OTHER_READINGS = "Other readings"


@dataclass(frozen=True)
class RemedyRow:
    """One change: `text` says it, `sub` on which nodes and what the engine then chose, `effect` where the pod goes.

    `code` is its published kind, `letters` are the obstacles that it removes, `assumed` is what trying it took for
    granted. `word` is "verified" only where the pod was then bound. `try_url` shows all that the engine decides.
    """

    text: str
    code: str
    actor: str
    glyph_of_actor: str
    letters: tuple[Letter, ...]
    edits: tuple[EditLine, ...]
    sub: str
    effect: str
    fits: str
    meaning: str
    word: str
    glyph: str
    assumed: str
    reading: int
    try_url: str

    @property
    def outcome(self) -> str:
        """Return what trying it came to, with what was assumed for it: "tried, bound on w1"."""
        if self.assumed:
            return f"with {self.assumed}: {self.effect}"
        return f"tried, {self.effect}" if self.word == "verified" else self.effect


@dataclass(frozen=True)
class RemedyGroup:
    """The remedies of the cause that one actor can carry out, or those of all other readings."""

    title: str
    glyph: str
    rows: tuple[RemedyRow, ...]


@dataclass(frozen=True)
class RemedyList:
    """The answer: `best` is the first change that the engine verified, None if there is none.

    `fits`: the pod fits without a change; `note` is a remark on the search, `more` the number of unlisted remedies.
    """

    fits: bool
    best: RemedyRow | None
    groups: tuple[RemedyGroup, ...]
    more: int
    note: str
    took: str

    @property
    def rows(self) -> list[RemedyRow]:
        """Return all rows in their order."""
        return [row for group in self.groups for row in group.rows]


def remedy_list(
    answer: Remedies,
    seconds: float,
    try_url: str,
    diagnosis: Diagnosis | None = None,
    *,
    has_tape: bool = False,
    goal: str = "lets it fit",
) -> RemedyList:
    """Return the rows of verified changes, then of those of which the tape does not know what extenders would say;
    changes that did not help are only counted, but for those that a whole run tried.

    `try_url` shows the trial of the remedy named in its query, "" where none can be tried there; the obstacles that
    each removes have the letters of the `diagnosis`. `has_tape` says that extenders are answered by a tape, `goal` what
    a change would do that is looked for.
    """
    in_vain = [one for one in answer.not_enough if one.then]
    listed_ones = [*answer.verified, *answer.unknown, *in_vain]
    letters = _Letters(diagnosis)
    rows = [_row(one, try_url, letters) for one in listed_ones[:SHOWN]]
    return RemedyList(
        fits=answer.fits,
        best=rows[0] if answer.verified else None,
        groups=_groups(rows),
        more=len(listed_ones) - len(rows),
        note=_note(answer, len(answer.not_enough) - len(in_vain), goal, has_tape=has_tape),
        took=duration(seconds),
    )


class _Letters:
    """The letters that a remedy has: those of the reading that it removes, of equal ones that which opens its node."""

    def __init__(self, diagnosis: Diagnosis | None) -> None:
        self._diagnosis = diagnosis
        self._letters = None if diagnosis is None else Lettering(diagnosis)

    def of(self, remedy: Remedy) -> tuple[Letter, ...]:
        if self._diagnosis is None or self._letters is None:
            return ()
        cause = self._diagnosis.cause
        all_readings = readings(cause)
        several = (cause, *cause.either) if not remedy.reading else all_readings[remedy.reading : remedy.reading + 1]
        opening = [one for one in several if remedy.node in one.opens.names] or several[:1]
        return self._letters.of(obstacle.key for one in opening[:1] for obstacle in one.obstacles)


def _groups(rows: Sequence[RemedyRow]) -> tuple[RemedyGroup, ...]:
    made = [
        RemedyGroup(actor.capitalize(), rows_of_actor[0].glyph_of_actor, tuple(rows_of_actor))
        for actor, several in groupby((row for row in rows if row.reading == 0), key=_actor)
        if (rows_of_actor := list(several))
    ]
    others = tuple(row for row in rows if row.reading)
    return (*made, RemedyGroup(OTHER_READINGS, "branch", others)) if others else tuple(made)


def _actor(row: RemedyRow) -> str:
    return row.actor


def _note(answer: Remedies, unlisted: int, goal: str, *, has_tape: bool) -> str:
    parts = []
    if answer.left_to:
        return f"None was tried: {answer.left_to}."
    if answer.unanswered:
        parts.append(f"Whether it fits as it is, is unknown: the tape has no answer to {answer.unanswered}.")
    if not answer.verified and answer.unknown:
        parts.append("No change is known to let it fit.")
    elif not answer.verified and not answer.fits:
        subject = "No change that was tried" if answer.not_tried else "No change that is known of here"
        parts.append(f"{subject} {goal}.")
    if unlisted:
        parts.append(f"{plural(unlisted, 'other change was', 'other changes were')} tried in vain.")
    if not answer.in_time:
        parts.append(f"The time ended before {plural(len(answer.not_tried), 'more change')} could be tried.")
    elif answer.not_tried:
        parts.append(f"{plural(len(answer.not_tried), 'larger change was', 'larger changes were')} not tried.")
    if answer.unknown:
        parts.append(
            f"Whether {plural(len(answer.unknown), 'change')} would be enough is unknown:"
            " the tape has no answer to what extenders would be asked."
        )
    if has_tape and answer.verified:
        parts.append("The tape answers as the extenders did while it was recorded: they do not know of a change.")
    return " ".join(parts)


def _row(one: Remedy, try_url: str, letters: _Letters) -> RemedyRow:
    meaning, word, glyph = _badge(one)
    actor, glyph_of_actor = ACTOR_STYLES.get(one.actor, (one.actor, "users"))
    return RemedyRow(
        text=one.text,
        code=one.code,
        actor=actor,
        glyph_of_actor=glyph_of_actor,
        letters=letters.of(one),
        edits=edit_lines(one.edits),
        sub=_sub(one),
        effect=_effect(one),
        fits=plural(one.n_fit, "node fits", "nodes fit") if one.n_fit and one.status != model.UNKNOWN else "",
        meaning=meaning,
        word=word,
        glyph=glyph,
        assumed=one.assumed,
        reading=one.reading,
        try_url=f"{try_url}&{urlencode({'remedy': one.text})}" if try_url else "",
    )


def _badge(one: Remedy) -> tuple[str, str, str]:
    """(style, word, glyph); a pod that preempts waits for its victims, so that it was not bound."""
    if one.status == model.UNKNOWN:
        return "backoff", "unknown", "alert"
    if one.status == model.NOT_ENOUGH:
        return "backoff", "not enough", "clock"
    return ("nomin", "makes room", "diamond") if one.victims else ("bound", "verified", "check")


def _effect(one: Remedy) -> str:
    if one.then:
        return "" if one.status == model.NOT_ENOUGH else one.then
    if not one.node or one.status == model.UNKNOWN:
        return ""
    return f"nominated to {one.node}" if one.victims else f"bound on {one.node}"


def _sub(one: Remedy) -> str:
    if one.then and one.failure:
        return f"then {one.failure}"
    parts = []
    if one.n_nodes > 1:
        more = ", \N{HORIZONTAL ELLIPSIS}" if one.n_nodes > SHOWN_NAMES else ""
        parts.append(f"fits on {grouped(one.n_nodes)} nodes: {', '.join(one.nodes[:SHOWN_NAMES])}{more}")
    if one.victims:
        names = [split_key(pod)[1] for pod in one.victims]
        victims = listed(names) if len(names) <= SHOWN_NAMES else plural(len(names), "pod")
        parts.append(f"then {victims} would leave {one.node}")
    elif one.unanswered and one.node:
        parts.append(f"which of the nodes it gets is unknown: the tape has no answer to {one.unanswered}")
    elif one.unanswered:
        parts.append(f"the tape has no answer to {one.unanswered}")
    elif one.node and one.tied > 1:
        parts.append(f"drawn from {grouped(one.tied)}")
    if one.budgets:
        does = "does" if len(one.budgets) == 1 else "do"
        parts.append(f"disruption budget {listed(list(one.budgets))} {does} not allow the eviction")
    return "; ".join(parts)


# {who can remove an obstacle or carry a remedy out: (name, icon)}, in the order in which remedies are proposed.
ACTOR_STYLES = {
    "workload": ("workload", "box"),
    "cluster": ("cluster", "server"),
    "storage": ("storage", "layers"),
    "node-lifecycle": ("node", "bolt"),
    "hardware": ("hardware", "plug"),
    "controller": ("controller", "gear"),
    "other": ("other", "users"),
}


# ---------------------------------------------------------------- edits as lines


@dataclass(frozen=True)
class EditLine:
    """One operation: `op` is set, remove or add, `field` the last part of its path with its value where that is short;
    `title` names the object and the whole path."""

    op: str
    field: str
    object: str
    title: str


def edit_lines(edits: Iterable[ProposedEdit]) -> tuple[EditLine, ...]:
    """Return the operations in order, each once; none of an edit that was not tried."""
    return tuple(dict.fromkeys(_line(one) for one in edits if one.op))


def _line(edit: ProposedEdit) -> EditLine:
    kind, namespace, name = edit.object.split("/")[-3:]
    short = f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"
    field = _field(edit.path, edit.value) if edit.path else short
    return EditLine(edit.op, field, short, f"{edit.op} {edit.path or 'the object'} of {short}")


def _field(path: str, value: Any) -> str:
    parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
    name = parts[-1]
    if name.isdigit() or name == "-":
        name = f"{parts[-2]}[{name}]" if len(parts) > 1 else name
    return f"{name}: {value}" if isinstance(value, (str, int, float)) and value != "" else name
