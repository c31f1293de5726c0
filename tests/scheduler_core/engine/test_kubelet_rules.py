"""Rules of kubelets: which pods they are for, and which of several counts."""

from __future__ import annotations

import pytest

from scheduler_core.engine.kubelet_rules import KubeletBehaviour, KubeletRule, behaviour, read_rules
from scheduler_core.engine.policies import Policies
from scheduler_core.testing.builders import make_pod

EVERY = KubeletRule(ready_after=1.5, grace=2.0)


def test_the_last_rule_that_gives_a_field_counts() -> None:
    rules = (EVERY, KubeletRule(node="n1", ready_after="never"), KubeletRule(labels={"app": "a"}, fail_after=3.0))
    assert behaviour(rules, make_pod("p", node_name="n2")) == KubeletBehaviour(1_500_000, grace=2_000_000)
    assert behaviour(rules, make_pod("p", node_name="n1")).ready is None
    assert behaviour(rules, make_pod("p", labels={"app": "a"})).fail == 3_000_000


def test_one_that_fails_does_not_succeed() -> None:
    rules = (KubeletRule(succeed_after=9.0), KubeletRule(index=1, fail_after=3.0))
    pod = make_pod("p", annotations={"batch.kubernetes.io/job-completion-index": "1"})
    assert (behaviour(rules, pod).succeed, behaviour(rules, pod).fail) == (None, 3_000_000)
    assert behaviour(rules, make_pod("q")).succeed == 9_000_000


def test_rules_are_a_policy_that_texts_name_as_json() -> None:
    given = Policies().with_texts(['kubelets=[{"ready_after": 30}]'])
    assert given.kubelets == (KubeletRule(ready_after=30),)
    for text in ('kubelets=[{"readyAfter": 30}]', "kubelets=soon"):
        with pytest.raises(ValueError, match=r"kubelets|readyAfter"):
            Policies().with_texts([text])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[{"grace": 5}, {"readyAfter": 30}]', "rule 2: .*readyAfter"),
        ('[{"ready_after": "soon"}]', "rule 1: .*ready_after"),
        ('[{"grace": -1}]', "rule 1: .*grace.*-1"),
        ('{"grace": 1}', "list"),
        ("[" + ",".join(["{}"] * 101) + "]", "100"),
        ("grace 5", "JSON"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said_with_its_number_and_field(text: str, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        read_rules(text)


def test_a_rule_says_itself_and_an_empty_text_has_none() -> None:
    first, second = read_rules('[{"labels": {"app": "web"}, "ready_after": 30, "grace": 5}, {"ready_after": "never"}]')
    assert (first.text, second.text) == ("app=web: ready after 30 s, grace 5 s", "every pod: ready after never")
    assert read_rules(" ") == ()
