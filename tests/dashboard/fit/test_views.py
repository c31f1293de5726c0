"""Would it fit, as pages say it: by address, and while somebody types."""

from __future__ import annotations

import json
import re

import pytest

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from scheduler_core.manifests import dump_yaml
from tests.dashboard.agreement.conftest import HERE
from tests.dashboard.helpers import strict_html
from tests.dashboard.run_helpers import node, pod

PAGE, TYPED = f"{HERE}fit/", f"{HERE}fit/typed"


def lit(content):
    """What the map is told."""
    return json.loads(re.search(r"data-fit-lit>(.*?)</script>", content, re.S)[1])


def type_(person, *manifests, **form):
    return person.post(TYPED, {"text": dump_yaml(list(manifests)), **form})


def test_a_pod_that_waits_is_asked_about_by_its_address(viewer, dumped):
    response = viewer.get(f"{PAGE}?fit=default/fits")
    content, fit = strict_html(response), response.context["panel"].fit
    assert (fit.n_fits, fit.n_nodes) == (1, 2)
    assert "NodeUnschedulable" in content
    data = lit(content)
    assert (data["pod"], data["nodes"]) == ("default/fits", ["node-a", "node-b"])
    assert data["reasonOf"][0] == -1
    assert data["reasons"][data["reasonOf"][1]].startswith("NodeUnschedulable: ")


def test_nothing_fits_and_says_what_kube_scheduler_says(viewer, dumped):
    content = strict_html(viewer.get(f"{PAGE}?fit=default/wide"))
    assert "Fits none" in content
    assert "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable." in content


def test_a_bound_pod_is_asked_about_as_if_it_were_on_no_node(viewer, dumped):
    assert "is bound to" in strict_html(viewer.get(f"{PAGE}?fit=default/only"))


def test_an_editor_runs_on_with_the_revision_that_was_asked_about(viewer, editor, dumped):
    content = strict_html(editor.get(f"{PAGE}?fit=default/fits"))
    assert f"/w/team/runs/new/?cluster={HERE.rstrip('/').rpartition('/')[2]}&amp;r={dumped.number}" in content
    assert "Run on" not in strict_html(viewer.get(f"{PAGE}?fit=default/fits"))


def test_htmx_gets_the_answer_alone_and_orders_of_the_table_are_addresses(viewer, dumped):
    part = strict_html(viewer.get(f"{PAGE}?fit=default/fits&sort=-node", headers={"HX-Request": "true"}))
    assert part.lstrip().startswith("<div")
    assert part.index(">node-b<") < part.index(">node-a<")
    assert f'hx-get="{PAGE}?fit=default/fits&amp;sort=node&amp;fit_page=1"' in part
    assert 'aria-sort="descending"' in part


def test_without_a_pod_the_page_offers_those_that_wait(viewer, dumped):
    content = strict_html(viewer.get(PAGE))
    assert "Choose a pod" in content
    assert '<option value="default/wide">' in content


def test_a_typed_pod_is_asked_about_as_it_stands(viewer, dumped):
    assert lit(strict_html(type_(viewer, pod("wide", "1"))))["reasonOf"] == [-1, 0]
    assert lit(strict_html(type_(viewer, pod("wide", "99"))))["reasonOf"].count(-1) == 0
    assert "Fits none" in strict_html(viewer.get(f"{PAGE}?fit=default/wide")), "nothing of it is kept"


def test_another_object_is_typed_for_a_pod_that_is_named(viewer, dumped):
    names = {"kind": "Node", "ns": "", "name": "node-a", "fit": "default/wide"}
    assert lit(strict_html(type_(viewer, node("node-a", "64"), **names)))["reasonOf"] == [-1, 0]
    response = type_(viewer, node("node-a", "64"))
    strict_html(response)
    assert response.context["panel"].state == "failed"


def test_a_text_with_an_error_says_which_and_that_the_last_answer_stands(viewer, dumped):
    said = strict_html(viewer.post(TYPED, {"text": "kind: Pod\napiVersion: v1\nmetadata: [}"}))
    assert 'data-fit-state="invalid"' in said
    assert "Line 3" in said
    assert "last valid text" in said


