"""Breakpoints over HTTP: what each role sees and may, and what the scripts of the page are answered."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from dashboard.runs.breakpoints.attachments import attached_to
from dashboard.runs.models import Breakpoint, Cycle, Run, RunStop, State
from tests.dashboard.helpers import assert_strict_csp

FIELDS = {"query": "margin<5", "name": "Narrow", "hit_count": "1", "is_on": "on"}


def address(name, *args):
    return reverse(f"debugger:{name}", args=["team", 1, *args])


def html_of(response):
    return response.content.decode()


@pytest.mark.slow
def test_the_page_lists_them_without_numbers_and_a_step_leaves_the_list_out(viewer, look, run, breakpoint_of):
    breakpoint_of("margin<5", stops=run)
    html = html_of(look(run, cycle=2))
    assert_strict_csp(html)
    assert 'id="breakpoint-list"' in html
    assert "margin&lt;5" in html
    step = html_of(look(run, "main", cycle=2))
    assert "breakpoint-list" not in step
    assert 'id="below-queues"' in step


@pytest.mark.slow
def test_a_viewer_sees_them_without_controls(viewer, editor, look, run, breakpoint_of):
    made = breakpoint_of("margin<5", stops=run)
    switch, form = address("breakpoint_switch", made.pk), address("breakpoint_new")
    for client, may in ((viewer, False), (editor, True)):
        html = html_of(client.get(f"/w/team/runs/{run.number}/?cycle=2&node=full-a"))
        assert (switch in html, form in html, "break-here" in html) == (may, may, may)
        html = html_of(client.get(address("breakpoints"), {"cycle": "2"}))
        assert (switch in html) == may
        assert ">Found<" in html


def test_names_and_queries_are_text(editor, run, breakpoint_of):
    breakpoint_of('message~"<script>alert(1)</script>"', '<img src=x onerror="a">', run)
    html = html_of(editor.get(address("breakpoints"), {"cycle": "2"}))
    assert "<script" not in html
    assert "<img" not in html
    assert_strict_csp(html)


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        ("editor", "No breakpoint yet. Press B, or + above"),
        ("viewer", "No breakpoint yet. Editors of this workspace can add some."),
    ],
)
def test_words_without_any(run, request, person, sentence):
    assert sentence in html_of(request.getfixturevalue(person).get(address("breakpoints")))


def test_the_list_says_the_number_at_the_cursor(viewer, run, breakpoint_of):
    breakpoint_of("cycle", stops=run)
    total = Cycle.objects.filter(run_id=run.pk).count()
    html = html_of(viewer.get(address("breakpoints"), {"cycle": "2"}))
    assert f"2 of {total}" in html
    assert "is-hit" in html


def test_the_next_hit_is_where_the_address_is_to_lead(viewer, run, breakpoint_of):
    breakpoint_of("cycle", "All", run)
    answer = viewer.get(address("nearest_hit", "next"), {"cycle": "2"}).json()
    assert (answer["to"], answer["name"], answer["breakpoints"], answer["done"]) == ({"cycle": 3}, "All", 1, True)
    answer = viewer.get(address("nearest_hit", "previous"), {"cycle": "1"}).json()
    assert answer == {"breakpoints": 1, "query": False, "done": True}
    assert viewer.get(address("nearest_hit", "sideways")).status_code == 404


def test_a_hit_count_holds_no_reader_up_as_its_form_says(editor, run, breakpoint_of):
    made = breakpoint_of("cycle", "All", run)
    Breakpoint.objects.filter(pk=made.pk).update(hit_count=3)
    for at in (1, 2):
        answer = editor.get(address("nearest_hit", "next"), {"cycle": str(at)}).json()
        assert answer["to"] == {"cycle": at + 1}
    html = html_of(editor.get(address("breakpoint", made.pk)))
    sentences = ("A live run stops after this many hits", "lead to every hit, whatever is set here")
    assert [one for one in sentences if one not in html] == []


def test_the_query_of_the_address_is_walked_along_too(viewer, run):
    failed = Cycle.objects.filter(run=run, outcome="unschedulable").order_by("number").first()
    url = reverse("debugger:nearest_hit", args=["team", run.number, "next"])
    answer = viewer.get(url, {"seq": 0, "hits": "outcome:unschedulable"}).json()
    assert answer["to"] == {"cycle": failed.number}
    assert (answer["name"], answer["query"], answer["breakpoints"]) == ("the query", True, 0)
    assert viewer.get(url, {"seq": 0, "hits": "("}).json()["query"] is False


@pytest.mark.parametrize("start", ["x", "1:2", "1:2:3:4", "1:-2:0", f"1:{10**16}:0", "1:1:-2"])
def test_a_place_that_no_answer_gave_is_refused(viewer, run, breakpoint_of, start):
    breakpoint_of("cell node:a", stops=run)
    assert viewer.get(address("nearest_hit", "next"), {"from": start}).status_code == 400


def test_the_form_begins_with_what_is_selected(editor, run, cycle_of):
    query = {"cycle": cycle_of("never-0").number, "plugin": "NodeResourcesFit", "node": "full-a"}
    html = html_of(editor.get(address("breakpoint_new"), query))
    for part in ("pod:default/never-0", "plugin:NodeResourcesFit", "node:full-a", "verdict:refused"):
        assert part in html
    assert_strict_csp(html)
    part = html_of(editor.get(address("breakpoint_new"), query, headers={"HX-Request": "true"}))
    assert "<html" not in part


def test_a_breakpoint_is_made_attached_changed_and_deleted(editor, run):
    htmx = {"HX-Request": "true"}
    response = editor.post(address("breakpoint_new"), FIELDS, headers=htmx)
    made = Breakpoint.objects.get()
    assert response.status_code == 204
    assert json.loads(response["HX-Trigger"]) == {
        "breakpoints:changed": {},
        "toast": {"text": "Breakpoint Narrow saved"},
    }
    assert [one.breakpoint for one in attached_to(run)] == [made]
    assert "margin&lt;5" in html_of(editor.get(address("breakpoint", made.pk)))
    written = {"query": "margin<9", "name": "Wide", "hit_count": "2"}
    editor.post(address("breakpoint", made.pk), written, headers=htmx)
    made.refresh_from_db()
    assert (made.query, made.name, made.hit_count) == ("margin<9", "Wide", 2)
    assert not attached_to(run).get().is_enabled
    editor.post(address("breakpoint_switch", made.pk), {"on": "1"}, headers=htmx)
    assert attached_to(run).get().is_enabled
    editor.post(address("breakpoint_switch", made.pk), {"on": "0"}, headers=htmx)
    assert not attached_to(run).get().is_enabled
    editor.post(address("breakpoint_delete", made.pk), headers=htmx)
    assert not Breakpoint.objects.exists()
    assert editor.post(address("breakpoint_switch", made.pk), {"on": "1"}).status_code == 404


def test_what_is_wrong_is_shown_in_the_form(editor, run, breakpoint_of):
    breakpoint_of("tie", "Narrow")
    response = editor.post(address("breakpoint_new"), FIELDS | {"query": "margin:x", "hit_count": ""})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"query", "hit_count"}
    assert "column 8: " in html_of(response)
    response = editor.post(address("breakpoint_new"), FIELDS)
    assert response.status_code == 422
    assert "breakpoint &quot;Narrow&quot;" in html_of(response)
    assert Breakpoint.objects.count() == 1


def test_without_scripts_forms_lead_back_to_the_run(editor, run):
    response = editor.post(address("breakpoint_new"), FIELDS)
    assert (response.status_code, response["Location"]) == (302, "/w/team/runs/1/?seq=0")


@pytest.mark.slow
def test_where_a_run_is_stopped_is_said_with_the_ways_on(viewer, editor, look, run, breakpoint_of):
    made = breakpoint_of("tie", "<b>T4</b> below 200 free", run)
    Run.everything.filter(pk=run.pk).update(state=State.STOPPED, recording_hash="")
    RunStop.objects.create(run=run, seq=3, breakpoint=made, name=made.name, attached_by=editor.user)
    for client, may in ((viewer, False), (editor, True)):
        html = html_of(client.get("/w/team/runs/1/?seq=3"))
        assert "<b>&lt;b&gt;T4&lt;/b&gt; below 200 free</b>" in html
        assert "by Edda" in html
        assert ("Step a cycle" in html) == may
    RunStop.objects.all().delete()
    RunStop.objects.create(run=run, seq=3)
    assert "after a step" in html_of(viewer.get("/w/team/runs/1/?seq=3"))


@pytest.mark.slow
def test_a_run_that_stands_is_told_to_run_to_a_cycle(viewer, editor, run):
    Run.everything.filter(pk=run.pk).update(state=State.STOPPED, recording_hash="")
    RunStop.objects.create(run=run, seq=3)
    url, head = reverse("debugger:steer", args=["team", 1, "to-cycle"]), run.head.cycle
    assert url in html_of(editor.get("/w/team/runs/1/?seq=3"))
    assert url not in html_of(viewer.get("/w/team/runs/1/?seq=3"))
    for bad in ("", "x", "-1", "1.5", "9" * 11, str(head)):
        assert editor.post(url, {"cycle": bad}).status_code == 400
    assert viewer.post(url, {"cycle": str(head + 2)}).status_code == 403
    assert Run.objects.get(pk=run.pk).state == State.STOPPED
    assert editor.post(url, {"cycle": f"1,{head + 2:03}"}).status_code == 302
    assert Run.objects.get(pk=run.pk).head.step_to_cycle == 1_000 + head + 2


@pytest.mark.parametrize(
    ("name", "args", "method", "needed"),
    [
        ("breakpoints", (), "get", "viewer"),
        ("nearest_hit", ("next",), "get", "viewer"),
        ("breakpoint_new", (), "get", "editor"),
        ("breakpoint_new", (), "post", "editor"),
        ("breakpoint", (1,), "get", "editor"),
        ("breakpoint", (1,), "post", "editor"),
        ("breakpoint_switch", (1,), "post", "editor"),
        ("breakpoint_delete", (1,), "post", "editor"),
    ],
)
def test_each_address_lets_in_who_may(
    run, viewer, reviewer, editor, stranger, breakpoint_of, name, args, method, needed
):
    made = breakpoint_of("tie", stops=run)
    url = address(name, *(made.pk if part == 1 else part for part in args))
    fields = FIELDS | {"name": "Another", "on": "1"}
    assert getattr(stranger, method)(url, fields).status_code == 404
    for client, role in ((viewer, "viewer"), (reviewer, "reviewer"), (editor, "editor")):
        may = needed == "viewer" or role == "editor"
        status = getattr(client, method)(url, fields).status_code
        assert (status in (200, 302)) if may else status == 403


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"query": "margin:x"}, "column 8: margin takes a whole number"),
        ({}, "There is a breakpoint &quot;Narrow&quot; already"),
    ],
)
def test_words(editor, run, breakpoint_of, fields, sentence):
    breakpoint_of("tie", "Narrow")
    assert sentence in html_of(editor.post(address("breakpoint_new"), FIELDS | fields))


@pytest.mark.parametrize(
    ("start", "status"),
    [
        ("-1:-1", 200),
        (f"{2**53}:{2**62}", 200),
        ("-2:0", 400),
        ("0:-2", 400),
        (f"{2**53 + 1}:0", 400),
        (f"0:{2**62 + 1}", 400),
    ],
)
def test_a_walk_goes_on_from_any_place_that_a_recording_may_have(viewer, run, breakpoint_of, start, status):
    key = breakpoint_of("cycle", stops=run).pk
    answer = viewer.get(address("nearest_hit", "next"), {"seq": "0", "from": f"{key}:{start}"})
    assert answer.status_code == status


def test_the_form_of_a_new_breakpoint_is_of_no_run_and_that_of_one_counts_its_runs(editor, run, breakpoint_of):
    off, on = breakpoint_of("tie", "Off"), breakpoint_of("cycle", "On", run)
    pages = [address("breakpoint_new"), address("breakpoint", off.pk), address("breakpoint", on.pk)]
    assert [editor.get(page).context["n_runs"] for page in pages] == [0, 0, 1]


@pytest.mark.parametrize(("length", "status"), [(2_000, 302), (2_001, 400)])
def test_a_form_leads_back_to_an_address_of_at_most_two_thousand_characters(editor, run, breakpoint_of, length, status):
    made = breakpoint_of("cycle", stops=run)
    fields = {"on": "0", "at": "seq=4&hits=".ljust(length, "x")}
    answer = editor.post(address("breakpoint_switch", made.pk), fields)
    assert answer.status_code == status
    if status == 302:
        assert answer["Location"].endswith(f"?{fields['at']}")
