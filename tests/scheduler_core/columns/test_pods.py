"""Classes of pods: which pods share one, and those that a selector may match are found by label as by asking each."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from scheduler_core.api.objects import Pod, Volume
from scheduler_core.columns.pods import PodClasses, labels_of_any
from scheduler_core.manifests.kinds.storage.volumes import POD_SOURCES
from scheduler_core.simulate import RunInputs, RunSession
from scheduler_core.testing.builders import make_cluster, make_node
from tests.scheduler_core.engine.scenarios import case
from tests.scheduler_core.random_pods import put_pods, random_selector
from tests.seeds import each_seed

LOCAL_SOURCES = ("configMap", "downwardAPI", "emptyDir", "projected", "secret")


def test_pods_of_one_owner_share_a_class_though_each_has_a_token_volume_of_its_own_name():
    classes = PodClasses()
    pods = [_with_volumes(f"web-{i}", Volume(name=f"kube-api-access-{i}", source="projected")) for i in range(3)]
    bare = classes.info(_with_volumes("bare"))
    assert {classes.info(pod).cls for pod in pods} == {bare.cls}


@pytest.mark.parametrize("source", sorted(POD_SOURCES))
def test_volumes_that_a_plugin_may_read_keep_pods_apart(source):
    classes = PodClasses()
    claim = "data" if source == "persistentVolumeClaim" else ""
    volume = Volume(name="a", source=source, claim_name=claim, ephemeral=source == "ephemeral")
    with_it, without = classes.info(_with_volumes("one", volume)), classes.info(_with_volumes("two"))
    assert (with_it.cls is without.cls) == (source in LOCAL_SOURCES)


def test_pods_with_an_ephemeral_claim_share_nothing():
    classes, volume = PodClasses(), Volume(name="scratch", source="ephemeral", ephemeral=True)
    infos = [classes.info(_with_volumes(name, volume)) for name in ("one", "two")]
    assert infos[0].cls is not infos[1].cls


def test_a_run_is_the_same_with_and_without_token_volumes():
    plain = case("everything", "everything-timeline")
    tokens = [
        replace(pod, volumes=(*pod.volumes, Volume(name=f"kube-api-access-{i}", source="projected")))
        for i, pod in enumerate(plain.objects.pods)
    ]
    with_tokens = replace(
        plain, objects=replace(plain.objects, pods=type(plain.objects.pods)(tokens)), timeline=plain.timeline
    )
    assert _placements(with_tokens) == _placements(plain) != {}


def _with_volumes(name: str, *volumes: Volume) -> Pod:
    return Pod(name=name, namespace="shop", volumes=volumes)


def _placements(inputs: RunInputs) -> dict[str, str]:
    session = RunSession.start(inputs)
    session.advance()
    return dict(session.simulation.context.cluster.placements)


@each_seed(range(20), together=20)
def test_classes_found_by_label_are_all_that_match(seed):
    random, cluster = Random(seed), make_cluster([make_node("n0"), make_node("n1")])
    put_pods(cluster, random, range(40))
    classes = cluster.classes
    for _ in range(30):
        selector, first = random_selector(random), random.randrange(len(classes.all) + 1)
        candidates = {cls.id for cls in classes.selected(selector, first)}
        assert candidates >= {cls.id for cls in classes.all[first:] if selector.matches(cls.labels)}
        assert all(i >= first for i in candidates)
        required = labels_of_any(selector)
        if required is not None:
            assert all(set(required) & set(classes.all[i].labels.items()) for i in candidates)