def test_a_worker_that_is_not_there_is_said_and_asked_again(viewer, dumped, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda asked: AskResult(waits_for=WaitsFor.WORKER))
    response = viewer.get(f"{PAGE}?fit=default/wide", headers={"HX-Request": "true"})
    part, shown = strict_html(response), response.context["panel"]
    assert shown.is_waiting
    assert shown.text in part
    assert re.search(r'hx-get="[^"]*fit=default/wide&amp;until=\d+&amp;asker=\w+"', part)
    again = re.search(r'data-fit-again="([^"]*)"', strict_html(type_(viewer, pod("wide", "1"))))[1]
    assert re.fullmatch(r"until=\d+&amp;asker=\w+", again)


def test_an_unknown_pod_is_said(viewer, dumped):
    assert "no pod default/none" in strict_html(viewer.get(f"{PAGE}?fit=default/none"))


def test_a_name_cannot_leave_the_element_that_the_map_reads(viewer, dumped):
    hostile = pod("wide", "1", nodeSelector={"x": "</script><script>alert(1)</script>"})
    assert b"<script>alert" not in type_(viewer, hostile).content


def test_a_stranger_finds_nothing(stranger, anonymous, dumped):
    assert stranger.get(f"{PAGE}?fit=default/wide").status_code == 404
    assert type_(stranger, pod("wide", "1")).status_code == 404
    assert anonymous.get(PAGE).status_code in (302, 303)


@pytest.mark.parametrize("query", ["sort=none", "fit_page=-1", "until=x"])
def test_an_address_that_says_nonsense_is_refused(viewer, dumped, query):
    assert viewer.get(f"{PAGE}?fit=default/wide&{query}").status_code == 400


def test_the_clusters_page_asks_by_its_address_and_offers_each_pod_that_waits(viewer, dumped):
    content = strict_html(viewer.get(f"{HERE}?view=table&sort=share&fit=default/wide"))
    assert f'hx-get="{PAGE}?fit=default%2Fwide"' in content
    assert f'href="{HERE}?fit=default%2Ffits"' in content
    assert f'hx-get="{PAGE}?fit=default%2Fwide"' in strict_html(viewer.get(f"{HERE}?pod=default/wide"))
    assert f'hx-get="{PAGE}' not in strict_html(viewer.get(f"{HERE}?pod=default/only"))
    beside = strict_html(viewer.get(f"{HERE}object/?kind=Pod&ns=default&name=wide"))
    assert f'data-fit-typed="{TYPED}"' in beside
    assert "data-fit-typed" not in strict_html(viewer.get(f"{HERE}object/?kind=Node&name=node-a"))
    assert 'data-fit-pod="default/wide"' in strict_html(
        viewer.get(f"{HERE}object/?kind=Node&name=node-a&fit=default/wide")
    )


def test_the_panel_of_an_older_revision_is_cleared_on_the_same_revision(viewer, dumped, save):
    save([node("node-a")])
    content = strict_html(viewer.get(f"{HERE}?r=1&fit=default/fits"))
    assert re.search(rf'href="{HERE}\?r=1"\s*>\s*Clear', content)
    assert re.search(r'<input\s+type="hidden"\s+name="r"\s+value="1"', content)
    assert '<option value="default/wide">' in content


@pytest.mark.parametrize(
    ("pod_key", "sentence"),
    [
        ("default/fits", "Fits 1 <small>of 2</small>"),
        ("default/only", "It is bound to"),
        ("default/none", "There is no pod default/none in this cluster"),
    ],
)
def test_words(viewer, dumped, pod_key, sentence):
    assert sentence in strict_html(viewer.get(f"{PAGE}?fit={pod_key}"))


def test_without_an_order_the_best_node_is_first(viewer, dumped):
    content = strict_html(viewer.get(f"{PAGE}?fit=default/fits"))
    assert list(dict.fromkeys(re.findall(r"sort=(-?\w+)&amp;fit_page=1", content))) == ["node", "-verdict", "reason"]
