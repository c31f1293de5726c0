"""The page that says why a pod is pending."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from django.template.loader import render_to_string
from django.urls import reverse

from dashboard.debugger.inputs.attempts import pending_attempts
from dashboard.debugger.outcomes import summary_cache
from dashboard.debugger.panels.why.attempts import AttemptLog, AttemptRow
from dashboard.runs.models import Cycle, QueueMove, Victim
from dashboard.runs.queries import attempts_around
from scheduler_core.explain.pending.model import PendingAttempt
from scheduler_core.recording.state import PermitWait
from tests.dashboard.debugger.conftest import page_of
from tests.dashboard.debugger.page_text import text, text_of
from tests.dashboard.run_helpers import node, pod


@pytest.fixture(autouse=True)
def _fresh_summary():
    summary_cache.forget()


def why(look, run, **query):
    return look(run, name="debugger:why", **query)


def test_a_pod_opens_at_its_last_attempt_with_the_answer_beside_its_group(look, run):
    response = why(look, run, pod="default/never-0")
    html, page_text = response.content.decode(), text(response)
    last = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    assert f"cycle {last.number}" in page_text
    assert "TOO_LARGE" in page_text
    assert "2 of 3 nodes" in page_text
    assert [one.name for one in response.context["pending"].siblings.pods] == ["never-0"]
    assert 'id="wy-attempts"' in html
    assert reverse("debugger:answer", args=["team", run.number, "wakes"]) in html


def test_where_the_time_of_a_pod_went_stands_beside_the_answer(look, run):
    waits = why(look, run, pod="default/never-0").context["pending"]
    assert waits.spent.still
    assert {part.name for part in waits.spent.parts} >= {"unschedulable"}
    assert waits.pill[1].endswith("so far")
    response = why(look, run, pod="default/small-0")
    placed = response.context["pending"]
    assert not placed.spent.still
    assert "binding" in [part.name for part in placed.spent.parts]
    assert 'id="wy-spent"' in response.content.decode()


def test_an_attempt_is_an_address_of_its_own(look, run):
    last = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").latest("number")
    assert f'data-cycle="{last.number}"' in why(look, run, pod="default/never-0", attempt=last.attempt).content.decode()


def test_an_attempt_that_the_pod_did_not_have_is_a_clear_404_with_a_way_out(look, run):
    response = why(look, run, pod="default/never-0", attempt=99)
    assert response.status_code == 404
    assert "attempt 99" in text(response)
    assert "/why/?pod=default/never-0" in response.content.decode()


def test_a_gated_pod_says_where_it_stands_instead(look, run):
    page_text = text(why(look, run, pod="default/gated-0"))
    assert "gated" in page_text
    assert "Why gated-0" in page_text


def test_a_pod_that_was_bound_says_what_decided_and_lists_no_others(look, run):
    response = why(look, run, pod="default/small-0")
    cycle = Cycle.objects.get(run_id=run.pk, pod="default/small-0")
    assert f"went to {cycle.node}" in text(response)
    assert not response.context["pending"].is_pending
    assert response.context["pending"].siblings is None


def test_to_htmx_it_sends_the_parts_that_change(look, run):
    html = why(look, run, part="main", pod="default/never-0").content.decode()
    assert html.lstrip().startswith("<main")
    assert "<html" not in html
    assert 'id="selection"' in html


def test_what_would_let_it_fit_is_asked_by_the_page_that_rests_and_stands_below_the_answer(look, run, cycle_of, viewer):
    cycle = cycle_of("never-0").number
    address = reverse("debugger:answer", args=["team", run.number, "remedies"])
    page = why(look, run, cycle=cycle, pod="default/never-0").content.decode()
    assert f'hx-get="{address}?' in page
    assert 'id="do-this"' in page
    part = viewer.get(address, {"cycle": cycle})
    page_text = text(part)
    assert "verified" in page_text
    assert 'id="do-this"' in part.content.decode()


def test_the_tab_of_the_debugger_asks_for_the_same_parts(look, run, cycle_of):
    html = look(run, cycle=cycle_of("never-0").number, tab="why").content.decode()
    for part in ("remedies", "room"):
        assert reverse("debugger:answer", args=["team", run.number, part]) in html


def test_who_preempted_whom_stands_on_the_pages_of_preemptor_and_victim(look, run, viewer):
    preempting = Cycle.objects.get(run_id=run.pk, pod="default/big-0", preempting=True)
    part = reverse("debugger:answer", args=["team", run.number, "chains"])
    for name in ("big-0", "small-0"):
        assert (part in why(look, run, pod=f"default/{name}").content.decode()) == (name == "big-0")
    answer = viewer.get(part, {"cycle": preempting.number, "pod": "default/big-0"})
    html, page_text = answer.content.decode(), text(answer)
    chains = answer.context["page"].asked.chains.shown
    assert (chains.count, chains.cycles) == (1, 1)
    victim = Victim.objects.get(run_id=run.pk, cycle=preempting.number, reprieved=False)
    by = chains.pods[0].victims[0].by
    assert (by.node, by.cycle) == (victim.node, preempting.number)
    assert f"preempted on {victim.node}, cycle {preempting.number}" in page_text
    assert "1 victim in 1 cycle" in page_text
    assert "priority 1,000" in page_text
    assert "priority 10 " in page_text
    assert f'/why/?pod={victim.pod}"' in html
    assert viewer.get(part, {"seq": run.head.seq, "pod": victim.pod}).content.decode().count('aria-current="true"') == 1
    assert part in why(look, run, pod=victim.pod).content.decode()


def test_a_pod_that_no_preemption_touched_has_nothing_to_ask_about_chains(run, viewer, cycle_of):
    part = reverse("debugger:answer", args=["team", run.number, "chains"])
    answer = viewer.get(part, {"cycle": cycle_of("small-0").number, "pod": "default/small-0"})
    assert answer.status_code == 404


def test_pods_larger_than_any_node_are_listed_with_what_they_ask_too_much_of(look, execute):
    gpu = "nvidia.com/gpu"
    large = node("a", "16")
    large["status"]["allocatable"][gpu] = "1"
    pods = [pod(f"train-{i}", "2") for i in range(3)]
    for one in pods:
        resources = one["spec"]["containers"][0]["resources"]
        resources["requests"][gpu], resources["limits"] = "4", {gpu: "4"}
    run = execute([large, *pods], slug="large")
    response = why(look, run, pod="default/train-1")
    html = response.content.decode()
    assert response.context["pending"].siblings.total == 3
    assert '<span class="meta">gpu</span>' in html
    assert html.count('<span class="meta">4</span>') == 3


def test_a_pod_of_another_scheduler_says_so(look, execute):
    run = execute([node("a", "4"), pod("ours", "1"), pod("other-0", "1", schedulerName="volcano")], slug="foreign")
    response = why(look, run, pod="default/other-0")
    assert "OTHER_SCHEDULER" in text(response)
    assert response.context["page"].why.untried.state == "foreign"
    assert why(look, run, pod="default/nobody").context["page"].why.untried.state == "away"


def test_attempts_around_the_one_that_is_shown_are_listed_of_however_many(run):
    mine = Cycle.objects.filter(run_id=run.pk, pod="default/never-0").order_by("number")
    row, n_first = mine.values().last(), mine.count()
    Cycle.objects.bulk_create(Cycle(**row | {"number": 10_000 + n, "attempt": n}) for n in range(n_first + 1, 561))
    page = page_of(run, cycle=mine.first().number)
    assert [one.attempt.number for one in page.pod.attempt_log.rows] == list(range(1, 9))
    assert page.pod.attempt_log.total == 560
    assert not page.pod.are_more_tried
    tried = attempts_around(run, "default/never-0", "", 10_560)
    assert [one.attempt for one in tried] == list(range(61, 561))
    middle = attempts_around(run, "default/never-0", "", 10_300)
    assert [one.attempt for one in middle] == list(range(1, 309))


def test_what_brought_a_pod_back_is_of_this_attempt_alone(run):
    cycles = [
        Cycle(number=n, attempt=n, first_seq=10 * n, last_seq=10 * n + 5, at_us=0, outcome="error") for n in (1, 2)
    ]
    moves = [QueueMove(seq=3, event="UnschedulablePodAdd", target="active")]
    moves.append(QueueMove(seq=18, event="BackoffComplete", target="active"))
    attempts = pending_attempts(run, cycles, moves)
    assert [one.woken_by for one in attempts] == ["UnschedulablePodAdd", ""]


CASES = Path(__file__).parents[3] / "cases"


@pytest.mark.parametrize(
    ("case", "name", "said"),
    [
        ("missing-claim.yaml", "db-0", "CLAIM_MISSING"),
        ("terminating.yaml", "new", "new went to a"),
    ],
)
def test_the_small_cases_with_known_answers_are_right_on_the_page(look, execute, viewer, case, name, said):
    run = execute(list(yaml.safe_load_all((CASES / case).read_text())), slug="case")
    page = why(look, run, pod=f"default/{name}")
    assert said in text(page)
    if case == "missing-claim.yaml":
        part = viewer.get(reverse("debugger:answer", args=["team", run.number, "remedies"]), {"cycle": 1})
        assert "default/data-db-0" in part.context["page"].asked.remedies.shown.best.text
        assert 'id="do-this"' in page.content.decode(), "the place that the first remedy goes to"


def test_a_pod_of_a_cluster_without_nodes_has_an_answer_and_a_place_for_remedies(look, execute, viewer):
    run = execute(
        [{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}]
    )
    page = why(look, run, pod="default/p")
    assert "NO_NODES" in text(page)
    assert 'id="do-this"' in page.content.decode()
    part = viewer.get(reverse("debugger:answer", args=["team", run.number, "remedies"]), {"cycle": 1})
    assert "lets it fit" in text(part)


def test_a_pod_that_waits_at_permit_says_who_holds_it_where_and_until_when(run):
    page = page_of(run, seq=run.head.seq, pod="default/small-0")
    wait = PermitWait(
        "full-a", ("Coscheduling", "Quota"), page.moment.state.at + 90_000_000, since=page.moment.state.at
    )
    assert page.pod.permit_wait is None
    page.moment.state.waiting["default/small-0"] = wait
    try:
        assert (page.pod.permit_wait, page.pod.permit_left) == (wait, 90_000_000)
        shown = render_to_string("debugger/why/_permit.html", {"wait": page.pod.permit_wait, "page": page})
    finally:
        del page.moment.state.waiting["default/small-0"]
    sentences = [
        "Coscheduling and Quota hold it at Permit.",
        "Its place on full-a is kept since",
        "Where Coscheduling or Quota does not decide, it is rejected at",
        "in 1 min 30 s, and gives the place back.",
    ]
    assert [one for one in sentences if one not in text_of(shown).replace(" ,", ",")] == []


SMALL = "0/1 nodes are available: 1 Insufficient cpu."


def refused(name, cpu, message, at="2026-11-01T10:42:00Z"):
    """Return a pending pod that the real scheduler refused with this message."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": at}
    return pod(name, cpu) | {"status": {"phase": "Pending", "conditions": [condition | {"message": message}]}}


