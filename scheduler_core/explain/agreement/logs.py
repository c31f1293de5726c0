"""Scores reported by a real scheduler: in its log at verbosity 10, or in annotations of kube-scheduler-simulator.

kube-scheduler logs "Plugin scored node for pod" for every node and score plugin (pkg/scheduler/schedule_one.go,
prioritizeNodes), as text or as JSON: the normalised score times the plugin's weight. The simulator writes the same
numbers into the annotation finalscore-result of each pod: {node: {plugin: "score"}}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.manifests.model import shortened

MAX_LOG_CHARACTERS = 64 << 20
MAX_SCORES = 2_000_000
MAX_PROBLEMS = 50
_MAX_LINE = 16_384
_MAX_ANNOTATION = 4 << 20
_MESSAGE = "Plugin scored node for pod"
_FIELD = re.compile(r'\b(pod|plugin|node|score)=("(?:[^"\\]|\\.)*"|[^\s"]+)')
_FIELDS = ("pod", "plugin", "node", "score")
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


class RealScores(msgspec.Struct):
    """``of``: {namespace/name: scores of its last attempt}. ``problems`` are the first of those lines that were not
    understood, ``n_problems`` all of them; ``cut``: what came behind the limits was not read."""

    of: dict[str, Scores] = {}
    problems: list[LogProblem] = []
    n_problems: int = 0
    n_scores: int = 0
    cut: bool = False

    def refuse(self, line: int, message: str) -> None:
        """Note what cannot be read."""
        self.n_problems += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(LogProblem(line, message))

    def note(self, pod: str, node: str, plugin: str, score: int) -> None:
        """Add a score. A second one for the same pod, node and plugin means that another attempt of the pod began."""
        scores = self.of.setdefault(pod, {})
        if plugin in scores.get(node, ()):
            scores.clear()
        scores.setdefault(node, {})[plugin] = score
        self.n_scores += 1


def scores_in_log(text: str) -> RealScores:
    """The scores in a scheduler's log, whatever else it holds. Never raises: what cannot be read is a problem."""
    scores = RealScores()
    scores.cut = len(text) > MAX_LOG_CHARACTERS
    for number, line in enumerate(text[:MAX_LOG_CHARACTERS].splitlines(), start=1):
        if _MESSAGE not in line:
            continue
        if scores.n_scores >= MAX_SCORES:
            scores.cut = True
            break
        try:
            scores.note(*_of_line(line))
        except ValueError as problem:
            scores.refuse(number, str(problem))
    return scores


def scores_in_annotations(pods: Iterable[Pod]) -> RealScores:
    """The scores that the simulator wrote into the pods. Never raises."""
    scores = RealScores()
    for pod in pods:
        text = next((pod.annotations[key] for key in _ANNOTATIONS if key in pod.annotations), "")
        if not text:
            continue
        try:
            for node, plugin, score in _of_annotation(text):
                scores.note(pod.key, node, plugin, score)
        except ValueError as problem:
            scores.refuse(0, f"{shortened(pod.key, 200)}: finalscore-result: {problem}")
    return scores


def _of_line(line: str) -> tuple[str, str, str, int]:
    """(pod, node, plugin, score) of a line. Raises ValueError."""
    if len(line) > _MAX_LINE:
        raise ValueError(f"the line has more than {_MAX_LINE:,} characters")
    start = line.find("{")
    fields = _of_json(line[start:]) if 0 <= start < line.find(_MESSAGE) else _of_text(line)
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        raise ValueError(f"{', '.join(missing)} is missing from a score")
    pod = fields["pod"]
    if isinstance(pod, Mapping):
        pod = f"{pod.get('namespace', '')}/{pod.get('name', '')}"
    if not isinstance(pod, str) or pod.count("/") != 1 or not all(pod.split("/")):
        raise ValueError("pod is not of the form namespace/name")
    return pod, _name(fields, "node"), _name(fields, "plugin"), _score(fields["score"])


def _of_text(line: str) -> dict[str, Any]:
    rest = line[line.index(_MESSAGE) :]
    return {name: _unquoted(value) for name, value in _FIELD.findall(rest)}


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
    if not isinstance(value, str) or not value or len(value) > 300:
        raise ValueError(f"{name} is no name")
    return value


def _score(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return value
    if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
        return int(value)
    raise ValueError("score is no whole number")
