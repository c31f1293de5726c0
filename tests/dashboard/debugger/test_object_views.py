"""The page of an object at a cursor."""

from __future__ import annotations

from django.urls import reverse


def address(run, kind):
    """Return the address of objects of a kind."""
    return reverse("debugger:object", kwargs={"slug": "team", "number": run.number, "kind": kind})


def test_object_is_a_part_to_htmx_and_a_page_to_others(viewer, run, cycle_of):
    query = {"cycle": cycle_of("small-0").number, "key": "default/small-0"}
    part = viewer.get(address(run, "Pod"), query, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "cpu: 100m" in part
    page = viewer.get(address(run, "Pod"), query).content.decode()
    assert "cpu: 100m" in page
    assert f"?cycle={query['cycle']}" in page


def test_unknown_objects_are_not_found(viewer, run):
    assert viewer.get(address(run, "Pod"), {"seq": 3, "key": "default/nobody"}).status_code == 404
    assert viewer.get(address(run, "Pod"), {"seq": 3}).status_code == 404
    assert viewer.get(address(run, "Node"), {"seq": 10**9, "key": "full-a"}).status_code == 404


def test_node_card_links_the_yaml_of_the_moment(look, run, cycle_of):
    html = look(run, cycle=cycle_of("small-0").number, node="taint-c").content.decode()
    assert f"{address(run, 'Node')}?cycle={cycle_of('small-0').number}&amp;node=taint-c&amp;key=taint-c" in html


def test_strangers_do_not_see_objects(client, run):
    assert client.get(address(run, "Node"), {"seq": 3, "key": "full-a"}).status_code in (302, 403, 404)
