"""Watches over HTTP: one's own list, what is done with it, and the changes that the page looks up."""

from __future__ import annotations

from itertools import accumulate

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from dashboard.answers.messages import AskResult, Reply
from dashboard.answers.outcomes import WaitsFor
from dashboard.runs.models import RunWatch
from dashboard.runs.storage import recordings
from dashboard.runs.watches import MAX_WATCHES, list_watches
from tests.dashboard.helpers import assert_strict_csp

pytestmark = pytest.mark.slow
HTMX = {"HX-Request": "true"}


def address(name, *args):
    return reverse(f"debugger:watch_{name}", args=["team", 1, *args])


def html_of(response):
    return response.content.decode()


def texts(member, run):
    return [one.text for one in list_watches(member, run)]


def test_the_page_lists_them_and_a_step_leaves_them_out(look, run, watch):
    watch("length of backoffQ")
    watch("count of tie")
    html = html_of(look(run, cycle=2))
    assert_strict_csp(html)
    assert html.count("data-watch=") == 2
    assert html.count("data-counted") == 1
    assert 'data-count="watches">2<' in html
    assert "data-watch=" not in html_of(look(run, "main", cycle=2))


def test_a_step_asks_the_database_nothing_of_watches(look, run, watch):
    watch("length of backoffQ")
    with CaptureQueriesContext(connection) as queries:
        look(run, "main", cycle=2)
    assert not [one for one in queries if "runwatch" in one["sql"]]


def test_a_viewer_adds_moves_and_removes_their_own(viewer, editor, run):
    for text in ("pods on full-a", "pods on full-b"):
        assert viewer.post(address("add"), {"text": text}, headers=HTMX).status_code == 200
    first, second = list_watches(viewer.member, run)
    assert viewer.post(address("move", second.pk), {"to": "up"}, headers=HTMX).status_code == 200
    assert texts(viewer.member, run) == ["pods on full-b", "pods on full-a"]
    assert "pods on full-a" not in html_of(editor.get(f"/w/team/runs/{run.number}/?cycle=1"))
    assert editor.post(address("remove", first.pk), headers=HTMX).status_code == 404
    html = html_of(viewer.post(address("remove", first.pk), headers=HTMX))
    assert_strict_csp(html)
    assert texts(viewer.member, run) == ["pods on full-b"]
    assert "pods on full-a" not in html


def test_what_cannot_be_watched_is_said_below_the_field_with_what_was_written(viewer, run):
    response = viewer.post(address("add"), {"text": 'free "><script>x</script> of a'}, headers=HTMX)
    html = html_of(response)
    assert response.status_code == 422
    assert "column 6" in html
    assert "<script" not in html
    assert "free &quot;&gt;&lt;script&gt;" in html
    assert_strict_csp(html)
    assert not RunWatch.objects.exists()


def test_without_scripts_forms_lead_back_to_the_page(viewer, run):
    response = viewer.post(address("add"), {"text": "pods on full-a"})
    assert response.url == f"/w/team/runs/{run.number}/"
    assert viewer.post(address("add"), {"text": "nothing"}).status_code == 400


def test_a_full_list_takes_no_more(viewer, run, watch):
    for number in range(MAX_WATCHES):
        watch(f"pods on node-{number}")
    response = viewer.post(address("add"), {"text": "pods on full-a"}, headers=HTMX)
    assert response.status_code == 422
    sentences = ("At most 12 values can be watched in a run.", "12 values are watched, which is the most in a run.")
    assert [one for one in sentences if one not in html_of(response)] == []


def test_texts_are_completed_with_what_there_is(viewer, run):
    def names(text):
        html = html_of(viewer.get(address("names"), {"text": text}))
        return [part.split('"')[0] for part in html.split('value="')[1:]]

    assert any("RESOURCE of NODE" in name for name in names(""))
    assert [name.rpartition(" of ")[2] for name in names("free cpu of full")] == ["full-a", "full-b"]
    assert names("pods on taint") == ["pods on taint-c"]
    assert "in flight" in [name.removeprefix("length of ") for name in names("length")]
    assert [name.rpartition(" ")[2] for name in names("state of pod never")] == ["default/never-0"]
    assert "count of outcome:unschedulable" in names("count of outcome:unsch")
    assert names("free cpu of <script>") == []


def test_changes_are_answered_as_the_recording_has_them(viewer, run, watch):
    length, state = watch("length of unschedulable"), watch("state of pod default/never-0")
    response = viewer.get(address("series"), {"ids": f"{length.pk},{state.pk}"})
    answer = response.json()
    assert (answer["state"], answer["reached"], answer["head"]) == ("done", run.head.seq, run.head.seq)
    changes = answer["series"][str(length.pk)]
    values = [changes["texts"][one] for one in changes["which"]]
    seqs = list(accumulate(changes["seqs"]))
    for seq in range(run.head.seq + 1):
        expected = recordings.read(run.pk, lambda reader, seq=seq: reader.state_at(seq))
        count = sum(entry.lane == "unschedulable" for entry in expected.queue.values())
        assert values[sum(one <= seq for one in seqs) - 1] == str(count)
    assert answer["series"][str(state.pk)]["texts"][-1].startswith("unschedulable, ")


def test_only_what_came_since_is_answered(viewer, run, watch):
    one = watch("length of unschedulable")
    answer = viewer.get(address("series"), {"ids": one.pk, "after": run.head.seq}).json()
    assert answer["series"][str(one.pk)]["seqs"] == []


def test_another_member_s_watches_are_not_answered(editor, run, watch):
    one = watch("length of unschedulable")
    assert editor.get(address("series"), {"ids": one.pk}).status_code == 404


@pytest.mark.parametrize("ids", ["", "a", "1,,2", "99999999999", ",".join(map(str, range(13)))])
def test_ids_that_cannot_be_are_refused(viewer, run, ids):
    assert viewer.get(address("series"), {"ids": ids}).status_code == 400


def test_while_nobody_answers_it_says_what_it_waits_for_and_why_it_failed(viewer, run, watch, worker_stub):
    one = watch("length of unschedulable")
    answer = viewer.get(address("series"), {"ids": one.pk}).json()
    assert (answer["state"], bool(answer["words"])) == ("waiting", True)
    worker_stub.result = AskResult(waits_for=WaitsFor.RESULT)
    assert viewer.get(address("series"), {"ids": one.pk, "until": 1}).json()["words"].endswith(" 30 s")
    worker_stub.result = AskResult(reply=Reply(error="the recording fails"))
    answer = viewer.get(address("series"), {"ids": one.pk}).json()
    assert (answer["state"], answer["words"]) == ("failed", "The recording fails")


@pytest.mark.parametrize(
    ("waits_for", "query", "sentence"),
    [
        (WaitsFor.WORKER, {}, "no answer worker replies"),
        (WaitsFor.RESULT, {"until": 1}, "no answer within 30 s"),
    ],
)
def test_words(viewer, run, watch, worker_stub, waits_for, query, sentence):
    one = watch("length of unschedulable")
    worker_stub.result = AskResult(waits_for=waits_for)
    assert viewer.get(address("series"), {"ids": one.pk, **query}).json()["words"] == sentence
