"""Short addresses of cursors: where they lead, and whom."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import get_resolver, reverse

from dashboard.common.problems import BadQuery
from dashboard.debugger.cursor.cursor import cursor_of
from dashboard.debugger.sharing.short_views import LEFT_OUT, PARAMETERS, short_object_path, short_parameters, short_path
from tests.dashboard.debugger.conftest import scene
from tests.dashboard.role_tables import taken_back

MOMENTS = ("c/1/", "s/3/", "c/1/on/full-a", "s/3/on/full-a/")
OBJECTS = ("c/1/o/Node/full-a/", "s/3/o/Pod/default/small-0/")


def full(run):
    """Return the address of the run's page."""
    return reverse("debugger:run", args=["team", run.number])


def anonymised(response, slug):
    """Return a page without the workspace that the reader named, and without what differs at each request."""
    text = response.content.decode().replace(f"/w/{slug}/", "/w/-/").replace(f"%2Fw%2F{slug}%2F", "%2Fw%2F-%2F")
    return re.sub(r'(csrf-token" content|csrfmiddlewaretoken" value)="[^"]*"', "", text)


@pytest.mark.parametrize(
    ("short", "query"),
    [
        ("c/2/", "cycle=2"),
        ("s/0/", "seq=0"),
        ("c/2/show/why", "cycle=2&tab=why"),
        ("c/2/show/why/", "cycle=2&tab=why"),
        ("c/2/on/full-a/by/NodeName/at/Filter/", "cycle=2&point=Filter&plugin=NodeName&node=full-a"),
        ("s/3/of/default:small-0/", "seq=3&pod=default%2Fsmall-0"),
        ("c/2/on/a&cycle=1/", "cycle=2&node=a%26cycle%3D1"),
    ],
)
def test_each_leads_to_its_full_address(viewer, run, short, query):
    response = viewer.get(full(run) + short)
    assert (response.status_code, response["Location"]) == (302, f"{full(run)}?{query}")
    assert viewer.get(response["Location"]).status_code == 200


def test_a_call_is_named_with_its_point(viewer, run, cycle_of):
    number = cycle_of("never-0").number
    response = viewer.get(f"{full(run)}c/{number}/at/Filter/call/NodeName")
    assert response["Location"] == f"{full(run)}?cycle={number}&point=Filter&call=NodeName"
    assert viewer.get(f"{full(run)}c/{number}/call/NodeName").status_code == 400


@pytest.mark.parametrize(
    ("short", "status"),
    [
        ("c/9999/", 404),
        ("s/999999/", 404),
        ("c/99999999999999999999999/", 400),
        ("c/1/on", 400),
        ("c/1/elsewhere/x/", 400),
        ("c/1/on/a/on/b/", 400),
        ("c/1/show/nothing/", 400),
        ("c/1/at/Nowhere/", 400),
        (f"c/1/on/{'n' * 500}/", 400),
        ("c/x/", 404),
    ],
)
def test_an_address_that_names_nothing_says_so(viewer, run, short, status):
    assert viewer.get(full(run) + short).status_code == status


@pytest.mark.parametrize(
    "rest", ["on//", "on/<script>alert(1)</script>", "<b>/x", "on/%0a", "\u202eon/x", "//evil.example"]
)
def test_hostile_parts_never_lead_elsewhere(viewer, run, rest):
    response = viewer.get(f"{full(run)}c/1/{rest}")
    if response.status_code == 302:
        assert response["Location"].startswith(f"{full(run)}?cycle=1")
    else:
        assert response.status_code in (400, 404)
        assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize("rest", ["on", "on/a/at", "on/a/on/b", "x/y"])
def test_parts_that_cannot_be_are_refused(rest):
    with pytest.raises(BadQuery):
        short_parameters(rest)


def test_every_part_has_its_parameter():
    rest = "/".join(f"{part}/v-{part}" for part in PARAMETERS)
    assert short_parameters(rest) == {name: f"v-{part}" for part, name in PARAMETERS.items()}
    assert short_parameters("") == {}


