"""What a real scheduler wrote of its decisions: its log at verbosity 10, or annotations of kube-scheduler-simulator.

kube-scheduler logs "Plugin scored node for pod" for every node and score plugin (pkg/scheduler/schedule_one.go,
prioritizeNodes), as text or as JSON: the normalised score times the plugin's weight. Around these it logs attempts,
bindings and what its informers saw (schedule_one.go, eventhandlers.go). The simulator writes the same scores into the
annotation finalscore-result of each pod: {node: {plugin: "score"}}.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.manifests.model import shortened

MAX_LINE = 16_384
MAX_PROBLEMS = 50
_MAX_ANNOTATION = 4 << 20
_GZIP = b"\x1f\x8b"
StepKind = Literal["tried", "scored", "bound", "pod_came", "pod_went", "node_came"]
"""``pod_came``: an informer saw the pod with a node; ``pod_went``: it went from its node."""
_KINDS: dict[str, StepKind] = {
    "Attempting to schedule pod": "tried",
    "Plugin scored node for pod": "scored",
    "Successfully bound pod to node": "bound",
    "Add event for scheduled pod": "pod_came",
    "Delete event for scheduled pod": "pod_went",
    "Add event for node": "node_came",
}
_FIELDS: dict[StepKind, tuple[str, ...]] = {
    "tried": ("pod",),
    "scored": ("pod", "plugin", "node", "score"),
    "bound": ("pod", "node"),
    "pod_came": ("pod",),
    "pod_went": ("pod",),
    "node_came": ("node",),
}
_MESSAGE = re.compile(f'"({"|".join(_KINDS)})"')
_FIELD = re.compile(r'\b(pod|plugin|node|score)=("(?:[^"\\]|\\.)*"|[^\s"]+)')
_WHOLE_NUMBER = re.compile(r"-?\d{1,18}")
_ANNOTATIONS = (
    "kube-scheduler-simulator.sigs.k8s.io/finalscore-result",
    "scheduler-simulator/finalscore-result",
)
Scores = dict[str, dict[str, int]]
"""{node: {plugin: normalised score times weight}}"""


class LogProblem(msgspec.Struct, frozen=True):
    """A line of a log (counted from 1; 0: not of a line) that speaks of scores and cannot be read."""

    line: int
    message: str


class LogProblems(msgspec.Struct):
    """What was not understood: the ``first`` of it, and how much it is in all."""

    first: list[LogProblem] = []
    count: int = 0

    def refuse(self, line: int, message: str) -> None:
        """Note what cannot be read."""
        self.count += 1
        if len(self.first) < MAX_PROBLEMS:
            self.first.append(LogProblem(line, message))


class RealScores(msgspec.Struct):
    """``of``: {namespace/name: scores of its last attempt}."""

    of: dict[str, Scores] = {}
    problems: LogProblems = msgspec.field(default_factory=LogProblems)


class LogStep(msgspec.Struct, frozen=True):
    """One thing that a log says; ``plugin`` and ``score`` are those of a score."""

    kind: StepKind
    pod: str = ""
    node: str = ""
    plugin: str = ""
    score: int = 0


class LoggedAttempt(msgspec.Struct, frozen=True):
    """The ``number``-th attempt of the pod in the log, with the scores of the nodes that fitted; none where at most one
    did."""

    pod: str
    number: int
    scores: Scores


def lines_of_file(path: Path) -> Iterator[str]:
    """The lines of a text of any size, gzipped or not, each cut a little above MAX_LINE. Raises OSError, EOFError,
    zlib.error."""
    with path.open("rb") as raw:
        is_zipped = raw.read(2) == _GZIP
        raw.seek(0)
        with gzip.open(raw) if is_zipped else raw as file:
            goes_on = False
            while piece := file.readline(MAX_LINE + 2):
                if not goes_on:
                    yield piece.decode("utf-8", "replace")
                goes_on = not piece.endswith(b"\n")


def log_steps(lines: Iterable[str], problems: LogProblems) -> Iterator[LogStep]:
    """What the lines of a scheduler's log say, whatever else they hold. Never raises: what cannot be read is noted."""
    for number, line in enumerate(lines, start=1):
        message = _MESSAGE.search(line)
        if message is None:
            continue
        try:
            yield _step(line, message)
        except ValueError as problem:
            problems.refuse(number, str(problem))