@pytest.fixture
def real_run(execute):
    """A run on two nodes of 4 cpu; the real scheduler saw one node of two pods."""
    objects = [node("a", "4"), node("b", "4"), pod("silent", "9")]
    objects += [refused("wide", "8", "?"), refused("fits", "1", SMALL), refused("other", "7", SMALL)]
    return execute(objects, schedule="pending", once=True)


def verdict(look, run, name):
    """Return the verdict on the page, the comparison that it shows, and the page's words."""
    response = look(run, name="debugger:why", pod=f"default/{name}")
    match = re.search(r'data-verdict="([a-z-]+)"', response.content.decode())
    return (match[1] if match else None), response.context["pending"].real_report, text(response)


def test_a_pod_that_the_run_places_has_the_real_refusal_beside_it(look, real_run):
    said, shown, page_text = verdict(look, real_run, "fits")
    assert said == "placed"
    assert (shown.real.compared.real_nodes, shown.real.compared.our_nodes) == (1, 2)
    assert shown.real.other_nodes in page_text
    assert SMALL in page_text
    assert "01 Nov 2026, 10:42 UTC" in page_text


def test_messages_that_differ_are_said_with_what_differs(look, real_run):
    said, shown, page_text = verdict(look, real_run, "other")
    assert said == "differs"
    assert [(row.reason, row.real, row.ours) for row in shown.real.differences] == [("Insufficient cpu", 1, 2)]
    assert "1 there, 2 here" in page_text


