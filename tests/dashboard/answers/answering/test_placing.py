"""Where the pods of drained nodes could go, by an answer worker."""

from __future__ import annotations

import json

import msgspec
import pytest

from dashboard.answers import computing
from dashboard.answers.answering.placing import Moved
from dashboard.answers.answering.time_limit import TimeLimit
from dashboard.answers.asking import answer_deadline, ask_of_revision
from dashboard.answers.messages import Request
from dashboard.answers.outcomes import Answer, Failed
from dashboard.answers.questions import DrainOf, FitOf
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard.clusters.drafts.draft_helpers import change, new_draft
from tests.dashboard.run_helpers import node, pod


@pytest.fixture
def drained(workspace):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    bound = {"status": {"phase": "Running"}}
    pods = [pod(name, cpu, nodeName="a", priority=n) | bound for n, (name, cpu) in enumerate((("x", "2"), ("y", "3")))]
    return object_store.save_revision(cluster, [node("a", "8"), node("b", "4"), *pods], Saving(None))


def test_each_pod_is_tried_where_the_one_before_left_the_cluster(drained):
    question = DrainOf(nodes=("a",), pods=("default/x", "default/y"))
    first = ask_of_revision(drained, question, answer_deadline(question)).value.moved
    assert first[0] == Moved("default/y", "b", 1)
    assert (first[1].pod, first[1].node, first[1].fits) == ("default/x", "", 0)
    assert "1 Insufficient cpu, 1 node(s)" in first[1].why
    alone = DrainOf(nodes=("a",), pods=("default/x",))
    assert ask_of_revision(drained, alone, answer_deadline(alone)).value.moved == (Moved("default/x", "b", 1),)


NODES = [node("a", "4"), node("b", "4"), node("c", "1")]
PODS = [pod("wide", "3"), pod("held", "3", nodeName="a") | {"status": {"phase": "Running"}}]


@pytest.fixture
def revision(workspace):
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    return object_store.save_revision(cluster, [*NODES, *PODS], Saving(None))


def ask(revision, pod_key="", edits=(), replaces=("", "", ""), **more):
    question = FitOf(pod=pod_key, edits=json.dumps(list(edits)) if edits else "", replaces=replaces, **more)
    return ask_of_revision(revision, question, answer_deadline(question))


def fits(*asked, **more):
    answer = ask(*asked, **more)
    assert isinstance(answer, Answer), answer
    return sorted(one.node for one in answer.value.each() if one.fits)


def test_a_pod_of_the_revision_fits_where_there_is_room(revision):
    assert fits(revision, "default/wide") == ["b"]
    fit = ask(revision, "default/wide").value
    assert [(group.reasons, group.nodes, group.resolvable) for group in fit.groups] == [
        (("Insufficient cpu",), 1, True),
        (("Insufficient cpu",), 1, False),
    ]
    assert (fit.n_nodes, fit.n_fits) == (3, 1)


def test_an_edited_pod_is_asked_about_in_its_edited_form_and_nothing_is_kept_of_it(revision):
    assert fits(revision, "", [pod("wide", "1")]) == ["a", "b", "c"]
    assert fits(revision, "", [pod("wide", "5")]) == []
    assert fits(revision, "default/wide") == ["b"]


def test_other_edited_objects_count_and_are_taken_back(revision):
    assert fits(revision, "default/wide", [node("c", "8")]) == ["b", "c"]
    assert fits(revision, "default/wide", [node("new", "8")], ("Node", "", "b")) == ["new"]
    assert fits(revision, "default/wide") == ["b"]
    assert fits(revision, "default/wide", [pod("held", "1", nodeName="a")]) == ["a", "b"]


def test_one_session_answers_for_all_versions(revision):
    computing.sessions.cache_clear()
    for cpu in ("1", "2", "3"):
        ask(revision, "", [pod("wide", cpu)])
    ask(revision, "default/wide", [node("c", "8")])
    assert computing.sessions().made == 1


def test_a_workload_is_asked_about_by_the_first_pod_that_it_makes(revision):
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", "3")["spec"]}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "default"}}
    assert fits(revision, "", [web | {"spec": spec}]) == ["b"]


def test_a_draft_is_asked_about_as_it_is_now(revision, editor):
    computing.sessions.cache_clear()
    draft = new_draft(editor, revision.cluster)
    change(editor, draft, node("c", "8"))
    assert fits(revision, "default/wide", draft=draft.pk, version="1") == ["b", "c"]
    change(editor, draft, node("d", "8"))
    assert fits(revision, "default/wide", draft=draft.pk, version="2") == ["b", "c", "d"]
    assert fits(revision, "default/wide", [node("d", "1")], draft=draft.pk, version="2") == ["b", "c"]
    assert computing.sessions().made == 1
    assert fits(revision, "default/wide") == ["b"]
    gone = draft.pk
    draft.delete()
    failed = ask(revision, "default/wide", draft=gone, version="3")
    assert isinstance(failed, Failed)
    assert "draft does not" in failed.text


def test_what_is_not_there_or_not_valid_is_said(revision):
    asked = [("default/none", []), ("", [node("d", "1")]), ("", [pod("wide", "many")])]
    assert {type(ask(revision, *one)) for one in asked} == {Failed}
    assert isinstance(ask(revision, "default/wide", config="none"), Failed)


def test_a_revision_of_another_workspace_is_not_found(revision):
    request = Request("k", 0, revision.cluster.workspace_id + 1, msgspec.Raw(b'{"question":"fit"}'), True, revision.pk)
    assert computing.reply_to(request, TimeLimit(1e12)).error == computing.NO_REVISION


@pytest.mark.parametrize(
    ("asked", "more", "sentence"),
    [
        (("default/none",), {}, "there is no pod default/none in this cluster."),
        (("", [node("d", "1")]), {}, "no pod in the text"),
        (("", [pod("wide", "many")]), {}, "cannot be scheduled"),
        (("default/wide",), {"config": "none"}, "does not exist"),
        (("default/wide",), {"draft": 10**6, "version": "1"}, "draft does not exist"),
    ],
)
def test_words(revision, asked, more, sentence):
    assert sentence in ask(revision, *asked, **more).text


@pytest.mark.parametrize(
    ("edited", "opened_as", "nodes"),
    [
        (node("c", "8"), ("Node", "", "c"), ["b", "c"]),
        (node("d", "8"), ("Node", "", "c"), ["b", "d"]),
        (node("d", "8"), ("Node", "", "b"), ["d"]),
        (pod("held", "1", nodeName="b"), ("Pod", "default", "held"), ["a", "b"]),
        (pod("other", "3", nodeName="b"), ("Pod", "default", "held"), ["a"]),
        (pod("other", "3", nodeName="b"), ("", "", ""), []),
    ],
)
def test_an_object_that_was_renamed_is_no_longer_there(revision, edited, opened_as, nodes):
    assert fits(revision, "default/wide", [edited], opened_as) == nodes
