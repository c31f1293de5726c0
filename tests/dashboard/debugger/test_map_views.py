"""The pane of the map in the page, and what it fetches beside."""

from __future__ import annotations

import json
import re

from dashboard.debugger.inputs import facts
from tests.dashboard.run_helpers import cluster_of, node, pod


def carried(response):
    """Return the map's data inside of a page."""
    return json.loads(re.search(r'<script id="map-data"[^>]*>(.*?)</script>', response.content.decode(), re.S)[1])


def test_many_nodes_are_squares_whose_data_the_page_carries(look, execute):
    run = execute(cluster_of(60, 3))
    data = carried(look(run, cycle=2, part="main"))
    assert data == json.loads(look(run, name="debugger:map", cycle=2).content)
    names = json.loads(look(run, name="debugger:map", cycle=2, names=1).content)
    assert names["version"] == data["version"]
    assert len(names["names"]) == 60


def test_few_nodes_are_cards_with_links(look, run, cycle_of):
    html = look(run, cycle=cycle_of("small-0").number, node="full-a").content.decode()
    assert html.count('class="node-cell ') == 3
    assert re.search(r'data-node="full-a"\s+aria-current="true"', html)
    assert 'id="map-data"' not in html


def test_a_selected_node_that_is_gone_is_said_to_be(look, run):
    assert "does not have the node <b>gone-1</b> at this cursor" in look(run, seq=3, node="gone-1").content.decode()


def test_table_shows_the_same_nodes_and_keeps_its_order_over_moves(look, run, cycle_of):
    number = cycle_of("small-0").number
    html = look(run, cycle=number, cluster="table", table_sort="-node").content.decode()
    assert re.findall(r'<tr[^>]*data-node="([\w-]+)"', html.split('class="map-table')[1].split("</table>")[0]) == [
        "taint-c",
        "full-b",
        "full-a",
    ]
    assert f"cycle={number - 1}&amp;cluster=table&amp;table_sort=-node" in html


def test_a_resource_that_nobody_requests_is_a_clear_error(look, run):
    for name in ("debugger:run", "debugger:map"):
        answer = look(run, name=name, seq=3, map="nvidia.com/gpu")
        assert answer.status_code == 400
        assert "must name a resource that a pod of this run requests (cpu, memory, pods)" in answer.content.decode()
    assert look(run, seq=3, map="verdict").status_code == 200


def test_page_of_large_inputs_comes_before_their_sizes_and_says_so(look, run, monkeypatch):
    monkeypatch.setattr(facts, "QUICK_OBJECTS", 0)
    monkeypatch.setattr(facts, "_kept", facts.LruCache(4))
    monkeypatch.setattr(facts.threading.Thread, "start", lambda self: None)
    html = look(run, cycle=1).content.decode()
    assert "data-waits" in html
    assert "Reading what" in html
    assert look(run, name="debugger:map", cycle=1).status_code == 200
    assert "data-waits" not in look(run, cycle=1).content.decode()


def test_more_pods_of_a_node_are_appended(look, execute):
    run = execute([node("only"), *(pod(f"p-{n}", "10m") for n in range(60))])
    html = look(run, seq=run.head.seq, node="only").content.decode()
    assert html.count('class="pr-pod"') == 40
    more = re.search(r'hx-get="[^"]*/map/pods/\?([^"]+)"', html)[1]
    assert "node=only" in more
    part = look(run, part="x", name="debugger:node_pods", node="only", seq=run.head.seq, map="cpu", pods_page=2)
    assert part.content.decode().count('class="pr-pod"') == 20
    assert "<html" not in part.content.decode()
    whole = look(run, name="debugger:node_pods", node="only", seq=run.head.seq, pods_page=1)
    assert "60 pods at seq" in " ".join(whole.content.decode().split())
    assert look(run, name="debugger:node_pods", node="nowhere", seq=3).status_code == 404