@pytest.mark.parametrize("moment", [*MOMENTS, *OBJECTS])
def test_members_are_led_on_and_nobody_else_learns_anything(people, run, moment):
    for role, person in people.items():
        with taken_back():
            response = person.get(full(run) + moment)
            if role == "stranger":
                assert response.status_code == 404
                nowhere = person.get(f"/w/nowhere/runs/{run.number}/{moment}")
                assert anonymised(response, "team") == anonymised(nowhere, "nowhere")
            elif role == "anonymous":
                assert response.status_code == 302
                assert response["Location"].startswith("/signin?next=")
                assert "Prod" not in person.get(response["Location"]).content.decode()
            else:
                assert response["Location"].startswith((f"{full(run)}?", f"{full(run)}objects/")), role
            assert person.post(full(run) + moment).status_code in (302, 404, 405), role


def test_the_run_of_another_workspace_is_not_found(stranger, run):
    assert stranger.get(f"/w/elsewhere/runs/{run.number}/c/1/").status_code == 404


def test_every_short_address_is_in_the_table_above(run):
    _prefix, resolver = get_resolver().namespace_dict["debugger"]
    names = {name for name in resolver.reverse_dict if isinstance(name, str) and name.startswith("short_")}
    tried = {resolver.resolve(f"w/team/runs/{run.number}/{moment}").url_name for moment in (*MOMENTS, *OBJECTS)}
    assert names == tried


@pytest.mark.parametrize(
    ("query", "short"),
    [
        ({"cycle": "2"}, "c/2/"),
        ({"seq": "4"}, "s/4/"),
        ({"cycle": "2", "tab": "why", "node": "full-a", "map": "cpu", "step": "call"}, "c/2/show/why/on/full-a/"),
        ({"seq": "4", "pod": "default/small-0"}, "s/4/of/default:small-0/"),
        ({"cycle": "2", "q": "zone-a"}, "?cycle=2&q=zone-a"),
        ({"cycle": "2", "node": "[x](//evil)"}, "?cycle=2&node=%5Bx%5D%28%2F%2Fevil%29"),
        ({"cycle": "2", "node": "-x"}, "?cycle=2&node=-x"),
    ],
)
def test_the_server_writes_those_that_the_page_copies(viewer, run, query, short):
    cursor = cursor_of(run, "team", query)
    assert short_path(cursor) == full(run) + short
    if not short.startswith("?"):
        led_to = viewer.get(short_path(cursor))["Location"]
        lasting = {name: value for name, value in query.items() if name not in LEFT_OUT}
        assert led_to == cursor_of(run, "team", lasting).url()


@pytest.mark.parametrize(
    ("kind", "key", "query", "short"),
    [
        ("Node", "full-a", {"cycle": "2"}, "c/2/o/Node/full-a/"),
        ("Pod", "default/small-0", {"seq": "4"}, "s/4/o/Pod/default/small-0/"),
        ("Pod", "default/../x", {"seq": "4"}, "objects/Pod/?seq=4&key=default%2F..%2Fx"),
        ("ClusterRole", "system:node", {"seq": "4"}, "s/4/o/ClusterRole/system:node/"),
    ],
)
def test_objects_at_a_moment_have_short_addresses(viewer, run, kind, key, query, short):
    path = short_object_path(cursor_of(run, "team", query), kind, key)
    assert path == full(run) + short
    if "?" not in short:
        led_to = urlsplit(viewer.get(path)["Location"])
        assert led_to.path == f"{full(run)}objects/{kind}/"
        assert dict(parse_qsl(led_to.query)) == {**query, "key": key}


def test_the_page_of_an_object_offers_its_short_address_and_says_what_it_is(viewer, run):
    html = viewer.get(full(run) + "s/4/o/Node/full-a/", follow=True).content.decode()
    assert f'data-copy-text="http://testserver{full(run)}s/4/o/Node/full-a/"' in html
    said = re.search(r'<meta name="description" content="([^"]*)">', html)[1]
    assert said.startswith(f"Node full-a in run {run.number} ")
    assert said.rstrip().endswith(" seq 4.")
    assert viewer.get(full(run) + "s/99999/o/Node/full-a/").status_code == 404


def test_a_page_says_in_one_sentence_what_it_shows_and_to_strangers_the_products_name_alone(execute, viewer, client):
    run = execute(scene())
    address = f"/w/team/runs/{run.number}/?cycle=1"
    said = re.search(r'<meta name="description" content="([^"]*)">', viewer.get(address).content.decode())[1]
    assert " ".join(said.split()) == f"Run {run.number} of {run.revision}, finished: cycle 1."
    answer = client.get(address, follow=True).content.decode()
    said = re.findall(r'<meta (?:name="description"|property="og:title") content="([^"]*)">', answer)
    assert said == ["Schedscope"] * 2
    assert str(run.revision) not in answer
