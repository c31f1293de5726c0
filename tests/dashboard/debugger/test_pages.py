"""The page of a run: who may see it, which cursors it opens, and what its parts say."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

import pytest
from django.urls import reverse

from dashboard.runs.models import Cycle, Run, State
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.run_helpers import node, pod

ROOMS = ("debugger:run", "debugger:outcomes", "debugger:cycles", "debugger:map", "debugger:density", "debugger:state")


def map_of(response):
    """Return what the map says that it speaks of: {seq, shown, pod, node}."""
    tag = re.search(r'<[^>]*\bid="map"[^>]*>', response.content.decode())[0]
    return dict(re.findall(r'data-(seq|shown|pod|node)="([^"]*)"', tag))


def text(response):
    """Return the words of a page without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


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
    for number in range(1, run.head.cycle + 1):
        response = look(run, cycle=number, tab=tab)
        assert response.status_code == 200
        assert_strict_csp(response.content)


def test_a_run_that_is_over_opens_on_its_outcomes_which_lead_to_its_first_trouble(look, run):
    trouble = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number").first()
    answer = look(run)
    assert (answer.status_code, answer["Location"]) == (302, f"/w/team/runs/{run.number}/outcomes/")
    page = look(run, name="debugger:outcomes").content.decode()
    assert f'href="/w/team/runs/{run.number}/?cycle={trouble.number}"' in page


def test_an_address_without_a_moment_opens_the_first_trouble_and_one_of_the_beginning_the_beginning(look, run):
    trouble = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number").first()
    assert f'data-cycle="{trouble.number}"' in look(run, tab="why").content.decode()
    response = look(run, seq=0)
    assert 'data-seq="0"' in response.content.decode()
    assert "Before the first cycle" in text(response)


def test_permalink_of_a_cycle_opens_exactly_it(look, run, cycle_of):
    cycle = cycle_of("small-2")
    html = look(run, cycle=cycle.number).content.decode()
    assert f'data-seq="{cycle.last_seq + 1}"' in html
    assert f'data-cycle="{cycle.number}"' in html
    assert "small-2" in html


def test_cycle_of_a_point_stands_inside_it(look, run, cycle_of):
    cycle = cycle_of("small-0")
    html = look(run, cycle=cycle.number, point="PreFilter").content.decode()
    seq = int(re.search(r'data-seq="(\d+)"', html)[1])
    assert cycle.first_seq < seq <= cycle.last_seq
    assert "in progress" in html
    assert "No verdicts yet" in html


@pytest.mark.slow
def test_every_seq_of_the_run_can_be_opened(look, run):
    for seq in range(run.head.seq + 1):
        response = look(run, part="main", seq=seq)
        assert response.status_code == 200
        assert f'data-seq="{seq}"' in response.content.decode()


def test_cursor_behind_the_head_is_told_the_nearest(look, run):
    response = look(run, seq=run.head.seq + 1)
    assert response.status_code == 404
    assert f"seq={run.head.seq}" in response.content.decode()


def test_unknown_cycle_is_told_the_last(look, run):
    response = look(run, cycle=999)
    assert response.status_code == 404
    assert f"cycle={run.head.cycle}" in response.content.decode()
    assert "999" in text(response)


@pytest.mark.parametrize(
    "query",
    [{"seq": "-1"}, {"seq": "x"}, {"cycle": "1.5"}, {"tab": "none"}, {"page": "0"}, {"cycle": "1", "point": "Nowhere"}],
)
def test_bad_cursor_is_a_clear_400(look, run, query):
    assert look(run, **query).status_code == 400


def test_node_that_is_not_there_is_said_to_be_missing(look, run, cycle_of):
    words = text(look(run, cycle=cycle_of("small-0").number, node="nowhere"))
    assert "There is no node nowhere in this cycle" in words


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


def test_inspector_alone_is_sent_where_it_alone_changes(look, run):
    html = look(run, part="inspector", cycle=2, values="raw").content.decode()
    assert html.lstrip().startswith('<section id="inspector"')
    assert "<main" not in html


