"""The page "Capacity": its four questions, tiles, table, and what bad addresses get."""

from __future__ import annotations

import re

import pytest

from dashboard.answers import asking
from dashboard.answers.messages import AskResult
from dashboard.answers.outcomes import WaitsFor
from tests.dashboard.helpers import strict_html

HERE = "/w/team/clusters/prod/capacity/"
pytestmark = pytest.mark.usefixtures("cluster")


def shown(response):
    strict_html(response)
    return response.context["panel"].shown


@pytest.mark.slow
def test_which_group_says_nodes_by_group_and_why_others_do_not(viewer):
    assert f'href="{HERE}"' in strict_html(viewer.get("/w/team/clusters/prod/"))
    page = shown(viewer.get(HERE)).page
    assert (page.added, page.n_run, page.n_asked, page.n_gated) == ({"general": 2}, 3, 3, 1)
    (row,) = page.matrix.rows
    assert [(cell.group, cell.look.word, cell.is_chosen) for cell in row.cells] == [
        ("general", "2 nodes", True),
        ("gpu", "taint", False),
    ]
    assert [len(view.node.pods) for view in page.places] == [2, 1]
    other = shown(viewer.get(row.cells[1].url)).page
    assert other.matrix.detail.group == "gpu"


def test_one_pod_is_asked_as_if_no_other_waited(viewer):
    page = shown(viewer.get(f"{HERE}?pod=default/etl-1")).page
    assert (page.added, page.n_asked) == ({"general": 1}, 1)
    no_question = shown(viewer.get(f"{HERE}?pod=default/web-0"))
    assert no_question.page is None
    assert "does not wait" in no_question.state.text


@pytest.mark.slow
def test_groups_like_a_node_and_typed_ones_are_kept_in_the_address(viewer):
    liked = shown(viewer.get(f"{HERE}?like=t-0"))
    assert [line.facts.name for line in liked.page.lines] == ["general", "gpu", "like-t-0"]
    typed = (
        "apiVersion: schedscope/v1\nkind: NodeGroups\ngroups: [{name: small, like: g-0, max: 1, price: 2},"
        " {name: more, like: g-0, price: 3}]"
    )
    page = shown(viewer.get(HERE, {"groups": typed, "goal": "price"}))
    assert (page.page.adding.mix.proved, page.page.price) == ("cheapest", "5 an hour more")
    assert dict(page.fields["groups"])["goal"] == "price"
    assert "groups=" in page.url(row="")
    wrong = shown(viewer.get(HERE, {"groups": "kind: Nothing"}))
    assert "kind: write apiVersion" in wrong.state.text


@pytest.mark.slow
def test_room_drain_and_what_is_not_needed(viewer):
    room = shown(viewer.get(f"{HERE}?show=room&of=default/cart-0")).page
    assert (room.count, dict(room.nodes)) == ("3", {"g-0": 1, "g-1": 2})
    drain = shown(viewer.get(f"{HERE}?show=drain&node=g-0")).page
    assert [(row.pod, row.word) for row in drain.rows] == [
        ("default/web-0", "stays pending"),
        ("default/cart-0", "to g-1"),
    ]
    spare = shown(viewer.get(f"{HERE}?show=spare"))
    assert spare.is_complete
    assert [(row.line.name, row.word) for row in spare.page.rows] == [
        ("t-0", "not needed"), ("g-0", "needed"), ("g-1", "needed"),
    ]  # fmt: skip
    again = shown(viewer.get(f"{HERE}?show=drain&q=t-")).page
    assert [choice.words for choice in again.choices] == ["not needed"]


@pytest.mark.parametrize("show", ["groups", "room", "drain&node=g-0", "spare"])
def test_each_answer_is_a_table_in_text_and_each_tile_a_part(viewer, show):
    response = viewer.get(f"{HERE}table.txt?show={show}")
    lines = response.content.decode().splitlines()
    assert response["Content-Type"].startswith("text/plain")
    assert len(lines) >= 3
    assert "\t" in lines[1]
    assert 'class="oc-cell' in viewer.get(f"{HERE}tile/?show={show}").content.decode()


def test_while_nobody_answers_the_page_and_its_tiles_ask_again(viewer, monkeypatch):
    monkeypatch.setattr(asking, "_transport", lambda: lambda ask: AskResult(waits_for=WaitsFor.WORKER))
    content = strict_html(viewer.get(HERE))
    assert len(re.findall(r'hx-get="/w/team/clusters/prod/capacity/tile/\?show=', content)) == 3
    assert re.search(r'hx-get="/w/team/clusters/prod/capacity/\?until=\d+', content)
    assert viewer.get(f"{HERE}table.txt").status_code == 400


def test_strangers_see_nothing_and_bad_choices_are_said(stranger, viewer):
    assert stranger.get(HERE).status_code == 404
    assert viewer.get(f"{HERE}?show=all").status_code == 400
    assert viewer.get(f"{HERE}?show=drain&node=nowhere").context["panel"].shown.page is None
