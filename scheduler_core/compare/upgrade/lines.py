"""The report of an upgrade as lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from scheduler_core.compare.upgrade.figures import figures_of
from scheduler_core.compare.upgrade.model import BehaviourChange, PodUpgrade, UpgradeReport, VersionSide
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.recording.times import span

SHOWN = 20
"""Pods and texts that are listed; of more their number is said."""
_WHY = {
    "not tried": "not tried",
    "not told apart": "not told apart by what was tried",
}


def headline(report: UpgradeReport) -> str:
    """The answer in one sentence."""
    sides = f"from {report.a.kubernetes} to {report.b.kubernetes}"
    if report.n_attempts == (0, 0):
        return "Nothing was tried: no pod of this input waits for a node."
    if not report.differs:
        return f"Nothing differs {sides}: {plural(report.n_attempts[0], 'attempt')} decided alike, with the same texts."
    if not report.pods:
        return f"All decisions are the same {sides}; {_others(report)}."
    counts = Counter(name for pod in report.pods for name in pod.by)
    decisive = f", which {_listed(counts)} bring{'s' if len(counts) == 1 else ''}" if counts else ""
    return f"{plural(len(report.pods), 'pod')} would be decided otherwise {sides}{decisive}."


def _others(report: UpgradeReport) -> str:
    parts = []
    if report.texts:
        parts.append(f"{plural(len(report.texts), 'text')} of messages differ{'s' if len(report.texts) == 1 else ''}")
    if report.waits:
        by = Counter(one.by for one in report.waits if one.by)
        parts.append(f"{plural(len(report.waits), 'pod')} wait{'s' if len(report.waits) == 1 else ''} otherwise")
        if by:
            parts[-1] += f" by {_listed(by)}"
    return " and ".join(parts)


def _listed(names: Counter[str]) -> str:
    return ", ".join(name for name, _ in names.most_common())


def report_lines(report: UpgradeReport) -> Iterator[str]:
    """All of it."""
    yield headline(report)
    yield f"  {_side(report.a)}"
    yield f"  {_side(report.b)}"
    yield from _figures(report)
    yield from _behaviours(report.behaviours)
    yield from _pods(report)
    yield from _waits(report)
    yield from _texts(report)
    yield from _fields(report)
    yield from (f"DOUBT  {one.text}" for one in report.comparison.doubts)


def _side(side: VersionSide) -> str:
    gates = f" with {side.gates}" if side.gates else ""
    return f"{side.kubernetes}{gates}: {side.evidence}"


def _figures(report: UpgradeReport) -> Iterator[str]:
    of = figures_of(report)
    yield ""
    yield f"  on another node   {of.moved}"
    placed = f"{of.placed_now} placed now, {of.placed_no_longer} no longer"
    yield f"  pending           {of.pending[0]} | {of.pending[1]}  ({placed})"
    yield f"  evicted in one    {of.evicted[0]} | {of.evicted[1]}"
    yield f"  wait, p95         {wait_text(of.wait_p95[0])} | {wait_text(of.wait_p95[1])}"


def wait_text(micros: int) -> str:
    """A wait in words, "none" for -1."""
    return "none" if micros < 0 else span(micros)


def _behaviours(changes: tuple[BehaviourChange, ...]) -> Iterator[str]:
    yield ""
    yield "Behaviours that differ" if changes else "No behaviour differs."
    for one in sorted(changes, key=lambda one: -one.n_pods):
        what = "" if one.comes else "no longer: "
        derived = "" if one.evidence == "recorded" else ", derived from sources"
        yield f"  {one.name} ({one.change}{derived}): {what}{one.sentence}"
        yield f"    {one.effect}"


def _pods(report: UpgradeReport) -> Iterator[str]:
    if not report.pods:
        return
    yield ""
    yield "The first difference of each pod"
    for one in report.pods[:SHOWN]:
        yield f"  {one.pod}, attempt {one.attempt}: {_decided(one)}  {why_text(one)}"
    if len(report.pods) > SHOWN:
        yield f"  and {plural(len(report.pods) - SHOWN, 'pod')} more (--json lists all)"
    if report.n_untried:
        yield f"  {plural(report.n_untried, 'difference')} of these not tried"


def _decided(pod: PodUpgrade) -> str:
    return " | ".join("no such attempt" if one is None else one.text for one in (pod.a, pod.b))


def why_text(pod: PodUpgrade) -> str:
    """Why the pod's attempts part, in a few words."""
    if pod.by:
        names = " and ".join(pod.by)
        return f"by {names}" if pod.reason == "behaviours" else f"by {names}, as a run with it alone shows"
    if pod.reason == "follows":
        return f"follows from the difference of cycle {pod.follows}"
    return _WHY[pod.reason]


def _waits(report: UpgradeReport) -> Iterator[str]:
    if not report.waits:
        return
    yield ""
    yield "Pods that wait otherwise, though their attempts end alike"
    for one in report.waits[:SHOWN]:
        yield f"  {one.pod}: {wait_text(one.a)} | {wait_text(one.b)}{f'  by {one.by}' if one.by else ''}"
    if len(report.waits) > SHOWN:
        yield f"  and {plural(len(report.waits) - SHOWN, 'pod')} more (--json lists all)"


def _texts(report: UpgradeReport) -> Iterator[str]:
    if not report.texts:
        return
    yield ""
    yield "Texts that one version has alone, by messages with them"
    for one in report.texts[:SHOWN]:
        now = f"  now: {one.now}" if one.now else ""
        yield f"  {one.a} | {one.b}  {one.text}{now}"
    if len(report.texts) > SHOWN:
        yield f"  and {len(report.texts) - SHOWN} more (--json lists all)"


def _fields(report: UpgradeReport) -> Iterator[str]:
    if not report.fields:
        return
    yield ""
    yield "Fields"
    for one in report.fields:
        n = "" if one.n_objects is None else f", in {plural(one.n_objects, 'object')} here"
        yield f"  {one.field}: {one.what}{n}; {one.sentence}"
