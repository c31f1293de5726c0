"""The filter of the editor's tree, written as in k9s."""

from __future__ import annotations

import pytest

from dashboard.clusters.workbench.filtering import BadFilter, find_kind, parse_filter, parse_selector


def test_words_kinds_and_namespaces_are_told_apart():
    asked = parse_filter(":po :Nodes /Web -n shop /!canary extra")
    assert asked.kinds == {"Pod", "Node"}
    assert asked.namespace == "shop"
    assert asked.words == ("web", "extra")
    assert asked.without == ("canary",)
    assert asked.has_words("web-1 extra")
    assert not asked.has_words("web-1 extra canary")


@pytest.mark.parametrize("text", ["", "  ", "/", "/!", ":", "-l", "-n "])
def test_what_is_not_finished_yet_asks_for_nothing(text):
    assert parse_filter(text).is_empty


@pytest.mark.parametrize(
    ("word", "kind"),
    [("deploy", "Deployment"), ("priorityclasses", "PriorityClass"), ("PDB", "PodDisruptionBudget"), ("", "")],
)
def test_kinds_have_the_names_that_kubectl_knows(word, kind):
    assert find_kind(word) == kind


def test_an_unknown_kind_is_named():
    with pytest.raises(BadFilter, match=":gadgets"):
        parse_filter(":gadgets")


@pytest.mark.parametrize(
    ("text", "labels", "holds"),
    [
        ("app=web", {"app": "web"}, True),
        ("app==web,tier!=db", {"app": "web"}, True),
        ("app=web,tier!=db", {"app": "web", "tier": "db"}, False),
        ("gpu", {"gpu": ""}, True),
        ("!gpu", {"gpu": ""}, False),
        ("zone in (a, b)", {"zone": "b"}, True),
        ("zone notin (a,b),x=1", {"zone": "b", "x": "1"}, False),
    ],
)
def test_selectors_mean_what_they_mean_to_kubectl(text, labels, holds):
    assert parse_selector(text).matches(labels) is holds
    quoted = parse_filter(f'-l "{text}"').labels
    assert quoted is not None
    assert quoted.matches(labels) is holds


@pytest.mark.parametrize("text", ["a=b=c", "in (a)", "=", "a,,b", "a in b"])
def test_a_selector_that_cannot_be_read_is_refused(text):
    with pytest.raises(BadFilter, match="label selector"):
        parse_selector(text)
