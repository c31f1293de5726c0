from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.config import Profile, SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects
from scheduler_core.profiles.plugin_sets import ProfileError
from scheduler_core.profiles.presets import find_preset
from scheduler_core.profiles.stand_ins import other_schedulers, still_needed, with_stand_ins, without_stand_ins
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod


def test_pods_that_wait_for_a_scheduler_without_profile_are_counted():
    pods = [
        make_pod("ours", uid=""),
        make_pod("a", uid="", scheduler_name="volcano"),
        make_pod("b", uid="", scheduler_name="volcano"),
        make_pod("c", uid="", scheduler_name="yunikorn"),
        make_pod("bound", uid="", scheduler_name="volcano", node_name="n"),
        make_pod("done", uid="", scheduler_name="volcano", phase="Succeeded"),
    ]
    assert other_schedulers(pods, SchedulerConfiguration()) == {"volcano": 2, "yunikorn": 1}
    assert other_schedulers(pods, SchedulerConfiguration(), all_wait=True) == {"volcano": 3, "yunikorn": 1}


def placed(configuration) -> dict[str, str]:
    """Nodes of a pod of another scheduler and of one of ours, each on a cluster of its own."""
    nodes = {}
    for name in ("default-scheduler", "volcano"):
        objects = ClusterObjects(
            nodes=[make_node("n2", cpu="2", memory="4Gi"), make_node("n4", cpu="4", memory="4Gi")],
            pods=[make_pod("p", cpu="1", uid="", scheduler_name=name)],
        )
        session = RunSession.start(RunInputs(objects=objects, configuration=configuration))
        session.advance()
        nodes[name] = session.simulation.world.pods["default/p"].node_name
    return nodes


@pytest.mark.parametrize(
    ("preset", "node"), [("most-requested-alone-2017", "n2"), ("least-requested-alone-2017", "n4")]
)
def test_a_stand_in_decides_as_its_profile(preset, node):
    configuration = find_preset(preset).configuration()
    assert placed(configuration) == {"default-scheduler": node, "volcano": ""}
    assert placed(with_stand_ins(configuration, {"volcano": "default-scheduler"})) == {
        "default-scheduler": node,
        "volcano": node,
    }


@pytest.mark.parametrize(
    ("stand_ins", "sentence"),
    [
        ({"volcano": "c"}, "there is no profile c; profiles are a, b"),
        ({"b": "a"}, "a profile is named b already"),
    ],
)
def test_words(stand_ins, sentence):
    configuration = msgspec.structs.replace(
        SchedulerConfiguration(), profiles=(Profile(scheduler_name="a"), Profile(scheduler_name="b"))
    )
    with pytest.raises(ProfileError) as refused:
        with_stand_ins(configuration, stand_ins)
    assert sentence in str(refused.value)


def test_stand_ins_are_taken_back_and_given_to_another_configuration():
    configuration = SchedulerConfiguration()
    stand_ins = {"volcano": "default-scheduler", "yunikorn": "default-scheduler"}
    assert without_stand_ins(with_stand_ins(configuration, stand_ins), stand_ins) == configuration
    other = SchedulerConfiguration(profiles=(Profile(), Profile(scheduler_name="volcano")))
    assert still_needed(other, stand_ins) == {"yunikorn": "default-scheduler"}