def test_without_scripts_links_lead_from_cycle_to_cycle(look, run):
    html = look(run, cycle=2).content.decode()
    assert re.search(r'href="[^"]*cycle=1"[^>]*rel="prev"', html)
    assert re.search(r'href="[^"]*cycle=3"[^>]*rel="next"', html)


def test_unschedulable_cycle_says_why(look, run, cycle_of):
    words = text(look(run, cycle=cycle_of("never-0").number, tab="why"))
    assert "2 nodes are too small: cpu; TaintToleration refuses the other 1." in words
    assert "0/3 nodes are available" in words
    assert "Insufficient cpu" in words
    assert re.search(r"Too small: cpu full-a, full-b 4 in all, asks 64", words)
    assert "What wakes it" in words


def test_yaml_is_the_selected_pod_as_of_the_cursor(look, run, cycle_of):
    cycle = cycle_of("small-0")
    before, after = (text(look(run, seq=seq, pod=cycle.pod, tab="yaml")) for seq in (cycle.first_seq, run.head.seq))
    assert "name: small-0" in before
    assert f"nodeName: {cycle.node}" not in before
    assert f"nodeName: {cycle.node}" in after
    assert "name: gated-0" in text(look(run, seq=run.head.seq, pod="default/gated-0", tab="yaml"))
    assert "No manifest" in text(look(run, seq=1, pod="default/nobody", tab="yaml"))


def test_preemption_names_victim_and_criterion(look, run, cycle_of):
    cycle = cycle_of("big-0")
    words = text(look(run, cycle=cycle.number, tab="preemption"))
    assert "is nominated: 1 victim leaves" in words
    assert re.search(r"fill-[ab]", words)
    assert "Latest start of the highest victim" in words


def test_story_tells_moves_and_attempts(look, run, cycle_of):
    words = text(look(run, cycle=cycle_of("big-0").number, tab="story"))
    assert "attempt 1: unschedulable" in words
    assert "nominated to full-" in words
    assert "AssignedPodDelete" in words
    assert "attempt 2: scheduled" in words


def test_story_of_a_victim_names_who_preempted_it(look, run, cycle_of):
    cycle = cycle_of("big-0")
    html = look(run, cycle=cycle.number, tab="preemption").content.decode()
    victim = re.search(r"tile is-victim[^>]*title=\"(default/fill-[ab])", html)[1]
    words = text(look(run, seq=run.head.seq, tab="story", pod=victim))
    assert "by default/big-0" in words


def test_queues_show_gate_and_refusing_plugin(look, run):
    response = look(run, seq=run.head.seq)
    words = text(response)
    assert "gated-0" in words
    assert "example.org/hold" in words
    assert re.search(r"never-0 .*NodeResourcesFit", words)
    assert re.search(r'title="default/never-0, refused by [^"]*, wakes on [^"]*"', response.content.decode())


def test_filter_of_pods_narrows_the_lanes_and_lasts_over_moves(look, run):
    html = look(run, seq=run.head.seq, pods="never").content.decode()
    assert 'title="default/never-0' in html
    assert 'title="default/gated-0' not in html
    assert "none of 1 pod matches" in html
    assert re.search(r'href="[^"]*cycle=\d+[^"]*pods=never', html)


def test_names_are_escaped(execute, look):
    manifests = scene()
    manifests[-3]["metadata"]["labels"] = {"x": "y"}
    run = execute(manifests, slug="other", schedule="pending")
    response = look(run, cycle=1, node="<script>alert(1)</script>", q="<b>")
    assert b"<script>alert" not in response.content
    assert_strict_csp(response.content)


def test_run_that_waits_for_a_worker_opens(look, workspace, editor):
    from dashboard.clusters.models import Cluster
    from dashboard.clusters.revisions import object_store
    from dashboard.runs import actions

    cluster = Cluster.objects.create(workspace=workspace, slug="later", name="Later")
    revision = object_store.save_revision(cluster, scene(), object_store.Saving(None))
    run = actions.create_run(editor.member, actions.Launch(revision))
    page = text(look(run))
    assert "Waiting for a worker" in page
    assert "3 nodes, " in page
    for untrue in ("no node at this moment", "before the first decision", "0 nodes", "activeQ", "no pod waits"):
        assert untrue not in page
    Run.everything.filter(pk=run.pk).update(state=State.RUNNING)
    page = text(look(run))
    assert "reading the inputs" in page
    assert f"Reading {len(scene())} objects" in page
    assert "aiting for a worker" not in page
    assert look(run, name="debugger:map").status_code == 200
    assert look(run, name="debugger:cycles").status_code == 200
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


