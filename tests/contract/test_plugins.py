"""Every registered plugin against every check of the contract, with its defaults and with other arguments."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from scheduler_core.framework.contracts.plugin import FilterPlugin
from scheduler_core.profiles.args import decode_args
from scheduler_core.profiles.registry import IN_TREE, LEGACY
from scheduler_core.testing.check_plugin import checks_of, run_check
from scheduler_core.testing.plugin_subject import Subject, answers

if TYPE_CHECKING:
    from scheduler_core.framework.contracts.plugin import Plugin

GPU = {"name": "example.com/gpu", "weight": 5}
MIXED = [{"name": "cpu", "weight": 2}, {"name": "memory", "weight": 3}, GPU]
SHAPE = [{"utilization": 10, "score": 2}, {"utilization": 40, "score": 10}, {"utilization": 90, "score": 0}]
ZONES = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}
SSD = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
OTHER_ARGS: dict[str, dict[str, dict[str, Any]]] = {
    "NodeResourcesFit": {
        "most": {"scoringStrategy": {"type": "MostAllocated", "resources": MIXED}},
        "ratio": {
            "scoringStrategy": {
                "type": "RequestedToCapacityRatio",
                "resources": MIXED,
                "requestedToCapacityRatio": {"shape": SHAPE},
            }
        },
        "ignoring": {"ignoredResourceGroups": ["example.com"]},
    },
    "NodeResourcesBalancedAllocation": {"three": {"resources": [{**r, "weight": 1} for r in MIXED]}},
    "NodeAffinity": {
        "added": {
            "addedAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [SSD]},
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "preference": SSD}],
            }
        }
    },
    "PodTopologySpread": {"list": {"defaultingType": "List", "defaultConstraints": [ZONES]}},
    "InterPodAffinity": {"quiet": {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True}},
}


ALL = (*IN_TREE, *LEGACY)
# Each tries a plugin on a cluster that changes step by step, or asks it once more for every answer.
LONG = {"kept results equal recomputed ones", "told changes are all changes", "facts explain verdicts and scores"}
# Plugins that no generated pod gives a reason to refuse, and why.
NOTHING_TO_REFUSE = {"NodeName": "a pod that is to be scheduled names no node"}


def cases():
    for plugin in ALL:
        for check in checks_of(plugin):
            marks = [pytest.mark.slow] if check in LONG else []
            yield pytest.param(plugin, {}, check, id=f"{plugin.name}-{check}", marks=marks)
            for name, raw in OTHER_ARGS.get(plugin.name, {}).items():
                yield pytest.param(plugin, raw, check, id=f"{plugin.name} {name}-{check}", marks=marks)


@pytest.mark.parametrize(("plugin", "raw", "check"), list(cases()))
def test_contract(plugin: type[Plugin[Any]], raw: dict[str, Any], check: str) -> None:
    run_check(check, plugin, decode_args(plugin.Args, raw))


@pytest.mark.parametrize(
    "plugin", [one for one in ALL if issubclass(one, FilterPlugin)], ids=lambda plugin: plugin.name
)
def test_a_filter_refuses_some_of_what_is_generated_and_passes_some(plugin: type[Plugin[Any]]) -> None:
    given = [one for drawn, _, made in Subject(plugin).trials() for one in answers(made, drawn.pods)]
    on_nodes = [status for one in given for status in (one.statuses or {}).values()]
    refused = any(status.is_rejected for status in (*on_nodes, *(one.pre_filter for one in given)))
    passed = any(status.is_success for status in on_nodes) or any(one.pre_filter.is_skip for one in given)
    if plugin.name in NOTHING_TO_REFUSE:
        assert not refused, f"{plugin.name} refuses something generated: take it out of NOTHING_TO_REFUSE"
        return
    missing = "refuses nothing" if not refused else "" if passed else "passes nothing"
    assert not missing, (
        f"{plugin.name} {missing} of what is generated, so that the checks compare little: add what it reads to _node, "
        "pod or _objects in scheduler_core/testing/generated.py"
    )


@pytest.mark.parametrize("plugin", ALL, ids=lambda plugin: plugin.name)
def test_a_plugin_says_what_it_mirrors(plugin: type[Plugin[Any]]) -> None:
    package = sys.modules[plugin.__module__.rpartition(".")[0]].__doc__ or ""
    documentation = f"{sys.modules[plugin.__module__].__doc__}{package}"
    assert "upstream" in documentation or "v1.34" in documentation or "seed" in documentation.lower(), (
        f"the docstring of {plugin.__module__} names what {plugin.name} mirrors: upstream, v1.34 or the seed"
    )
