"""The launch form's version and gates: preset to the cluster's, refused beside their field, stored in the run."""

from __future__ import annotations

import pytest

from dashboard.runs.launch.forms import LaunchForm
from dashboard.runs.models import Run
from scheduler_core.versions.trains import NAMES, NEWEST_MEASURED
from tests.dashboard.run_helpers import cluster_of, node
from tests.dashboard.runs.launch.launch_pages import URL, errors, post

pytestmark = pytest.mark.django_db


def form(person, **query) -> LaunchForm:
    """Return the form of the page at this address."""
    return person.get(URL, query).context["form"]


@pytest.fixture
def of_133(save):
    """A cluster whose kubelets are of 1.33."""
    old = node("old")
    old["status"]["nodeInfo"] = {"kubeletVersion": "v1.33.4-gke.1036000"}
    return save([*cluster_of(1, 2), old], slug="older")


def test_the_form_is_preset_to_the_clusters_version_and_says_where_it_is_from(editor, prod, of_133):
    shown = form(editor, cluster="older")
    assert (shown.data["kubernetes"], shown["kubernetes"].value()) == ("1.33", "1.33")
    assert shown.version_origin == "The newest kubelet is 1.33.4."
    assert [value for value, _ in shown.fields["kubernetes"].choices] == list(reversed(NAMES))
    other = form(editor, cluster="prod", of_cluster="older", kubernetes="1.33")
    assert other.data["kubernetes"] == NEWEST_MEASURED


def test_a_preset_names_the_version_that_it_is_written_for(editor, prod):
    shown = form(editor, cluster="prod", config="preset:pack-gpus")
    assert (shown.data["kubernetes"], shown.is_version_of_preset) == ("1.34", True)
    assert form(editor, cluster="prod", config="preset:pack-gpus", kubernetes="1.36").data["kubernetes"] == "1.36"


def test_what_is_chosen_is_stored_in_one_spelling(editor, prod, messages):
    assert post(editor, kubernetes="1.35", gates=" NodeDeclaredFeatures=TRUE,").status_code == 302
    run = Run.objects.get()
    assert (run.policies["kubernetes"], run.policies["gates"]) == ("1.35", "NodeDeclaredFeatures=true")
    like = form(editor, **{"from": run.number})
    assert (like.data["kubernetes"], like.data["gates"]) == ("1.35", "NodeDeclaredFeatures=true")


@pytest.mark.parametrize(
    ("fields", "name", "problem"),
    [
        ({"kubernetes": "newest"}, "kubernetes", "newest"),
        ({"kubernetes": "1.36", "gates": "NoSuchGate=true"}, "gates", "has no feature gate NoSuchGate"),
        ({"kubernetes": "1.37", "gates": "NodeDeclaredFeatures=false"}, "gates", "is locked to true in 1.37"),
        ({"kubernetes": "1.36", "gates": "OpportunisticBatching=false"}, "gates", "is not played"),
        ({"kubernetes": "1.36", "gates": "A"}, "gates", "is no feature gate"),
    ],
)
def test_what_cannot_be_followed_is_said_beside_its_field(editor, prod, fields, name, problem):
    assert problem in str(errors(post(editor, **fields))[name])


def test_a_patch_in_an_address_counts_as_its_train(editor, prod):
    assert form(editor, cluster="prod", kubernetes="1.34.1").data["kubernetes"] == "1.34.0"


def test_a_run_that_named_none_is_started_again_without(editor, prod, launch, messages):
    run = launch(revision=prod, policies={"kubernetes": ""})
    shown = form(editor, **{"from": run.number})
    assert shown["kubernetes"].value() == ""
    assert shown.is_valid(), shown.errors
    assert shown.launch().policies["kubernetes"] == ""
