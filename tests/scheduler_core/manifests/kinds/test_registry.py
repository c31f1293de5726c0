"""Kinds that are read, counted or unknown."""

from __future__ import annotations

import pytest

from scheduler_core.api import objects as k8s
from scheduler_core.api.kinds import bare_kind
from scheduler_core.manifests.kinds.registry import KINDS, kind_name, name_in_group, served_version
from scheduler_core.manifests.writing.json_edits import JsonEdit
from tests.scheduler_core.manifests.kinds.two_groups import BOTH, GROUP, NAME, PodGroup, both_registered
from tests.scheduler_core.manifests.manifest_helpers import NODE, load, only


def test_custom_kinds_are_one_warning_and_counted():
    documents = "---\n".join(
        f"{{apiVersion: example.io/v1, kind: Widget, metadata: {{name: w{i}}}}}\n" for i in range(50)
    )
    result = load(documents)
    assert result.passed_over == {"Widget": 50}
    assert (only(result).severity, result.manifests) == ("warning", [])


def test_kinds_without_effect_are_counted_silently():
    result = load(NODE + "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}")
    assert (result.findings, result.passed_over) == ([], {"ConfigMap": 1})


def test_a_kind_of_another_project_is_no_error():
    result = load("{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s}}")
    assert result.ok
    assert result.passed_over == {"Service": 1}


def test_a_kind_that_is_not_read_is_never_taken_for_the_one_of_its_word():
    loaded = load(BOTH)
    assert [one.min_member for one in loaded.objects.pod_groups] == [3]
    assert [(one.api_version, one.facts) for one in loaded.unplayed.objects] == [
        (f"{GROUP}/v1alpha2", {"minMember": "5"})
    ]
    assert loaded.ok


def test_two_kinds_of_one_word_are_read_side_by_side_under_names_of_their_own():
    with both_registered():
        loaded = load(BOTH)
        assert loaded.findings == []
        assert [(one.kind, one.name) for one in loaded.manifests] == [("PodGroup", "g"), (NAME, "g")]
        assert [one.complete["kind"] for one in loaded.manifests] == ["PodGroup", "PodGroup"]
        assert [one.min_member for one in loaded.objects.pod_groups] == [3]
        assert JsonEdit("remove", f"{GROUP}/v1alpha2/PodGroup/default/g").named[0] == NAME
        assert JsonEdit("remove", "scheduling.x-k8s.io/v1alpha1/PodGroup/default/g").named[0] == "PodGroup"
        assert (PodGroup.__name__, k8s.PodGroup.__name__) == (NAME, "PodGroup")
        assert (bare_kind(NAME), served_version(NAME)) == ("PodGroup", f"{GROUP}/v1alpha2")


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_name_is_read_back_from_what_manifests_write(name):
    assert kind_name(bare_kind(name), served_version(name)) == name
    assert name_in_group(bare_kind(name), KINDS[name].group) == name


@pytest.mark.parametrize("version", ["v1", "", "apps/v1"])
def test_a_wrong_version_of_kubernetes_is_the_kind_and_an_error(version):
    assert kind_name("Job", version) == "Job"
    assert kind_name("Pod", "example.com/v1") == ""
    assert kind_name(NAME, version) == ""
