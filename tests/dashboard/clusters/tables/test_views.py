"""The tables of nodes, pods and other objects: whole and in part, searched, filtered, sorted."""

from __future__ import annotations

import pytest

from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES

HERE = "/w/team/clusters/prod/"


@pytest.mark.parametrize(
    ("tab", "part"), [("nodes", "nodes"), ("pods", "pods"), ("objects", "objects"), ("history", "history")]
)
def test_tables_come_as_page_and_as_part(viewer, cluster, tab, part):
    full = viewer.get(f"{HERE}{tab}/").content
    alone = viewer.get(f"{HERE}{tab}/", headers={"HX-Request": "true"}).content
    assert full.startswith(b"<!DOCTYPE html>")
    assert alone.lstrip().startswith(f'<section class="panel" id="{part}">'.encode())


def shown(response, names):
    page = response.content.decode()
    return [name for name in names if f">{name}</span></a>" in page]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["node-a", "node-b"]),
        ("?q=NODE-B", ["node-b"]),
        ("?q=topology.kubernetes.io/zone%3Dzone-a", ["node-a"]),
        ("?zone=zone-b", ["node-b"]),
        ("?state=empty", ["node-b"]),
        ("?state=cordoned", []),
        ("?sort=-cpu", ["node-a", "node-b"]),
    ],
)
def test_nodes_are_searched_and_filtered(viewer, cluster, query, names):
    assert shown(viewer.get(f"{HERE}nodes/{query}"), ["node-a", "node-b"]) == names


def test_sorting_goes_by_the_figure_and_turns_round(viewer, cluster):
    page = viewer.get(f"{HERE}pods/?sort=-cpu").content.decode()
    assert page.index(">web-2</span>") < page.index(">web-1</span>")
    assert 'aria-sort="descending"' in page
    assert "?sort=cpu" in page
    page = viewer.get(f"{HERE}pods/?sort=cpu").content.decode()
    assert page.index(">web-1</span>") < page.index(">web-2</span>")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("?status=pending", ["job-1"]),
        ("?node=node-a", ["web-1", "web-2"]),
        ("?q=app%3Dweb%20web-2", ["web-2"]),
        ("?q=high", ["job-1"]),
    ],
)
def test_pods_are_searched_and_filtered(viewer, cluster, query, names):
    assert shown(viewer.get(f"{HERE}pods/{query}"), ["web-1", "web-2", "job-1"]) == names


def test_pods_of_a_workload_lead_to_it(editor, cluster):
    text = OBJECT_TEMPLATES["Deployment"].text
    at = editor.post(HERE + "object/save", {"text": text, "base": 1})["Location"]
    draft = at.rpartition("draft=")[2]
    page = editor.get(f"{HERE}pods/?q=web-&draft={draft}").content.decode()
    assert page.partition("<tbody")[2].count("kind=Deployment&amp;ns=default&amp;name=web") == 3
    assert "Its pods" in editor.get(at).content.decode()


@pytest.mark.parametrize("path", ["nodes/?state=none", "pods/?sort=colour", "nodes/?page=0", "?r=x", "pods/?q=%00"])
def test_bad_queries_are_refused_with_words(viewer, cluster, path):
    response = viewer.get(HERE + path)
    assert response.status_code == 400
    assert b"problem" in response.content
