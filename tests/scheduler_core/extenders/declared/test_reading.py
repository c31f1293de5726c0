from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core.api.config import Extender
from scheduler_core.api.labels import LabelSelector, Requirement
from scheduler_core.extenders.declared.reading import read_declared
from scheduler_core.extenders.declared.rules import (
    BindRule,
    DeclaredExtender,
    Failure,
    FilterRule,
    ScoreRule,
    VictimRule,
)
from scheduler_core.manifests.model import ManifestSource

ALL = Extender(filter_verb="filter", prioritize_verb="prioritize", preempt_verb="preempt", bind_verb="bind", weight=1)
TEXT = """
extenders:
- filter:
  - {nodes: {matchLabels: {disk: ssd}}, accept: true}
  - {pods: {matchLabels: {app: db}}, refuse: slow disk, resolvable: false}
  - {fail: 503}
  prioritize:
  - {nodes: {matchExpressions: [{key: zone, operator: Exists}]}, score: -3}
  preempt:
  - {victims: {matchLabels: {critical: "true"}}, then: spare}
  - {pods: {matchLabels: {app: db}}, fail: timeout}
  bind:
  - {refuse: no volume left}
"""


def label(key, value):
    return LabelSelector((Requirement(key, "In", (value,)),))


def read(text, extenders=(ALL,)):
    """(extenders, texts of findings)."""
    declared, findings = read_declared(ManifestSource("f.yaml", text.encode()), extenders)
    return declared, [finding.text() for finding in findings]


def test_rules_are_read():
    db = label("app", "db")
    declared = DeclaredExtender(
        filter=(
            FilterRule(nodes=label("disk", "ssd")),
            FilterRule(pods=db, refuse="slow disk", resolvable=False),
        ),
        prioritize=(ScoreRule(nodes=LabelSelector((Requirement("zone", "Exists"),)), score=-3),),
        preempt=(VictimRule(victims=label("critical", "true"), then="spare"),),
        bind=(BindRule(refuse="no volume left"),),
        failures={
            "filter": (Failure(status=503),),
            "prioritize": (),
            "preempt": (Failure(pods=db, fault="timeout"),),
            "bind": (),
        },
    )
    read_rules = read(TEXT)
    assert read_rules == ((declared,), [])


RULE = "extenders:\n- filter:\n  - "
NEEDED = "there are {} documents in the file; one is needed, with extenders"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.yaml: declared extenders: " + NEEDED.format(0)),
        ("a: 1\n---\nb: 2\n", "f.yaml:1: declared extenders: " + NEEDED.format(2)),
        ("extenders: []", "f.yaml:1: declared extenders: extenders: 0 are declared; the configuration has 1 extenders"),
        ("extenders: 5", "f.yaml:1: declared extenders: extenders: 5 is no list"),
        ("extenders: {", "f.yaml:2: declared extenders: "),
        (RULE + "{refuse: 5}", "f.yaml:3: declared extenders: extenders[0].filter[0].refuse: is read as"),
        (RULE + "{nodes: {}}", "f.yaml:3: declared extenders: extenders[0].filter[0].refuse: is missing"),
        (
            RULE + "{refuse: a, accept: true}",
            "f.yaml:3: declared extenders: extenders[0].filter[0].accept: a rule either refuses or accepts",
        ),
        (
            RULE + "{accept: false}",
            "f.yaml:3: declared extenders: extenders[0].filter[0].accept: write refuse with a text instead",
        ),
        (
            RULE + "{fail: 200}",
            "f.yaml:3: declared extenders: extenders[0].filter[0].fail: 200 is no failure. Write timeout, closed or",
        ),
        (
            RULE + "{refuse: a, nodes: {matchLabels: {'-': x}}}",
            "f.yaml:3: declared extenders: extenders[0].filter[0].nodes.matchLabels.-: ",
        ),
        (
            "extenders:\n- prioritize:\n  - {}",
            "f.yaml:3: declared extenders: extenders[0].prioritize[0].score: is missing. Write a whole number",
        ),
        (
            "extenders:\n- preempt:\n  - {then: spar}",
            'f.yaml:3: declared extenders: extenders[0].preempt[0].then: "spar" is not allowed. Write spare',
        ),
        (RULE + "[]\n" + "  - 5\n", "f.yaml:3: declared extenders: extenders[0].filter[0]: a list is no mapping"),
    ],
)
def test_an_error_names_file_line_and_field(text, message):
    declared, findings = read(text)
    assert declared is None
    assert findings[0].startswith(message)


def test_rules_that_nobody_would_ask_are_an_error():
    declared, findings = read(TEXT, [Extender(filter_verb="filter", preempt_verb="p", bind_verb="b")])
    assert declared is None
    assert findings == [
        "f.yaml:7: declared extenders: extenders[0].prioritize: the configuration has no prioritizeVerb for this "
        "extender: nobody would ask"
    ]


def test_an_unknown_field_is_a_warning():
    declared, findings = read(RULE + "{refuse: a, resolveable: false}")
    assert declared is not None
    (finding,) = findings
    assert finding.startswith("warning: f.yaml:3: declared extenders: extenders[0].filter[0].resolveable: ")
    assert finding.endswith("resolvable?")


def test_a_file_with_too_many_rules_is_refused():
    declared, findings = read(RULE + "{refuse: a}\n  - " * 10_001 + "{}")
    assert declared is None
    assert all(part in findings[0] for part in ("10,002 rules", "10,000 are"))


WORDS = st.sampled_from(
    ["extenders", "filter", "preempt", "bind", "nodes", "matchLabels", "then", "fail", "score", "a"]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 600), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(["filter", "prioritize", "preempt", "bind"]), VALUES), max_size=2))
def test_no_value_is_more_than_a_finding(entries):
    declared, findings = read(json.dumps({"extenders": entries}))
    assert (declared is None) == any(not text.startswith("warning") for text in findings)
