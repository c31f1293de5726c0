"""A comparison as lines: for a terminal, as Markdown for an issue, as CSV for a spreadsheet.

Names come from clusters and may be hostile: Markdown is escaped, and cells of the CSV that a spreadsheet would take for
a formula are quoted by an apostrophe (OWASP, CSV injection).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from scheduler_core.compare.comparison import RunComparison
from scheduler_core.compare.figures import BETTER, COUNT, NEITHER, UNKNOWN, WAIT, WORSE, ComparedFigure, FigureGroup
from scheduler_core.compare.figures import SAME as SAME_FIGURE
from scheduler_core.compare.pods import GROUPS, PodDifference, PodEnd
from scheduler_core.manifests.model import printable
from scheduler_core.recording.times import span

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|<>~&-])")
_ADDRESSES = re.compile(r"(?i)(\b(?:https?|ftp|mailto|xmpp|www))([:.])")
_NAMES = re.compile(r"([@#])(?=\w)")
_BREAKS = re.compile(r"[\r\n\t\v\f\x00-\x1f\x7f\u0085\u2028\u2029]+")
_OF_A_SIDE = ("outcome", "node", "wait_seconds", "evicted", "attempts", "last_cycle", "waits_so_far_seconds")
COLUMNS = (
    *("namespace", "pod", "uid", "number", "group", "fields"),
    *(f"{name}_{side}" for side in "ab" for name in _OF_A_SIDE),
)
SAME = "Both have the same events."


def as_text(comparison: RunComparison) -> Iterator[str]:
    """For a terminal."""
    yield comparison.divergence.text if comparison.divergence is not None else SAME
    yield ""
    for one in comparison.inputs:
        yield f"{one.what}: A {one.a or 'has nothing of its own'}; B {one.b or 'has nothing of its own'}"
    if not comparison.inputs:
        yield "The inputs are the same."
    yield ""
    yield _counted(comparison)
    for pod in comparison.pods:
        yield f"  {pod.group:<18} {_name(pod)}: {_end(pod.a)} | {_end(pod.b)}"
    for group in comparison.figures:
        yield ""
        yield f"{group.title}{f' ({group.note})' if group.note else ''}"
        for name, a, b, verdict in _figures(group):
            yield f"  {name}: {a} | {b}{f', {verdict}' if verdict else ''}"
    if comparison.doubts:
        yield ""
        yield from (f"DOUBT  {one.text}" for one in comparison.doubts)


def as_markdown(comparison: RunComparison) -> Iterator[str]:
    """To paste into an issue."""
    yield "## Comparison of two runs"
    yield ""
    yield escaped(comparison.divergence.text if comparison.divergence is not None else SAME)
    if comparison.inputs:
        yield from _table(("Input", "Only in A", "Only in B"), [(one.what, one.a, one.b) for one in comparison.inputs])
    yield ""
    yield escaped(_counted(comparison))
    if comparison.pods:
        rows = [(pod.group, _name(pod), _end(pod.a), _end(pod.b)) for pod in comparison.pods]
        yield from _table(("Difference", "Pod", "A", "B"), rows)
    for group in comparison.figures:
        yield from _table((escaped(group.title), "A", "B", "B is"), _figures(group))
        if group.note:
            yield ""
            yield escaped(f"{group.note}.")
    if comparison.doubts:
        yield from _table(("Not played, and may falsify this",), [(one.text,) for one in comparison.doubts])


def as_csv(comparison: RunComparison) -> Iterator[str]:
    """One line per pod that differs."""
    yield _row(COLUMNS)
    for pod in comparison.pods:
        namespace, _, name = pod.pod.partition("/")
        head = (namespace, name, pod.uid, pod.number, pod.group, " ".join(pod.fields))
        yield _row((*head, *_cells(pod.a), *_cells(pod.b)))


def escaped(text: str) -> str:
    """The text as Markdown shows it, on one line, in which nothing is a link, names anybody or turns what is around it.

    Characters that control or turn text are written out. Addresses without brackets around them are no links once their
    colon or dot is escaped (GitHub's autolinks); an @name or #number is looked for in what is shown, so an invisible
    word joiner parts it.
    """
    marked = _MARKDOWN.sub(r"\\\1", printable(_BREAKS.sub(" ", text)))
    return _NAMES.sub("\\1\u2060", _ADDRESSES.sub(r"\1\\\2", marked))


def _table(titles: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield ""
    for row in (titles, ("---",) * len(titles)):
        yield f"| {' | '.join(row)} |"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"


def _counted(comparison: RunComparison) -> str:
    counts = Counter(pod.group for pod in comparison.pods)
    groups = ", ".join(f"{counts[group]:,} {group}" for group in GROUPS if counts[group])
    return f"{len(comparison.pods):,} of {comparison.n_pods:,} pods differ{': ' + groups if groups else ''}."


def _figures(group: FigureGroup) -> list[tuple[str, str, str, str]]:
    """(name, A, B, what B is) of each figure of a group."""
    figures = (group.head, *group.figures) if group.head is not None else group.figures
    return [
        (one.name, _value(one, one.a, one.goes_on[0]), _value(one, one.b, one.goes_on[1]), _VERDICTS[one.verdict])
        for one in figures
    ]


_VERDICTS = {BETTER: "better", WORSE: "worse", SAME_FIGURE: "the same", NEITHER: "", UNKNOWN: "cannot be compared"}


def _value(figure: ComparedFigure, value: float | None, goes_on: bool) -> str:
    if value is None:
        return "none"
    if figure.of == WAIT:
        return f"{'> ' if goes_on else ''}{_span(int(value))}"
    return f"{value:,}" if figure.of == COUNT else f"{value:.4f}"


def _span(micros: int) -> str:
    return span(micros) if micros >= 0 else "none"


def _name(pod: PodDifference) -> str:
    uid = f" ({pod.uid})" if pod.uid else ""
    return f"{pod.pod}{uid}{f' no. {pod.number + 1}' if pod.number else ''}"


def _end(end: PodEnd | None) -> str:
    if end is None:
        return "not there"
    node = f" on {end.node}" if end.node else ""
    wait = f" after {span(end.wait)}" if end.wait >= 0 else f" for {span(end.so_far)} so far" if end.so_far >= 0 else ""
    return f"{end.outcome}{node}{wait}{f', {end.evicted}' if end.evicted else ''}"


def _cells(end: PodEnd | None) -> tuple[object, ...]:
    if end is None:
        return ("",) * len(_OF_A_SIDE)
    wait, so_far = (f"{micros / 1e6:.6f}" if micros >= 0 else "" for micros in (end.wait, end.so_far))
    return (end.outcome, end.node, wait, end.evicted, end.attempts, end.cycle or "", so_far)


def _row(cells: tuple[object, ...]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([_guarded(one) for one in cells])
    return out.getvalue()


def _guarded(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
