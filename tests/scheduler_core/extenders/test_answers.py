"""The texts of errors are those of Go's encoding/json for the types of k8s.io/kube-scheduler/extender/v1."""

from __future__ import annotations

import pytest

from scheduler_core.extenders.answers import READERS, FilterAnswer, MetaVictimsAnswer
from scheduler_core.extenders.go_json import GoJsonError


@pytest.mark.parametrize(
    ("verb", "body", "value"),
    [
        ("filter", b'{"nodenames":["a"],"FAILEDNODES":{"b":"no"},"x":1} more', FilterAnswer(None, ["a"], {"b": "no"})),
        ("filter", b"null", FilterAnswer()),
        ("filter", b'{"Nodes":{"items":[{"metadata":{"name":"a"}}]}}', FilterAnswer([{"metadata": {"name": "a"}}])),
        ("prioritize", b'[{"Host":"a","Score":-3},{"host":"b","score":null},{}]', [("a", -3), ("b", 0), ("", 0)]),
        ("prioritize", b"null", []),
        ("preempt", b'{"NodeNameToMetaVictims":{"n":null}}', {"n": MetaVictimsAnswer(is_null=True)}),
        (
            "preempt",
            b'{"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":"u"}],"NumPDBViolations":2}}}',
            {"n": MetaVictimsAnswer(["u"], 2)},
        ),
        ("bind", b'{"error":"no"}', "no"),
    ],
)
def test_answers_are_read_without_regard_to_case_and_what_follows(verb, body, value):
    assert READERS[verb](body) == value


FILTER, SCORE = (
    "json: cannot unmarshal {} into Go struct field ExtenderFilterResult.{}",
    "HostPriority.Score of type int64",
)


@pytest.mark.parametrize(
    ("verb", "body", "text"),
    [
        ("filter", b"", "EOF"),
        ("filter", b" \n", "EOF"),
        ("filter", b'{"NodeNames":["a"', "unexpected EOF"),
        ("filter", b"nul", "unexpected EOF"),
        ("filter", b"<html>", "invalid character '<' looking for beginning of value"),
        ("filter", b"{a:1}", "invalid character 'a' looking for beginning of object key string"),
        ("filter", b'{"a" 1}', "invalid character '1' after object key"),
        ("filter", b'{"a":1 2}', "invalid character '2' after object key:value pair"),
        ("prioritize", b"[1 2]", "invalid character '2' after array element"),
        ("filter", b'"\\x"', "invalid character 'x' in string escape code"),
        ("filter", b"trux", "invalid character 'x' in literal true (expecting 'e')"),
        ("filter", b'{"NodeNames":"a"}', FILTER.format("string", "NodeNames of type []string")),
        ("filter", b'{"NodeNames":[1]}', FILTER.format("number", "NodeNames of type string")),
        ("filter", b'{"FailedNodes":[]}', FILTER.format("array", "FailedNodes of type v1.FailedNodesMap")),
        ("filter", b"[]", "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult"),
        ("prioritize", b'[{"Score":5.5}]', f"json: cannot unmarshal number 5.5 into Go struct field {SCORE}"),
        ("prioritize", b'[{"Score":1e1}]', f"json: cannot unmarshal number 1e1 into Go struct field {SCORE}"),
        ("prioritize", b'[{"Score":"5"}]', f"json: cannot unmarshal string into Go struct field {SCORE}"),
        ("prioritize", b"{}", "json: cannot unmarshal object into Go value of type v1.HostPriorityList"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_in_the_words_of_go(verb, body, text):
    with pytest.raises(GoJsonError) as problem:
        READERS[verb](body)
    assert str(problem.value) == text


def test_containers_nested_too_deeply_are_refused():
    with pytest.raises(GoJsonError, match="exceeded max depth"):
        READERS["filter"](b"[" * 20_000 + b"]" * 20_000)
