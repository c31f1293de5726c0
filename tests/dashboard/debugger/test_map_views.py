"""The pane of the map in the page, and what it fetches beside."""

from __future__ import annotations

import re

from dashboard.debugger.inputs import facts
from tests.dashboard.run_helpers import node, pod


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
    assert "60 pods at seq" in whole.content.decode()
    assert look(run, name="debugger:node_pods", node="nowhere", seq=3).status_code == 404
