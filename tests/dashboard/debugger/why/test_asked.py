"""The pages that say why read no inputs: answer workers do, and the pages say less until these have answered."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from dashboard.answers.messages import AskResult, Reply
from dashboard.answers.questions import UntriedOf, WhyOf
from dashboard.answers.registry import decode_question
from dashboard.clusters.revisions.contents import cache
from dashboard.debugger.inputs import facts
from dashboard.runs.models import Cycle
from tests.dashboard.answers import here
from tests.dashboard.debugger.page_text import text

PARTS = {
    "debugger:answer": (
        "why",
        "untried",
        "facts",
        "wakes",
        "doubts",
        "report",
        "no-preemption",
        "chains",
        "room",
        "remedies",
    ),
    "debugger:why_node_answer": ("why-node", "request-ranges", "request-trial"),
}
CODE = "TOO_LARGE"


@pytest.fixture
def unread(run):
    """A function that says whether this process has read the run's inputs since; no page had them before."""
    facts._kept.clear()
    cache.clear()
    key = (run.revision.cluster.workspace_id, run.revision.sha256)
    return lambda: cache.get(key) is None and facts.facts_kept(run) is None


def why(look, run, **query):
    return look(run, name="debugger:why", **query)


def asking_parts(response):
    """Return the addresses that parts of the page ask for by themselves."""
    return re.findall(r'hx-get="([^?"]+)[^"]*" hx-trigger="load', response.content.decode())


def asked_by(worker):
    return decode_question(bytes(worker.asked.request.question))


@pytest.mark.slow
def test_no_page_that_says_why_and_no_part_of_one_reads_inputs_here(look, run, worker_stub, unread, viewer):
    cycles = list(Cycle.objects.filter(run_id=run.pk))
    pages = [{"pod": f"default/{name}"} for name in ("never-0", "small-0", "big-0", "gated-0")]
    pages += [{"cycle": cycles[0].number, "point": point} for point in ("PreFilter", "Filter")]
    statuses = set()
    for query in pages:
        for part in ("", "main"):
            assert why(look, run, part=part, **query).status_code == 200
            assert look(run, part=part, name="debugger:why_node", **query).status_code == 200
        for name, questions in PARTS.items():
            for question in questions:
                statuses.add(viewer.get(reverse(name, args=["team", run.number, question]), query).status_code)
        statuses.add(viewer.get(reverse("debugger:why_would", args=["team", run.number]), query).status_code)
    numbers = ",".join(str(cycle.number) for cycle in cycles)
    missing = viewer.get(reverse("debugger:cycles_missing", args=["team", run.number]), {"cycles": numbers})
    assert missing.status_code == 200
    assert statuses == {200, 404}
    assert worker_stub.asked is not None
    assert unread()


def test_without_a_worker_the_page_says_what_is_recorded_and_the_part_asks_again(look, run, worker_stub, unread):
    response = why(look, run, pod="default/never-0")
    html = response.content.decode()
    recorded = response.context["page"].attempt.frame
    assert (recorded.rows.n_present, len(recorded.feasible)) == (3, 0)
    assert "0 of 3 nodes" in text(response)
    assert CODE not in html
    assert f'hx-get="{reverse("debugger:answer", args=["team", run.number, "why"])}?' in html
    cycle = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    assert asked_by(worker_stub) == WhyOf(cycle.number)
    assert worker_stub.asked.request.is_short


def test_with_the_answer_the_page_is_whole_and_asks_nothing_more(look, run, unread):
    response = why(look, run, pod="default/never-0")
    assert CODE in text(response)
    assert reverse("debugger:answer", args=["team", run.number, "why"]) not in asking_parts(response)


def test_the_part_brings_the_cause_and_fills_the_place_of_groups(run, unread, viewer, cycle_of):
    url = reverse("debugger:answer", args=["team", run.number, "why"])
    response = viewer.get(url, {"cycle": cycle_of("never-0").number})
    assert CODE in text(response)
    assert 'data-fills="obstacles"' in response.content.decode()


def test_a_part_that_comes_later_is_sent_anew_once_the_answer_is_there(look, run, worker_stub, unread, viewer):
    first = why(look, run, part="main", pod="default/never-0")
    reply = here.ask(worker_stub.asked)
    worker_stub.result = reply
    url = reverse("debugger:why", kwargs={"slug": "team", "number": run.number})
    headers = {"HX-Request": "true", "HX-Target": "main", "If-None-Match": first["ETag"]}
    again = viewer.get(url, {"pod": "default/never-0"}, headers=headers)
    assert again.status_code == 200
    assert CODE in text(again)


def test_an_answer_that_failed_is_said_and_not_asked_for_again(look, run, worker_stub, unread):
    worker_stub.result = AskResult(Reply(error="Inputs gone"))
    response = why(look, run, pod="default/never-0")
    assert "Inputs gone" in text(response)
    assert reverse("debugger:answer", args=["team", run.number, "why"]) not in asking_parts(response)


def test_the_gates_of_a_pod_are_asked_for(look, run, worker_stub, unread):
    response = why(look, run, pod="default/gated-0")
    assert asked_by(worker_stub) == UntriedOf("default/gated-0", run.head.seq)
    assert "spec.schedulingGates" in text(response)
    worker_stub.result = here.ask(worker_stub.asked)
    assert "example.org/hold" in text(why(look, run, pod="default/gated-0"))


@pytest.mark.parametrize(
    ("pod", "sentence"),
    [
        ("never-0", "0 of 3 nodes passed all filters"),
        ("gated-0", "It is tried once spec.schedulingGates is empty."),
    ],
)
def test_words(look, run, worker_stub, pod, sentence):
    assert sentence in text(why(look, run, pod=f"default/{pod}"))
