"""The version that a run follows: the cluster's where nobody names one, and the words for it."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import FollowedRevision, Following
from dashboard.clusters.revisions.contents import cluster_version
from dashboard.runs import actions
from dashboard.runs.actions import Launch
from dashboard.runs.chosen import ChosenConfiguration
from dashboard.runs.inputs import InputError, load_inputs, policies_from
from dashboard.runs.launch.views import fields_like, not_taken_over
from dashboard.runs.models import Run
from dashboard.runs.policies import BEFORE_VERSIONS, VERSIONS, own_words, version_words
from scheduler_core.simulate import Policies
from scheduler_core.versions.trains import NAMES, NEWEST_MEASURED
from tests.dashboard.run_helpers import cluster_of, node, pod

pytestmark = pytest.mark.django_db


def kubelet(version, name="k"):
    """A node whose kubelet says its version."""
    made = node(name)
    made["status"]["nodeInfo"] = {"kubeletVersion": version}
    return made


def control_plane(version, name="kube-scheduler"):
    """A pod of the control plane."""
    made = pod(name)
    made["metadata"] = {"name": f"{name}-cp", "namespace": "kube-system", "labels": {"component": name}}
    made["spec"]["containers"] = [{"name": name, "image": f"registry.k8s.io/{name}:v{version}"}]
    made["spec"]["nodeName"] = "k"
    return made


@pytest.mark.parametrize(
    ("objects", "train"),
    [
        ([], NEWEST_MEASURED),
        ([kubelet("v1.33.4-gke.1036000")], "1.33"),
        ([kubelet("v1.33.4"), control_plane("1.35.6")], "1.35"),
        ([kubelet("v1.29.1+k3s1")], "1.33"),
    ],
)
def test_a_new_run_follows_what_its_cluster_runs(launch, save, objects, train):
    revision = save([*cluster_of(1, 1), *objects])
    run = launch(revision=revision)
    assert run.policies["kubernetes"] == cluster_version(revision).train == train
    assert load_inputs(run).policies.behaviours == Policies(kubernetes=train).behaviours


def test_what_is_named_counts_before_a_preset_and_a_preset_before_the_cluster(launch, save):
    revision = save([*cluster_of(1, 1), kubelet("v1.33.4")])
    assert launch(revision=revision, preset="pack-gpus").policies["kubernetes"] == "1.34"
    named = launch(revision=revision, preset="pack-gpus", policies={"kubernetes": "1.37"})
    assert named.policies["kubernetes"] == "1.37"


def test_answers_about_a_cluster_follow_it_whatever_the_preset_names(save):
    preset = ChosenConfiguration(preset="pack-gpus")
    silent, says = save(cluster_of(1, 1)), save([*cluster_of(1, 1), kubelet("v1.33.4")])
    assert preset.policies_on(silent)["kubernetes"] == "1.34"
    assert preset.policies_on(says)["kubernetes"] == "1.33"
    assert "the newest kubelet is 1.33.4" in preset.followed_text(says)


def test_of_a_followed_cluster_what_its_api_server_said_counts_before_kubelets(save):
    revision = save([*cluster_of(1, 1), kubelet("v1.33.4")])
    following = Following.objects.create(cluster=revision.cluster)
    FollowedRevision.objects.create(
        following=following, revision=revision, kind="asked", moment=1.0, server_version="v1.35.2"
    )
    assert cluster_version(revision).train == "1.35"


def test_runs_of_before_name_none_and_stay_so(launch, editor):
    run = launch()
    old = {"taint_message": "plain", "decided": "hold"}
    Run.objects.filter(pk=run.pk).update(policies=old)
    run.refresh_from_db()
    assert version_words(run.policies) == BEFORE_VERSIONS
    assert own_words(run.policies) == []
    assert load_inputs(run).policies == Policies(decided="hold", claims="ignore")
    assert actions.start_anew(editor.member, run).policies == old
    fields = fields_like(run)
    assert (fields["kubernetes"], fields["gates"], not_taken_over(run)) == ("", "", [])
    Run.objects.filter(pk=run.pk).update(policies={"taint_message": "named"})
    run.refresh_from_db()
    assert not_taken_over(run) == ["the policy taint_message"]


def test_words_name_the_version_with_its_evidence_and_gates():
    assert [value for value, _ in VERSIONS] == list(reversed(NAMES))
    assert version_words({"kubernetes": "1.36"}) == "1.36, measured against 1.36.2"
    gates = {"kubernetes": "1.36", "gates": "NodeDeclaredFeatures=false"}
    assert version_words(gates).endswith(", with NodeDeclaredFeatures=false")
    assert own_words(gates) == ["Kubernetes 1.36", "gates NodeDeclaredFeatures=false"]


@pytest.mark.parametrize(
    "policies",
    [{"kubernetes": "newest"}, {"gates": "A=true"}, {"kubernetes": "1.37", "gates": "NodeDeclaredFeatures=false"}],
)
def test_what_cannot_be_followed_is_refused(policies):
    with pytest.raises(InputError, match="policies: "):
        policies_from(policies)


def test_a_run_of_a_wrong_version_is_not_started(editor, save):
    with pytest.raises(actions.Problem, match="no version of Kubernetes"):
        actions.create_run(editor.member, Launch(save(cluster_of(1, 1)), policies={"kubernetes": "newest"}))