# ---------------------------------------------------------------- lanes, map, density, cycles


def test_lane_is_paged(execute, viewer):
    from tests.dashboard.run_helpers import cluster_of

    run = execute(cluster_of(3, 130))
    first = Cycle.objects.get(run_id=run.pk, number=1).first_seq
    url = reverse("debugger:lane", kwargs={"slug": "team", "number": run.number, "name": "active"})
    counts = []
    for page in (1, 2, 3, 4):
        html = viewer.get(url, {"seq": first, "lane_page": page}, headers={"HX-Request": "true"}).content.decode()
        counts.append(html.count('class="pod-name'))
    assert counts == [50, 50, 29, 0]
    assert viewer.get(url, {"seq": first, "lane_page": 0}).status_code == 400
    assert viewer.get(url.replace("active", "nowhere"), {"seq": first}).status_code == 404
    assert viewer.get(url, {"seq": first, "lane_page": 2}).status_code == 200


@pytest.mark.parametrize("axis", ["folded", "time"])
def test_density_counts_every_cycle(look, run, axis):
    found = json.loads(look(run, name="debugger:density", axis=axis).content)
    assert found["axis"] == axis
    names = ("scheduled", "unschedulable", "errors", "skipped")
    assert sum(stretch[name] for stretch in found["stretches"] for name in names) == run.head.cycle
    assert found["head"]["seq"] == run.head.seq
    assert sum(stretch["preemptions"] for stretch in found["stretches"]) == 1


def test_the_axis_that_was_chosen_last_is_drawn_on_the_next_page(viewer, look, run):
    assert '"axis": "folded"' in look(run, cycle=1).content.decode()
    viewer.cookies["scrubber_axis"] = "time"
    assert '"axis": "time"' in look(run, cycle=1).content.decode()
    viewer.cookies["scrubber_axis"] = "nonsense"
    assert '"axis": "folded"' in look(run, cycle=1).content.decode()


def test_cycles_are_filtered_and_paged(look, plain_run):
    everything = text(look(plain_run, name="debugger:cycles"))
    assert "30 scheduled a pod" in everything
    part = look(plain_run, name="debugger:cycles", part="cycles", after=20).content.decode()
    assert "<html" not in part
    assert [int(n) for n in re.findall(r"cycle=(\d+)\"><b>", part)] == list(range(21, 31))
    assert "No cycle matches" in text(look(plain_run, name="debugger:cycles", outcome="error"))
    assert look(plain_run, name="debugger:cycles", outcome="nonsense").status_code == 400


def numbers_of(response):
    return [int(n.replace(",", "")) for n in re.findall(r"cycle=\d+[^>]*><b>([\d,]+)", response.content.decode())]


def test_cycles_are_sorted_by_a_head_and_sorted_back(look, run):
    rows = list(Cycle.objects.filter(run_id=run.pk))
    for sort, order in (("priority", ""), ("attempt", "asc"), ("pod", "desc")):
        numbers = numbers_of(look(run, "cycles", "debugger:cycles", sort=sort, order=order))
        shown = [next(row for row in rows if row.number == number) for number in numbers]
        keys = [getattr(row, sort) for row in shown]
        assert len(shown) == len(rows)
        assert keys == sorted(keys, reverse=order == "desc" or (not order and sort == "priority"))
    html = look(run, "cycles", "debugger:cycles", sort="priority").content.decode()
    assert 'aria-sort="descending"' in html
    assert "sort=priority&amp;order=asc" in html
    assert look(run, name="debugger:cycles", sort="message").status_code == 400


