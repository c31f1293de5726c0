"""The form of the Why page for a change of one's own."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from tests.dashboard.debugger.page_text import text


@pytest.fixture
def would(run, viewer):
    """A function that gets the part of the page for a pod, with a query."""

    def get(client=viewer, pod="default/never-0", **query):
        return client.get(reverse("debugger:why_would", args=["team", run.number]), {"pod": pod, **query})

    return get


def test_the_answer_says_what_the_hints_make_of_it_and_what_an_attempt_decides(would):
    response = would(change="grow-node", name="full-a", value="cpu=80")
    effect = response.context["panel"].answer.effect
    assert (effect.wakes, effect.events, effect.plugins) == (
        True,
        ("NodeUpdateNodeAllocatable",),
        ("NodeResourcesFit",),
    )
    assert "TaintToleration" in [one.plugin for one in effect.hints]
    assert (effect.fits, effect.node) == (True, "full-a")
    assert all(one.text in text(response) for one in effect.hints)


def test_a_change_in_vain_is_said_with_the_reasons(would):
    response = would(change="label-node", name="full-a", value="disk=ssd")
    effect = response.context["panel"].answer.effect
    assert (effect.wakes, effect.events, effect.fits) == (False, ("NodeUpdateNodeLabel",), False)
    assert effect.failure.startswith("0/3 nodes are available")
    assert effect.failure in text(response)


@pytest.mark.parametrize(
    ("query", "field", "page_text"),
    [
        ({"change": "grow-node", "name": "", "value": "cpu=1"}, "name", "Name the node"),
        ({"change": "grow-node", "name": "nowhere", "value": "cpu=1"}, "name", "There is no node nowhere"),
        ({"change": "grow-node", "name": "full-a", "value": "cpu=lots"}, "value", "no quantity"),
        ({"change": "remove-gates"}, "change", "It has no scheduling gate"),
        ({"would": "paint-node full-a"}, "change", "There is no change"),
    ],
)
def test_what_is_wrong_is_said_at_the_field_and_what_was_typed_stays(would, query, field, page_text):
    response = would(**query)
    html = response.content.decode()
    assert page_text.lower() in text(response).lower()
    assert re.search(rf'id="would-{field}"[^>]*aria-invalid="true"', html, re.DOTALL)
    for typed in (query.get("name"), query.get("value")):
        assert not typed or f'value="{typed}"' in html


def test_another_kind_brings_its_own_fields_without_asking(would, worker_stub):
    html = would(change="delete-pod", fields="1").content.decode()
    assert "namespace/name" in html
    assert 'id="would-value"' not in html
    assert worker_stub.asked is None


def test_the_address_of_a_change_shows_the_same_after_a_reload(look, run, would):
    page = look(run, name="debugger:why", pod="default/never-0", would="request cpu=1").content.decode()
    assert 'value="cpu=1"' in page
    place = unescape(re.search(r'hx-get="([^"]*/why/would/[^"]*would=[^"]*)"\s+hx-trigger="load', page)[1])
    assert "would=request+cpu%3D1" in place
    panel = would(would="request cpu=1").context["panel"]
    assert (panel.form.text, panel.answer.effect.fits) == ("request cpu=1", True)


def test_a_gated_pod_is_asked_about_too_and_a_placed_one_is_not(would, look, run):
    response = would(pod="default/gated-0", change="remove-gates")
    assert "example.org/hold" in text(response)
    assert response.context["panel"].answer.effect.fits
    assert would(pod="default/small-0", change="request", value="cpu=1").status_code == 404
    assert 'id="would"' in look(run, name="debugger:why", pod="default/gated-0").content.decode()
    assert 'id="would"' not in look(run, name="debugger:why", pod="default/small-0").content.decode()


def test_strangers_learn_nothing(would, stranger, worker_stub):
    assert would(stranger, change="remove-gates").status_code == 404
    assert worker_stub.asked is None


@pytest.mark.parametrize(
    ("pod", "change", "sentences"),
    [
        (
            "never-0",
            ("grow-node", "full-a", "cpu=80"),
            [
                "Would this change help?",
                "If full-a has 80 cpu to allocate",
                "NodeUpdateNodeAllocatable brings it back: NodeResourcesFit lets it through.",
                "TaintToleration did not register for NodeUpdateNodeAllocatable",
                "The attempt then succeeds, on full-a.",
            ],
        ),
        (
            "never-0",
            ("label-node", "full-a", "disk=ssd"),
            [
                "NodeUpdateNodeLabel does not bring it back.",
                "The attempt then fails: 0/3 nodes are available",
            ],
        ),
        ("never-0", ("request", "", "cpu=1"), ["If the pod asks for 1 cpu"]),
        ("gated-0", ("remove-gates", "", ""), ["If its scheduling gate example.org/hold is removed"]),
    ],
)
def test_words(would, pod, change, sentences):
    page_text = text(would(pod=f"default/{pod}", **dict(zip(("change", "name", "value"), change, strict=True))))
    assert [one for one in sentences if one not in page_text] == []
