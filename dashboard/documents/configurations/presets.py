"""Ready configurations of the core as pages offer them: those that can work here, and what each differs in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from dashboard.documents.configurations.checking import POINTS, registry
from dashboard.documents.configurations.table.effective import EffectiveProfile, effective
from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.profiles.presets import DEFAULT, PRESETS, Preset
from scheduler_core.profiles.registry import how_to_install

# What the texts that a preset follows are, for readers who have never seen them.
ORIGINS = {
    "most-allocated": "arguments of kube-scheduler v1.34",
    "pack-gpus": "arguments of kube-scheduler v1.34",
    "zone-spread": "arguments of kube-scheduler v1.34",
    "sampled-nodes": "sampling of kube-scheduler v1.34",
    "large-cluster-sampling": "sampling of kube-scheduler v1.34",
    "least-requested-2017": "resource priorities of 2017, scale 0 to 10",
    "most-requested-2017": "resource priorities of 2017, scale 0 to 10",
    "least-requested-alone-2017": "a resource priority of 2017, scale 0 to 10",
    "most-requested-alone-2017": "a resource priority of 2017, scale 0 to 10",
    "map-reduce-scores-2019": "scores by map and reduce, as of 2019",
    "generic-preemption-2020": "preemption of 2020, before it was a plugin",
    "move-cycle-queue-2021": "scheduling queue of 2021, before queueing hints",
    "coscheduling": "gang scheduling by a plugin of its own",
    "capacity-scheduling": "elastic quotas by a plugin of its own",
}
POLICY_LABELS = {
    "kubernetes": "Kubernetes",
    "node_search": "nodes looked at",
    "draw": "draw among equals",
    "queue": "queue",
    "event_names": "names of events",
    "unschedulable_stay_us": "longest unschedulable stay",
}


@dataclass(frozen=True)
class Offer:
    """A preset with `origin`, what its source is, and `differences` from the default, a phrase each.

    `policies` are those among the phrases that are no part of a configuration's text.
    """

    preset: Preset
    origin: str
    differences: list[str]
    policies: list[str]


@cache
def available() -> dict[str, Preset]:
    """Return the presets by name, without the default and those whose plugin is not installed."""
    factories = registry().factories
    return {
        name: preset
        for name, preset in PRESETS.items()
        if name != DEFAULT and (not preset.plugin or preset.plugin in factories)
    }


def missing(name: str) -> str:
    """Return why there is no such preset here, with the package to install where only its plugin is missing."""
    preset = PRESETS.get(name)
    if preset is None or not preset.plugin:
        return f'There is no preset "{name[:80]}".'
    return f'The preset "{name}" needs the plugin {preset.plugin}. {how_to_install(preset.plugin)}.'


@cache
def offers() -> list[Offer]:
    """Return the available presets as pages show them."""
    return [preset_offer(preset) for preset in available().values()]


def preset_offer(preset: Preset) -> Offer:
    """Return an available preset as pages show it."""
    policies = [_policy_words(name, value) for name, value in preset.policies.items()]
    # The version is that of the cluster wherever none is named.
    lost = [_policy_words(name, value) for name, value in preset.policies.items() if name != "kubernetes"]
    return Offer(
        preset,
        ORIGINS.get(preset.name, preset.source),
        [*_plugin_words(preset), *_argument_words(preset), *policies],
        lost,
    )


def _plugin_words(preset: Preset) -> list[str]:
    """Return how the preset's plugins differ from the default ones; presets have a single profile."""
    usual, own = (effective(one).profiles[0] for one in (SchedulerConfiguration(), preset.configuration()))
    names, usual_names = _called(own), _called(usual)
    scores = {name: own.weights[name] for name in names if name in own.weights}
    differences = []
    if scores != usual.weights:
        differences.append("scores: " + ", ".join(f"{name} (weight {weight})" for name, weight in scores.items()))
    differences += [f"with {name}" for name in names if name not in usual_names and name not in scores]
    differences += [f"without {name}" for name in usual_names if name not in names and name not in usual.weights]
    return differences


def _called(profile: EffectiveProfile) -> list[str]:
    """Return the plugins of a profile in the order in which they are first called."""
    return list(dict.fromkeys(name for point in POINTS for name in profile.points[point]))


def _argument_words(preset: Preset) -> list[str]:
    """Return what the preset sets beside its plugins: their arguments, and how many nodes are scored."""
    (profile,) = preset.raw["profiles"]
    settings = [
        f"{entry['name']} {path}: {value}"
        for entry in profile.get("pluginConfig", ())
        for path, value in _leaves(entry["args"])
    ]
    share = preset.raw.get("percentageOfNodesToScore")
    return settings if share is None else [*settings, f"percentageOfNodesToScore: {share}"]


def _leaves(given: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Yield (path, value) of nested arguments; a list of mappings is one value: "cpu 1; memory 1"."""
    for name, value in given.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{before}{name}.")
        elif isinstance(value, list):
            yield f"{before}{name}", "; ".join(_entry_words(one) for one in value)
        else:
            yield f"{before}{name}", str(value)


def _entry_words(entry: Mapping[str, Any]) -> str:
    """Return an entry of a list: "cpu 1" of a resource with its weight, "utilization 0, score 0" of others."""
    if entry.keys() == {"name", "weight"}:
        return f"{entry['name']} {entry['weight']}"
    return ", ".join(f"{name} {value}" for name, value in entry.items())


def _policy_words(name: str, value: object) -> str:
    if name.endswith("_us") and isinstance(value, int):
        value = f"{value / 1_000_000:g} s"
    return f"{POLICY_LABELS.get(name, name.replace('_', ' '))}: {value}"