def test_cycles_without_a_lead_stand_last_whichever_way_it_is_sorted(look, execute):
    pods = [pod("never", "999"), *(pod(f"pod-{n}", "2") for n in range(3))]
    run = execute([node("a", "8"), node("b", "64"), *pods], slug="leads", schedule="pending")
    for order in ("asc", "desc"):
        shown = numbers_of(look(run, "cycles", "debugger:cycles", sort="margin", order=order))
        leads = [Cycle.objects.get(run_id=run.pk, number=number).margin for number in shown]
        known = [lead for lead in leads if lead is not None]
        assert leads == known + [None] * (len(leads) - len(known))
        assert known


def test_failed_cycles_say_who_refused_and_reasons_are_counted(look, run, cycle_of):
    number = cycle_of("never-0").number
    words = text(look(run, name="debugger:cycles", outcome="unschedulable"))
    assert re.search(r"NodeResourcesFit cpu on 2 TaintToleration on 1", words)
    html = look(run, name="debugger:cycles").content.decode()
    query = re.search(r'href="[^"]*\?([^"]*reasons=[^"]*)"[^>]*>\s*<b>NodeResourcesFit</b>', html)[1]
    found = look(run, name="debugger:cycles", **dict(parse_qsl(query.replace("&amp;", "&"))))
    assert number in numbers_of(found)
    assert 'aria-current="true"' in found.content.decode()


def test_page_of_cycles_says_its_place_among_those_that_match(look, plain_run):
    assert "1 to 30 of 30 cycles" in text(look(plain_run, name="debugger:cycles"))
    assert "1 to 11 of 11 that match, of 30 cycles" in text(look(plain_run, name="debugger:cycles", q="pod-1"))
    after = text(look(plain_run, name="debugger:cycles", q="pod-1", after=11))
    assert "3 to 11 of 11 that match, of 30 cycles" in after


def test_cycles_of_a_refusing_plugin(look, run, cycle_of):
    def numbers(**query):
        part = look(run, part="cycles", name="debugger:cycles", **query).content.decode()
        return {int(n) for n in re.findall(r"\?cycle=(\d+)", part)}

    assert cycle_of("never-0").number in numbers(plugin="NodeResourcesFit")
    assert numbers(plugin="NodeAffinity") == set()
    assert numbers(preempting=1) == {cycle_of("big-0").number}
    assert cycle_of("never-0").number not in numbers(outcome="scheduled")


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


def test_every_pane_speaks_of_the_selected_pod(look, run, cycle_of):
    small, big = cycle_of("small-0"), cycle_of("big-0")
    response = look(run, part="main", seq=big.last_seq + 1, pod=small.pod)
    html = response.content.decode()
    shown = small if small.number < big.number else None
    assert map_of(response)["pod"] == small.pod
    assert re.findall(r'data-pod="([^"]*)"', html) == [small.pod] * 4
    assert map_of(response)["shown"] == str(shown.number if shown else 0)
    assert ("last decision" in text(response)) == bool(shown)


def test_timer_that_wakes_a_pod_without_any_event_is_named(look, run, cycle_of):
    page = text(look(run, cycle=cycle_of("never-0").number, tab="why"))
    assert "it is tried again after 5 min 0 s among the unschedulable pods" in page
    run.policies["queue"] = "move-cycle"
    run.save(update_fields=["policies"])
    assert "tried again after 1 min 0 s" in text(look(run, cycle=cycle_of("never-0").number, tab="why"))


@pytest.mark.parametrize("form", ["W/{}", '"another", {}', "*"], ids=["made weak by a proxy", "one of several", "any"])
@pytest.mark.parametrize("part", ["debugger:run", "debugger:density", "debugger:map"])
def test_a_browser_that_has_the_part_is_sent_nothing_however_it_says_so(viewer, run, part, form):
    url = reverse(part, kwargs={"slug": "team", "number": run.number})
    headers = {"HX-Request": "true", "HX-Target": "main"}
    etag = viewer.get(url, headers=headers)["ETag"]
    answer = viewer.get(url, headers={**headers, "If-None-Match": form.format(etag)})
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", etag)
