"""The answers of the page of a run: who may see it, its parts, what is cached and for how long."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from dashboard.runs.models import Run, State
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.debugger.page_text import text
from tests.dashboard.helpers import assert_strict_csp
from tests.seeds import how_many

ROOMS = ("debugger:run", "debugger:outcomes", "search:run", "debugger:map", "debugger:density", "debugger:state")


@pytest.mark.parametrize("name", ROOMS)
def test_members_see_the_run_and_nobody_else(people, run, name):
    url = reverse(name, kwargs={"slug": "team", "number": run.number})
    expected = {"admin": 200, "editor": 200, "reviewer": 200, "viewer": 200, "stranger": 404, "anonymous": 302}
    assert {role: client.get(url, {"seq": 0}).status_code for role, client in people.items()} == expected


def test_run_of_another_workspace_is_not_found(stranger, run):
    url = reverse("debugger:run", kwargs={"slug": "elsewhere", "number": run.number})
    assert stranger.get(url).status_code == 404


@pytest.mark.slow
@pytest.mark.parametrize("tab", ["matrix", "why", "preemption", "story", "yaml", "threads"])
def test_every_tab_of_every_cycle_keeps_the_policy(look, run, tab):
    for number in range(1, run.head.cycle + 1, how_many(3, 1)):
        response = look(run, cycle=number, tab=tab)
        assert response.status_code == 200
        assert_strict_csp(response.content)


def test_near_means_the_cycle_under_the_hand(look, run, cycle_of):
    cycle = cycle_of("small-1")
    html = look(run, part="main", near=cycle.first_seq + 2).content.decode()
    assert f'data-named="{cycle.number}"' in html


def test_part_is_cached_until_something_changes(look, viewer, run):
    first = look(run, part="main", cycle=2)
    etag = first["ETag"]
    url = reverse("debugger:run", kwargs={"slug": "team", "number": run.number})
    headers = {"HX-Request": "true", "HX-Target": "main", "If-None-Match": etag}
    assert viewer.get(url, {"cycle": 2}, headers=headers).status_code == 304
    assert viewer.get(url, {"cycle": 3}, headers=headers).status_code == 200
    assert viewer.get(url, {"cycle": 2, "values": "raw"}, headers=headers).status_code == 200
    assert {"HX-Request", "HX-Target", "Cookie"} <= {name.strip() for name in first["Vary"].split(",")}


@pytest.mark.parametrize("part", ["debugger:run", "debugger:density"])
def test_what_is_cached_of_a_run_that_goes_on_is_not_shown_of_one_that_ended(viewer, run, part):
    url = reverse(part, kwargs={"slug": "team", "number": run.number})
    headers = {"HX-Request": "true", "HX-Target": "main"}
    Run.objects.filter(pk=run.pk).update(state=State.RUNNING)
    etag = viewer.get(url, headers=headers)["ETag"]
    headers["If-None-Match"] = etag
    assert viewer.get(url, headers=headers).status_code == 304
    Run.objects.filter(pk=run.pk).update(state=State.FINISHED)
    assert viewer.get(url, headers=headers).status_code == 200


def test_the_summary_is_part_of_the_page_and_of_the_part_for_small_windows(look, run):
    has_summary = {part: b"needs-room" in look(run, part=part, cycle=2).content for part in ("", "main", "summary")}
    assert has_summary == {"": True, "main": False, "summary": True}


def test_inspector_alone_is_sent_where_it_alone_changes(look, run):
    html = look(run, part="inspector", cycle=2, values="raw").content.decode()
    assert html.lstrip().startswith('<section id="inspector"')
    assert "<main" not in html


def test_run_that_waits_for_a_worker_opens(look, workspace, editor):
    from dashboard.clusters.models import Cluster
    from dashboard.clusters.revisions import object_store
    from dashboard.runs import actions

    cluster = Cluster.objects.create(workspace=workspace, slug="later", name="Later")
    revision = object_store.save_revision(cluster, scene(), object_store.Saving(None))
    run = actions.create_run(editor.member, actions.Launch(revision))
    page = text(look(run))
    assert "for a worker" in page
    assert "3 nodes, " in page
    for untrue in ("no node at this moment", "before the first decision", "0 nodes", "activeQ", "no pod waits"):
        assert untrue not in page
    Run.everything.filter(pk=run.pk).update(state=State.RUNNING)
    page = text(look(run))
    assert "reading the inputs" in page
    assert f"Reading {len(scene())} objects" in page
    assert "for a worker" not in page
    assert look(run, name="debugger:map").status_code == 200
    assert look(run, name="search:run").status_code == 200
    assert look(run, cycle=1).status_code == 404


def test_bar_asks_again_only_while_the_run_goes_on(look, run):
    assert "hx-trigger" not in look(run, name="debugger:state").content.decode()
    Run.everything.filter(pk=run.pk).update(state=State.RUNNING)
    html = look(run, name="debugger:state").content.decode()
    assert 'hx-trigger="every 2s"' in html
    assert "cycles/s" in html


def test_only_editors_are_offered_to_stop_a_run(run, editor, look):
    Run.everything.filter(pk=run.pk).update(state=State.RUNNING)
    url = reverse("debugger:state", kwargs={"slug": "team", "number": run.number})
    assert f'hx-post="{url}pause/"' in editor.get(url).content.decode()
    assert "<form" not in look(run, name="debugger:state").content.decode()


@pytest.mark.parametrize("axis", ["folded", "time"])
def test_density_counts_every_cycle(look, run, axis):
    density = json.loads(look(run, name="debugger:density", axis=axis).content)
    assert density["axis"] == axis
    names = ("scheduled", "unschedulable", "errors", "skipped")
    assert sum(stretch[name] for stretch in density["stretches"] for name in names) == run.head.cycle
    assert density["head"]["seq"] == run.head.seq
    assert sum(stretch["preemptions"] for stretch in density["stretches"]) == 1


def test_the_axis_that_was_chosen_last_is_drawn_on_the_next_page(viewer, look, run):
    assert '"axis": "folded"' in look(run, cycle=1).content.decode()
    viewer.cookies["scrubber_axis"] = "time"
    assert '"axis": "time"' in look(run, cycle=1).content.decode()
    viewer.cookies["scrubber_axis"] = "nonsense"
    assert '"axis": "folded"' in look(run, cycle=1).content.decode()


@pytest.mark.parametrize("part", ["debugger:run", "debugger:density", "debugger:map"])
def test_parts_with_an_etag_are_kept_by_the_browser_only_and_asked_about(viewer, run, part):
    url = reverse(part, kwargs={"slug": "team", "number": run.number})
    response = viewer.get(url, headers={"HX-Request": "true", "HX-Target": "main"})
    assert response["ETag"]
    assert {"private", "max-age=0", "must-revalidate"} == {
        word.strip() for word in response["Cache-Control"].split(",")
    }
    assert viewer.get(url)["Cache-Control"] == (
        "private, no-store" if part == "debugger:run" else response["Cache-Control"]
    )


@pytest.mark.parametrize("form", ["W/{}", '"another", {}', "*"], ids=["made weak by a proxy", "one of several", "any"])
@pytest.mark.parametrize("part", ["debugger:run", "debugger:density", "debugger:map"])
def test_a_browser_that_has_the_part_is_sent_nothing_however_it_says_so(viewer, run, part, form):
    url = reverse(part, kwargs={"slug": "team", "number": run.number})
    headers = {"HX-Request": "true", "HX-Target": "main"}
    etag = viewer.get(url, headers=headers)["ETag"]
    answer = viewer.get(url, headers={**headers, "If-None-Match": form.format(etag)})
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", etag)
