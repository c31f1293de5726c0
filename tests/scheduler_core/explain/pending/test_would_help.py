"""Whether a change would help a waiting pod, compared with what the change does in a run."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.api.objects import StorageClass
from scheduler_core.api.taints import Taint, Toleration
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.pending import hints_for, wakes_up, would_help
from scheduler_core.explain.pending.would_help import WouldHelp
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.explain.pending.test_wakes import stuck


def test_a_change_is_judged_by_the_hints() -> None:
    simulation = stuck().simulation
    node = simulation.inputs.objects.nodes[0]

    def wakes(old: object, new: object) -> bool:
        return wakes_up(hints_for(simulation, "default/p", old, new))

    assert wakes(None, make_node("big", cpu="4"))
    assert not wakes(None, make_node("small", cpu="1", taints=[Taint("gpu", "yes")]))
    assert wakes(node, msgspec.structs.replace(node, allocatable={**node.allocatable, "cpu": 5000}))
    assert not wakes(node, msgspec.structs.replace(node, annotations={"a": "b"}))
    pod = simulation.world.pods["default/p"]
    assert wakes(pod, msgspec.structs.replace(pod, tolerations=(Toleration(operator="Exists"),)))
    assert wakes(make_pod("gone", cpu="1", node_name="n"), None)


def test_whether_a_change_would_help_is_asked_of_the_hints_and_tried() -> None:
    session = stuck()
    trials = Trials(session.simulation, session.now_us)
    big = would_help(trials, "default/p", None, make_node("big", cpu="4"))
    assert (big.events, big.wakes, big.fits, big.node) == (("NodeAdd",), True, True, "big")
    small = would_help(trials, "default/p", None, make_node("small", cpu="2", taints=[Taint("gpu", "yes")]))
    assert (small.wakes, small.fits) == (False, False)
    assert "Insufficient cpu" in small.failure
    pod = session.simulation.world.pods["default/p"]
    tolerant = msgspec.structs.replace(pod, tolerations=(Toleration(operator="Exists"),))
    helped = would_help(trials, "default/p", pod, tolerant)
    assert (helped.wakes, helped.fits, helped.node) == (True, True, "t")
    other = would_help(trials, "default/p", None, StorageClass(name="s"))
    assert (other.events, other.wakes, other.fits) == (("storage.k8s.io/StorageClassAdd",), False, False)
    unknown = would_help(trials, "default/p", None, make_pod("new"))
    assert unknown.fits is None, "another pod that comes is not tried"
    assert would_help(trials, "default/p", None, make_node("big", cpu="4")) == big, "nothing of a trial stays"


@pytest.mark.parametrize(
    ("fields", "wakes", "fits"),
    [
        ({"lane": "active"}, "It is tried again without it: it is in activeQ.", ""),
        ({"events": ()}, "It gives no event that the scheduler listens to, so nothing brings the pod back.", ""),
        ({"wakes": False}, "NodeAdd does not bring it back.", ""),
        ({"wakes": False, "events": ("NodeAdd", "PodAdd")}, "NodeAdd and PodAdd do not bring it back.", ""),
        ({"fits": True, "node": "n"}, "NodeAdd brings it back.", "The attempt then succeeds, on n."),
        ({"plugins": ("Fit",), "fits": True, "node": "n"}, "NodeAdd brings it back: Fit lets it through.",
         "The attempt then succeeds, on n."),
        ({"plugins": ("Fit", "Ports"), "fits": False, "failure": "no room"},
         "NodeAdd brings it back: Fit and Ports let it through.", "The attempt then fails: no room"),
        ({"fits": False, "gated": "by a gate"}, "NodeAdd brings it back.", "It would still be held back: by a gate"),
        ({"fits": False, "unanswered": "filter"}, "NodeAdd brings it back.",
         "What the attempt then decides is unknown: the tape has no answer to filter."),
        ({"fits": False, "node": "n", "in_vain": "it is full."}, "NodeAdd brings it back.",
         "The attempt then finds n. That is in vain: it is full."),
        ({"fits": False, "nominated": "n", "victims": ("a/b",), "in_vain": "it is full."}, "NodeAdd brings it back.",
         "The attempt then fails; preemption makes room on n, evicting a/b. That is in vain: it is full."),
    ],
)  # fmt: skip
def test_words(fields: dict[str, Any], wakes: str, fits: str) -> None:
    given = {"events": ("NodeAdd",), "plugins": (), "wakes": True, "lane": "unschedulable", **fields}
    effect = WouldHelp(**given)
    assert (effect.wakes_words, effect.fits_words) == (wakes, fits)
