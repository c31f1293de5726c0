"""The pods of a history as they come, change and go, in the file's terms: series, order, extremes, totals."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod

STAGES = ("made", "bound", "ready", "deleted", "gone", "succeeded", "failed")
Raw = dict[str, Any]


class Course(msgspec.Struct):
    """A pod: its owner ("web"), its revision as the file writes it ("web:1"), its number among the owner's pods, and
    when it came to each stage (seconds)."""

    pod: Pod
    owner: str
    revision: str
    number: int
    label: str
    at: dict[str, float] = {}

    @property
    def state(self) -> str:
        """How snapshots call its state."""
        for stage, state in (("succeeded", "succeeded"), ("failed", "failed"), ("deleted", "terminating")):
            if stage in self.at:
                return state
        if not self.pod.node_name:
            return "gated" if self.pod.scheduling_gates else "pending"
        return "ready" if "ready" in self.at else "not_ready"


class Courses:
    """All pods of a history in order of their making, those that are there by key, and the changes in order."""

    def __init__(self, extremes_from: float) -> None:
        self.all: list[Course] = []
        self.there: dict[str, Course] = {}
        self.changes: list[tuple[float, str, Course]] = []
        self.counts: Counter[str] = Counter()
        self.extremes: dict[str, Raw] = {}
        self._from = extremes_from
        self._n_made: Counter[str] = Counter()

    def made(self, key: str, pod: Pod, owner: str, revision: str, at: float) -> Course:
        """A pod was made."""
        self._n_made[owner] += 1
        number = self._n_made[owner]
        course = Course(pod, owner, revision, number, "")
        self.all.append(course)
        self.there[key] = course
        self.note(course, "made", at)
        return course

    def note(self, course: Course, stage: str, at: float) -> None:
        """A pod came to a stage."""
        if stage not in course.at:
            course.at[stage] = at
            self.changes.append((at, stage, course))

    def look(self, now: float) -> None:
        """Take the extremes of this moment."""
        by_owner: dict[str, list[Course]] = {course.owner: [] for course in self.all}
        for course in self.there.values():
            by_owner[course.owner].append(course)
        for owner, there in by_owner.items():
            states = [course.state for course in there]
            n_ready, most = states.count("ready"), self.extremes.setdefault(owner, {})
            n_going = sum(state in ("terminating", "succeeded", "failed") for state in states)
            most["most_pods"] = max(most.get("most_pods", 0), len(there) - n_going)
            most["most_pods_with_terminating"] = max(most.get("most_pods_with_terminating", 0), len(there))
            if now >= self._from:
                most["fewest_ready"] = min(most.get("fewest_ready", n_ready), n_ready)

    def series(self) -> Raw:
        """Times of each stage by revision, in order."""
        series: dict[str, dict[str, list[float]]] = {}
        for at, stage, course in self._sorted():
            if stage != "bound":
                series.setdefault(course.revision, {}).setdefault(stage, []).append(round(at, 3))
        return series

    def totals(self) -> Raw:
        """How many pods of each revision came to each stage."""
        totals: dict[str, Counter[str]] = {}
        for _, stage, course in self.changes:
            totals.setdefault(course.revision, Counter())[stage] += 1
        return {revision: dict(counts) for revision, counts in totals.items()}

    def order(self) -> Raw:
        """Pods made and deleted of each owner in order, runs of equal ones added up."""
        signs = {"made": "+", "deleted": "-"}
        by_owner: dict[str, list[str]] = {}
        for _, stage, course in self._sorted():
            if stage in signs:
                by_owner.setdefault(course.owner, []).append(signs[stage] + course.revision)
        return {
            owner: [f"{text} x{len(list(run))}" for text, run in groupby(texts)] for owner, texts in by_owner.items()
        }

    def labels(self, stage: str) -> list[tuple[float, str]]:
        """When which pods came to the stage, in order."""
        return [(at, course.label) for at, one, course in self._sorted() if one == stage]

    def _sorted(self) -> list[tuple[float, str, Course]]:
        return sorted(self.changes, key=lambda change: change[0])

    def in_states(self) -> Raw:
        """How many pods of each revision are in each state."""
        counts: dict[str, Counter[str]] = {}
        for course in self.there.values():
            counts.setdefault(course.revision, Counter())[course.state] += 1
        return {revision: dict(states) for revision, states in counts.items()}
