"""The page of a run: who may see it, which cursors it opens, and what its parts say."""

from __future__ import annotations

import re

from django.urls import reverse

from dashboard.runs.models import Cycle
from tests.dashboard.debugger.page_text import text


def map_of(response):
    """Return what the map says that it speaks of: {seq, shown, pod, node}."""
    tag = re.search(r'<[^>]*\bid="map"[^>]*>', response.content.decode())[0]
    return dict(re.findall(r'data-(seq|shown|pod|node)="([^"]*)"', tag))


def test_a_run_that_is_over_opens_on_its_outcomes_which_lead_to_its_first_trouble(look, run):
    trouble = Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").order_by("number").first()
    answer = look(run)
    assert (answer.status_code, answer["Location"]) == (302, f"/w/team/runs/{run.number}/outcomes/")
    page = look(run, name="debugger:outcomes").content.decode()
    assert f'href="/w/team/runs/{run.number}/?cycle={trouble.number}"' in page


def test_without_scripts_links_lead_from_cycle_to_cycle(look, run):
    html = look(run, cycle=2).content.decode()
    assert re.search(r'href="[^"]*cycle=1"[^>]*rel="prev"', html)
    assert re.search(r'href="[^"]*cycle=3"[^>]*rel="next"', html)


def test_yaml_is_the_selected_pod_as_of_the_cursor(look, run, cycle_of):
    cycle = cycle_of("small-0")
    before, after = (text(look(run, seq=seq, pod=cycle.pod, tab="yaml")) for seq in (cycle.first_seq, run.head.seq))
    assert "name: small-0" in before
    assert f"nodeName: {cycle.node}" not in before
    assert f"nodeName: {cycle.node}" in after
    assert "name: gated-0" in text(look(run, seq=run.head.seq, pod="default/gated-0", tab="yaml"))
    assert "No manifest" in text(look(run, seq=1, pod="default/nobody", tab="yaml"))


def test_story_tells_moves_and_attempts(look, run, cycle_of):
    page_text = text(look(run, cycle=cycle_of("big-0").number, tab="story"))
    assert "attempt 1: unschedulable" in page_text
    assert "nominated to full-" in page_text
    assert "AssignedPodDelete" in page_text
    assert "attempt 2: scheduled" in page_text


def test_story_of_a_victim_names_who_preempted_it(look, run, cycle_of):
    cycle = cycle_of("big-0")
    html = look(run, cycle=cycle.number, tab="preemption").content.decode()
    victim = re.search(r"tile is-victim[^>]*title=\"(default/fill-[ab])", html)[1]
    page_text = text(look(run, seq=run.head.seq, tab="story", pod=victim))
    assert "by default/big-0" in page_text


def test_queues_show_gate_and_refusing_plugin(look, run):
    response = look(run, seq=run.head.seq)
    page_text = text(response)
    assert "gated-0" in page_text
    assert "example.org/hold" in page_text
    assert re.search(r"never-0 .*NodeResourcesFit", page_text)
    assert re.search(r'title="default/never-0, refused by [^"]*, wakes on [^"]*"', response.content.decode())


def test_filter_of_pods_narrows_the_lanes_and_lasts_over_moves(look, run):
    response = look(run, seq=run.head.seq, pods="never")
    html = response.content.decode()
    assert 'title="default/never-0' in html
    assert 'title="default/gated-0' not in html
    assert [lane.count_text for lane in response.context["page"].lanes if lane.name == "gated"] == ["0 of 1"]
    assert re.search(r'href="[^"]*cycle=\d+[^"]*pods=never', html)


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


def test_every_pane_speaks_of_the_selected_pod(look, run, cycle_of):
    small, big = cycle_of("small-0"), cycle_of("big-0")
    response = look(run, part="main", seq=big.last_seq + 1, pod=small.pod)
    html = response.content.decode()
    shown = small if small.number < big.number else None
    assert map_of(response)["pod"] == small.pod
    assert re.findall(r'data-pod="([^"]*)"', html) == [small.pod] * 4
    assert map_of(response)["shown"] == str(shown.number if shown else 0)
    assert ("last decision" in text(response)) == bool(shown)