def test_a_pod_of_which_the_real_scheduler_said_nothing_has_no_such_part(look, real_run):
    assert verdict(look, real_run, "silent")[0] is None


@pytest.mark.parametrize("said", ["equal", "counts-equal"])
def test_equal_texts_are_told_from_equal_counts(look, execute, said):
    nodes = [node("a", "4"), node("b", "4")]
    ours = execute([*nodes, pod("wide", "8")], slug="ours", schedule="pending", once=True)
    cycle = Cycle.objects.get(run_id=ours.pk, pod="default/wide")
    message = page_of(ours, cycle=cycle.number).attempt.cycle.finished.message
    real = message if said == "equal" else message.partition(". ")[0] + "."
    run = execute([*nodes, refused("wide", "8", real)], slug=said, schedule="pending", once=True)
    assert verdict(look, run, "wide")[0] == said


@pytest.mark.parametrize(
    ("query", "sentences"),
    [
        (
            {"pod": "default/never-0"},
            ["opens 2 of 3 nodes", "What changed between attempts", "Trying changes that would let it fit"],
        ),
        ({"pod": "default/never-0", "attempt": 99}, ["had no attempt 99", "Open its last attempt"]),
        (
            {"pod": "default/small-0"},
            [
                "Why small-0 went to",
                "Where its time went",
                "This pod is not among those that need a look at the end of what is recorded.",
            ],
        ),
        ({"pod": "default/nobody"}, ["It is not in the cluster at this moment."]),
    ],
)
def test_words(look, run, query, sentences):
    page_text = text(why(look, run, **query))
    assert [one for one in sentences if one not in page_text] == []