def in_attempts(steps: Iterable[LogStep]) -> Iterator[LogStep | LoggedAttempt]:
    """The same with the scores of each attempt together, in the order in which attempts ended.

    An attempt ends where the next one begins, or the pod is bound or goes: one at a time is under way. A score that
    comes again for the same pod, node and plugin is of its next attempt.
    """
    numbers: Counter[str] = Counter()
    current: LoggedAttempt | None = None
    for step in steps:
        is_next = step.kind == "tried" or (step.kind == "scored" and not _belongs_to(step, current))
        if current is not None and (is_next or (step.kind in ("bound", "pod_went") and step.pod == current.pod)):
            yield current
            current = None
        if is_next:
            numbers[step.pod] += 1
            current = LoggedAttempt(step.pod, numbers[step.pod], {})
        if step.kind == "scored" and current is not None:
            current.scores.setdefault(step.node, {})[step.plugin] = step.score
        elif step.kind != "tried":
            yield step
    if current is not None:
        yield current


def _belongs_to(step: LogStep, attempt: LoggedAttempt | None) -> bool:
    return attempt is not None and step.pod == attempt.pod and step.plugin not in attempt.scores.get(step.node, ())


def scores_in_annotations(pods: Iterable[Pod]) -> RealScores:
    """The scores that the simulator wrote into the pods. Never raises."""
    scores = RealScores()
    for pod in pods:
        text = next((pod.annotations[key] for key in _ANNOTATIONS if key in pod.annotations), "")
        if not text:
            continue
        try:
            for node, plugin, score in _of_annotation(text):
                scores.of.setdefault(pod.key, {}).setdefault(node, {})[plugin] = score
        except ValueError as problem:
            scores.problems.refuse(0, f"{shortened(pod.key, 200)}: finalscore-result: {problem}")
    return scores


def _step(line: str, message: re.Match[str]) -> LogStep:
    """What a line says. Raises ValueError."""
    if len(line) > MAX_LINE:
        raise ValueError(f"the line has more than {MAX_LINE:,} characters")
    kind, start = _KINDS[message[1]], line.find("{")
    fields = _of_json(line[start:]) if 0 <= start < message.start() else dict(_of_text(line[message.end() :]))
    missing = [name for name in _FIELDS[kind] if name not in fields]
    if missing:
        raise ValueError(f'{", ".join(missing)} is missing from a line that says "{message[1]}"')
    of_kind = _FIELDS[kind]
    return LogStep(
        kind,
        _pod(fields["pod"]) if "pod" in of_kind else "",
        _name(fields, "node") if "node" in of_kind else "",
        _name(fields, "plugin") if "plugin" in of_kind else "",
        _score(fields["score"]) if "score" in of_kind else 0,
    )


def _of_text(rest: str) -> Iterator[tuple[str, str]]:
    return ((name, _unquoted(value)) for name, value in _FIELD.findall(rest))


def _pod(value: object) -> str:
    if isinstance(value, Mapping):
        value = f"{value.get('namespace', '')}/{value.get('name', '')}"
    if not isinstance(value, str) or value.count("/") != 1 or not all(value.split("/")):
        raise ValueError("pod is not of the form namespace/name")
    return value


def _unquoted(value: str) -> str:
    if not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        return value[1:-1]


def _of_json(text: str) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as problem:
        raise ValueError(f"is no JSON: {problem}") from problem
    return value if isinstance(value, dict) else {}


def _of_annotation(text: str) -> list[tuple[str, str, int]]:
    if len(text) > _MAX_ANNOTATION:
        raise ValueError(f"has more than {_MAX_ANNOTATION >> 20} MiB")
    value = _of_json(text)
    scores: list[tuple[str, str, int]] = []
    for node, plugins in value.items():
        if not isinstance(plugins, dict):
            raise ValueError(f"{shortened(node)} has no scores by plugin")
        scores.extend((node, str(plugin), _score(score)) for plugin, score in plugins.items())
    return scores


def _name(fields: Mapping[str, Any], name: str) -> str:
    value = fields[name]
    if isinstance(value, Mapping):
        value = value.get("name")
    if not isinstance(value, str) or not value or len(value) > 300:
        raise ValueError(f"{name} is no name")
    return value


def _score(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return value
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        return int(value)
    raise ValueError("score is no whole number")
