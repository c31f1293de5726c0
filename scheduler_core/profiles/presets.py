"""Ready configurations: today's scheduler, what people change of it first, and what older texts ("seeds") describe.

A preset is a KubeSchedulerConfiguration with the policies that are no part of one. What a seed does not state is as in
v1.34. Presets are named by what they are; the names that a seed uses are accepted as well, in any spelling.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.engine.policies import Policies
from scheduler_core.manifests import config_from_raw
from scheduler_core.manifests.yaml_writer import dump_yaml

DEFAULT = "default"
FOLLOWED = {"kubernetes": "1.34"}
"""The version that presets are written for, but for the default one, which is as the cluster's version has it."""


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """``raw`` is the configuration as a file has it, ``policies`` what differs from the defaults of Policies.

    ``source`` cites the seed or the part of v1.34; ``plugin`` names a plugin that must be installed, or is "".
    """

    name: str
    title: str
    summary: str
    source: str
    raw: Mapping[str, Any]
    policies: Mapping[str, Any] = {}
    also: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def text(self) -> str:
        """The configuration as YAML."""
        return dump_yaml([self.raw])

    def configuration(self) -> SchedulerConfiguration:
        """The configuration. Raises ValueError where it has an error, which a test excludes."""
        loaded, findings = config_from_raw(self.raw, source=f"preset {self.name}")
        if loaded is None:
            raise ValueError("; ".join(finding.text() for finding in findings))
        return loaded

    def applied_to(self, policies: Policies) -> Policies:
        """These policies with those of the preset."""
        return msgspec.structs.replace(policies, **self.policies)


def _configuration(
    plugins: Mapping[str, Any] | None = None, args: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """A configuration of one profile; ``args`` are arguments by plugin."""
    profile: dict[str, Any] = {"schedulerName": "default-scheduler"}
    if plugins:
        profile["plugins"] = plugins
    if args:
        profile["pluginConfig"] = [{"name": name, "args": given} for name, given in args.items()]
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [profile],
    }


def _score(*plugins: tuple[str, int]) -> dict[str, Any]:
    """These score plugins with their weights and no others."""
    enabled = [{"name": name, "weight": weight} for name, weight in plugins]
    return {"enabled": enabled, "disabled": [{"name": "*"}]}


def _weighted(**weights: int) -> list[dict[str, Any]]:
    """Resources with their weights; ``gpu`` stands for nvidia.com/gpu."""
    return [{"name": {"gpu": "nvidia.com/gpu"}.get(name, name), "weight": weight} for name, weight in weights.items()]


