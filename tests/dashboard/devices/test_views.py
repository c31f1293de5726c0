"""The pages about devices: of a cluster, of a run at a cursor, as a table, and while nobody answers."""

from __future__ import annotations

import re

import pytest

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.helpers import strict_html
from tests.dashboard.run_helpers import node, pod

CLUSTER, RUN = "/w/team/clusters/devices/devices/", "/w/team/runs/1/devices/"


def panel(response):
    strict_html(response)
    return response.context["panel"]


def test_a_cluster_has_the_tab_and_shows_its_devices(viewer, devices_run):
    assert f'href="{CLUSTER}"' in strict_html(viewer.get("/w/team/clusters/devices/"))
    shown = panel(viewer.get(CLUSTER))
    assert (shown.page.figures.n_free, shown.page.figures.n_taint, shown.page.figures.n_out) == (11, 1, 2)
    assert [line.row.label for line in shown.claim_lines] == ["embedding", "encoder"]
    assert [card.card.name for card in shown.cards] == [f"gpu-{n}" for n in range(1, 6)]


def test_a_cluster_without_slices_has_no_tab(viewer, save):
    save([node("a"), pod("p")])
    assert "/devices/" not in strict_html(viewer.get("/w/team/clusters/prod/"))


def test_a_run_shows_them_at_the_cursor_with_what_is_short(viewer, devices_run):
    shown = panel(viewer.get(f"{RUN}?cycle=10"))
    assert [(line.row.label, line.row.says) for line in shown.claim_lines[:2]] == [
        ("pretrain-0", "1 gpu short on gpu-3"),
        ("tune-2", "1 gpu short on gpu-1 and 1 more"),
    ]
    assert [line.key for line in shown.claim_lines[:3]] == ["", "j", ""]
    end = panel(viewer.get(RUN))
    assert [line.row.label for line in end.claim_lines if line.row.state == "waits"] == ["pretrain-0", "encoder"]


def test_the_address_carries_what_is_chosen(viewer, devices_run):
    shown = panel(viewer.get(f"{RUN}?cycle=10"))
    url = shown.claim_lines[1].url
    assert "cycle=10" in url
    again = panel(viewer.get(url))
    assert (again.selected.label, again.fits_label) == ("tune-2", "tune-2")
    coloured = panel(viewer.get(again.fits_url))
    assert coloured.selected.label == "tune-2"
    assert {view.card.fits for view in coloured.cards} == {"not"}
    assert panel(viewer.get(f"{RUN}?cycle=12&fits={again.selected.key}")).page.n_fits == 1


@pytest.mark.slow
def test_a_claim_leads_to_its_pods_events_and_yaml(viewer, devices_run):
    shown = panel(viewer.get(f"{RUN}?cycle=10"))
    links = [
        shown.side.object_url,
        *(url for _, url in shown.side.waiting_pods),
        *(url for _, _, url in shown.side.happened),
    ]
    held = panel(viewer.get(f"{RUN}?cycle=10&claim=ml/embedding"))
    links += [held.side.object_url, *(url for _, _, url in held.side.reserved)]
    assert len(links) >= 6
    for url in links:
        assert viewer.get(url).status_code == 200, url


@pytest.mark.parametrize(
    "query", ["?list=classes", "?list=slices", "?q=tune", "?node=gpu-3", "?driver=nic.example.com"]
)
def test_other_lists_and_choices_are_pages_too(viewer, devices_run, query):
    assert panel(viewer.get(f"{RUN}{query}")).page is not None


def test_the_table_has_a_line_for_each_device(viewer, devices_run):
    response = viewer.get(f"{RUN}table.txt?cycle=10")
    assert response["Content-Type"].startswith("text/plain")
    lines = response.content.decode().splitlines()
    assert len(lines) == 1 + 16 + 4
    assert viewer.get(f"{CLUSTER}table.txt").content.decode().count("\tfree\t") == 15


def test_while_nobody_answers_the_page_asks_again_and_the_table_says_so(viewer, devices_run, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda ask: AskResult(waits_for=WaitsFor.WORKER))
    content = strict_html(viewer.get(RUN))
    assert "Waiting for an answer worker" in content
    assert re.search(r'hx-get="/w/team/runs/1/devices/\?until=\d+', content)
    assert viewer.get(f"{RUN}table.txt").status_code == 400


def test_strangers_see_nothing_and_bad_choices_are_said(stranger, viewer, devices_run):
    assert stranger.get(CLUSTER).status_code == 404
    assert viewer.get(f"{RUN}?list=pods").status_code == 400


def test_the_why_page_has_the_part_about_devices(viewer, devices_run):
    page = strict_html(viewer.get("/w/team/runs/1/why/?pod=ml/tune-2&attempt=1"))
    url = re.search(r'hx-get="([^"]*answers/pod-devices/[^"]*)"', page)[1].replace("&amp;", "&")
    part = strict_html(viewer.get(url))
    assert 'id="device-holders"' in part
    assert "most where the other requests have enough" in part
    assert f"{RUN}?seq=" in part


def test_search_leads_to_claims_classes_and_slices(viewer, devices_run):
    answer = viewer.get("/w/team/search/names/?q=gpu-4-gpus").content.decode()
    assert f"{CLUSTER}?list=slices&amp;q=gpu-4-gpus-0" in answer
    assert f"{CLUSTER}?claim=ml/embedding" in viewer.get("/w/team/search/names/?q=embedding").content.decode()
    assert (
        f"{CLUSTER}?list=classes&amp;q=nic.example.com"
        in viewer.get("/w/team/search/names/?q=nic.exam").content.decode()
    )