def attempt(number, woken_by):
    return PendingAttempt(
        number=number, cycle=1, first_seq=1, last_seq=2, at=0, outcome="error", n_nodes=0, woken_by=woken_by
    )


@pytest.mark.parametrize(
    ("number", "woken_by", "sentence"),
    [
        (1, "", ""),
        (1, "UnschedulablePodAdd", "after its creation (UnschedulablePodAdd)"),
        (2, "", "from its backoff, no event brought it back"),
    ],
)
def test_words_of_what_woke_a_pod(number, woken_by, sentence):
    assert AttemptRow(attempt(number, woken_by), "", True, None).woken == sentence


@pytest.mark.parametrize(
    ("first", "last", "total", "sentence"),
    [(1, 1, 1, "tried once"), (1, 6, 6, "6 attempts"), (1, 8, 560, "attempts 1 to 8 of 560")],
)
def test_words_of_the_place_of_attempts(first, last, total, sentence):
    rows = [AttemptRow(attempt(n, ""), "", False, None) for n in range(first, last + 1)]
    assert AttemptLog(rows, total).place_text == sentence


def test_a_pending_pod_leads_to_the_node_groups_of_its_cluster_and_a_placed_one_does_not(look, run):
    url = why(look, run, pod="default/never-0").context["pending"].capacity_url
    cluster, number = run.revision.cluster.slug, run.revision.number
    assert url == f"/w/team/clusters/{cluster}/capacity/?pod=default/never-0&r={number}"
    assert "/capacity/" not in why(look, run, pod="default/small-0").content.decode()