_ALL = (
    Preset(
        name=DEFAULT,
        title="kube-scheduler's defaults",
        summary="All default plugins of the version that is followed, with their default arguments.",
        source="kube-scheduler",
        raw=_configuration(),
        also=("kube-scheduler", "v1.34"),
    ),
    Preset(
        name="most-allocated",
        title="Pack nodes: MostAllocated",
        summary="NodeResourcesFit prefers the node that is fullest in cpu and memory, so that others stay empty.",
        source="kube-scheduler v1.34, NodeResourcesFitArgs",
        raw=_configuration(
            args={
                "NodeResourcesFit": {
                    "scoringStrategy": {"type": "MostAllocated", "resources": _weighted(cpu=1, memory=1)}
                }
            }
        ),
        also=("MostAllocated", "bin-packing"),
    ),
    Preset(
        name="pack-gpus",
        title="Pack GPUs: RequestedToCapacityRatio",
        summary=(
            "NodeResourcesFit scores by the share requested, from 0 for an empty node to 10 for a full one; a GPU "
            "counts five times as much as cpu and memory."
        ),
        source="kube-scheduler v1.34, NodeResourcesFitArgs",
        raw=_configuration(
            args={
                "NodeResourcesFit": {
                    "scoringStrategy": {
                        "type": "RequestedToCapacityRatio",
                        "resources": _weighted(gpu=5, cpu=1, memory=1),
                        "requestedToCapacityRatio": {
                            "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
                        },
                    }
                }
            }
        ),
        also=("RequestedToCapacityRatio",),
    ),
    Preset(
        name="zone-spread",
        title="Spread over zones by default",
        summary=(
            "PodTopologySpread prefers a skew of at most 1 between zones for pods that state no constraint and belong "
            "to a service or a workload; the built-in defaults allow 5 between zones and 3 between nodes."
        ),
        source="kube-scheduler v1.34, PodTopologySpreadArgs",
        raw=_configuration(
            args={
                "PodTopologySpread": {
                    "defaultingType": "List",
                    "defaultConstraints": [
                        {
                            "maxSkew": 1,
                            "topologyKey": "topology.kubernetes.io/zone",
                            "whenUnsatisfiable": "ScheduleAnyway",
                        }
                    ],
                }
            }
        ),
    ),
    Preset(
        name="sampled-nodes",
        title="Look at a tenth of the nodes: percentageOfNodesToScore 10",
        summary=(
            "Looking for feasible nodes stops at 10 percent of the nodes, but not below 100, as kube-scheduler does; "
            "runs otherwise look at all nodes."
        ),
        source="kube-scheduler v1.34, percentageOfNodesToScore",
        raw={**_configuration(), "percentageOfNodesToScore": 10},
        policies={"node_search": "configured"},
        also=("percentageOfNodesToScore", "sampling"),
    ),
    Preset(
        name="large-cluster-sampling",
        title="Look at as many nodes as kube-scheduler does",
        summary=(
            "Looking for feasible nodes stops where kube-scheduler's defaults stop it: at 50 percent of the nodes, one "
            "percent less for each 125 nodes, but not below 5 percent nor below 100 nodes. Runs otherwise look at all."
        ),
        source="kube-scheduler v1.34, percentageOfNodesToScore",
        raw=_configuration(),
        policies={"node_search": "configured"},
        also=("adaptive-sampling",),
    ),
    Preset(
        name="least-requested-2017",
        title="DefaultProvider: spread by what is requested (2017)",
        summary="Whole scores of 0 to 10: LeastRequestedPriority and BalancedResourceAllocation, weight 1 each.",
        source="seed 002, Node Prioritization on Resources",
        raw=_configuration({"score": _score(("LeastRequestedPriority", 1), ("BalancedResourceAllocation", 1))}),
        also=("DefaultProvider",),
    ),
    Preset(
        name="most-requested-2017",
        title="ClusterAutoscalerProvider: pack by what is requested (2017)",
        summary="Whole scores of 0 to 10: MostRequestedPriority and BalancedResourceAllocation, weight 1 each.",
        source="seed 002, Node Prioritization on Resources",
        raw=_configuration({"score": _score(("MostRequestedPriority", 1), ("BalancedResourceAllocation", 1))}),
        also=("ClusterAutoscalerProvider",),
    ),
    Preset(
        name="least-requested-alone-2017",
        title="LeastRequestedPriority alone (2017)",
        summary="Whole scores of 0 to 10: the mean of the shares of cpu and memory that stay free; no other score.",
        source="seed 002, Node Prioritization on Resources",
        raw=_configuration({"score": _score(("LeastRequestedPriority", 1))}),
        also=("LeastRequestedPriority",),
    ),
    Preset(
        name="most-requested-alone-2017",
        title="MostRequestedPriority alone (2017)",
        summary="Whole scores of 0 to 10: the mean of the shares of cpu and memory that are requested; no other score.",
        source="seed 002, Node Prioritization on Resources",
        raw=_configuration({"score": _score(("MostRequestedPriority", 1))}),
        also=("MostRequestedPriority",),
    ),
    Preset(
        name="map-reduce-scores-2019",
        title="Map per node, reduce per plugin, weigh and add (2019)",
        summary=(
            "A plugin x node matrix: mapped per node, reduced per plugin (affinity and taints by their maximum), added "
            "with weights (10 for the scores of 0 to 10); a reservoir of one chooses among equals."
        ),
        source="seed 003, sections 1 and 2",
        raw=_configuration(
            {
                "score": _score(
                    ("LeastRequestedPriority", 10),
                    ("BalancedResourceAllocation", 10),
                    ("NodeAffinity", 1),
                    ("TaintToleration", 1),
                )
            }
        ),
        policies={"draw": "reservoir"},
        also=("map-reduce",),
    ),
    Preset(
        name="generic-preemption-2020",
        title="Preemption of the generic scheduler (2020)",
        summary=(
            "Every node that may help is examined; budgets are violated at no allowed disruption and never used up; a "
            "node without victims wins at once; five criteria."
        ),
        source="seed 001, sections 2.1 to 2.6",
        raw=_configuration(
            {"multiPoint": {"enabled": [{"name": "GenericPreemption"}], "disabled": [{"name": "DefaultPreemption"}]}}
        ),
        also=("preemption-2020", "GenericPreemption"),
    ),
    Preset(
        name="move-cycle-queue-2021",
        title="Queue with move-request cycles (2021)",
        summary=(
            "Events are names, without hints; a move during an attempt sends its pod to backoffQ. Flushes every 1 s "
            "and 30 s; at most 60 s unschedulable; backoff of 1 s to 10 s."
        ),
        source="seed 000, sections Pop, flushBackoffQCompleted and flushUnschedulableQLeftover",
        raw={**_configuration(), "podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 10},
        policies={"queue": "move-cycle", "event_names": "of_2021", "unschedulable_stay_us": 60_000_000},
        also=("move-cycle", "PriorityQueue"),
    ),
    Preset(
        name="coscheduling",
        title="Coscheduling: groups all or nothing",
        summary="PodGroups wait at Permit until minMember pods have a node. Its package is examples/coscheduling.",
        source="seed 004, section Registry",
        raw=_configuration(
            {
                "multiPoint": {"enabled": [{"name": "Coscheduling"}]},
                "queueSort": {"enabled": [{"name": "Coscheduling"}], "disabled": [{"name": "*"}]},
            }
        ),
        plugin="Coscheduling",
        also=("gang",),
    ),
    Preset(
        name="capacity-scheduling",
        title="Capacity scheduling: elastic quotas",
        summary=(
            "Namespaces borrow what others leave of their min, up to their own max, and take it back by preemption. "
            "Its package is examples/capacity_scheduling."
        ),
        source="kubernetes-sigs/scheduler-plugins, CapacityScheduling",
        raw=_configuration(
            {
                "multiPoint": {"enabled": [{"name": "CapacityScheduling"}]},
                "postFilter": {"enabled": [{"name": "CapacityScheduling"}], "disabled": [{"name": "*"}]},
            }
        ),
        plugin="CapacityScheduling",
        also=("elastic-quotas", "ElasticQuota"),
    ),
)


def _spelling(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).lower()


_NAMING = tuple(
    one if one.name == DEFAULT else msgspec.structs.replace(one, policies={**FOLLOWED, **one.policies}) for one in _ALL
)
PRESETS: dict[str, Preset] = {preset.name: preset for preset in _NAMING}
"""By name, in the order in which they are shown."""

_BY_SPELLING = {_spelling(name): preset for preset in _NAMING for name in (preset.name, *preset.also)}


def find_preset(name: str) -> Preset:
    """The preset of this name, in any spelling of case, dashes and spaces. Raises ValueError that lists the known."""
    preset = _BY_SPELLING.get(_spelling(name))
    if preset is None:
        raise ValueError(f'there is no preset "{name[:80]}"; known are {", ".join(PRESETS)}')
    return preset
