"""Pods of a run that were refused at their last attempt, by the refusal that stood between them and a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import Exists, F, OuterRef

from dashboard.runs.models import Cycle, PluginVerdict
from scheduler_core.recording.vocabulary import Code

if TYPE_CHECKING:
    from dashboard.runs.models import Run

INSUFFICIENT = "Insufficient "


@dataclass(frozen=True)
class RefusedPods:
    """Pods whose last attempt failed for one reason: `cycle` is the last attempt of the first of them."""

    plugin: str
    reasons: str
    count: int
    cycle: int

    @property
    def in_words(self) -> str:
        """Return the reason with resources by their short names: "insufficient cpu, gpu-milli"."""
        parts = self.reasons.split(", ")
        short = [part.removeprefix(INSUFFICIENT).rpartition("/")[2] for part in parts if part.startswith(INSUFFICIENT)]
        others = [part for part in parts if part and not part.startswith(INSUFFICIENT)]
        return ", ".join([*([f"insufficient {', '.join(short)}"] if short else []), *others])


def refused_pods(run: Run) -> list[RefusedPods]:
    """Return the pods without a node at their last attempt, grouped by refusal, most pods first; one query.

    Of the refusals of an attempt the one counts that most nodes gave and that an eviction could lift; where none could
    be lifted, the one that most nodes gave.
    """
    later = Cycle.objects.filter(run_id=run.pk, pod=OuterRef("pod"), number__gt=OuterRef("number"))
    last = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").filter(~Exists(later)).values("number")
    verdicts = PluginVerdict.objects.filter(run_id=run.pk, cycle__in=last).order_by("cycle", F("position").desc())
    weightiest: dict[int, tuple[tuple[bool, int], str, str]] = {}
    for cycle, plugin, code, reasons, nodes in verdicts.values_list("cycle", "plugin", "code", "reasons", "nodes"):
        weight = (code == Code.UNSCHEDULABLE, nodes)
        if cycle not in weightiest or weight >= weightiest[cycle][0]:
            weightiest[cycle] = (weight, plugin, reasons)
    cycles: dict[tuple[str, str], list[int]] = {}
    for cycle, (_, plugin, reasons) in weightiest.items():
        cycles.setdefault((plugin, reasons), []).append(cycle)
    groups = [RefusedPods(*refusal, len(numbers), min(numbers)) for refusal, numbers in cycles.items()]
    return sorted(groups, key=lambda group: (-group.count, group.cycle))
