"""The texts of errors are those of Go's encoding/json for the types of k8s.io/kube-scheduler/extender/v1."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler_core.extenders.answers import (
    READERS,
    FilterAnswer,
    MetaVictimsAnswer,
    filter_as_go,
    read_filter,
    read_scores,
    scores_as_go,
)
from scheduler_core.extenders.go_json import MAX_DEPTH, READABLE_DEPTH, GoJsonError, NestedTooDeeplyError


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


def in_containers(depth: int, opening: bytes = b"[", closing: bytes = b"]") -> bytes:
    """Return a value of ``depth`` containers in each other."""
    return opening * depth + b"1" + closing * depth


def filter_answer_with(metadata: bytes) -> bytes:
    """Return an answer with the metadata of a node inside of four containers, the node among them."""
    return b'{"Nodes":{"items":[{"metadata":' + metadata + b"}]}}"


def test_nodes_are_read_to_the_depth_that_is_promised():
    answer = READERS["filter"](filter_answer_with(in_containers(READABLE_DEPTH - 4, b'{"a":', b"}")))
    (node,) = answer.nodes
    depth, inner = 0, node["metadata"]
    while inner != 1:
        depth, inner = depth + 1, inner["a"]
    assert depth == READABLE_DEPTH - 4


@pytest.mark.parametrize("depth", [READABLE_DEPTH - 3, 600, 900, 5_000, MAX_DEPTH - 4])
@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_a_deeper_answer_that_go_reads_is_refused_with_its_depth_and_not_in_the_words_of_go(depth, opening, closing):
    with pytest.raises(NestedTooDeeplyError, match=f"has {depth + 4} containers"):
        READERS["filter"](filter_answer_with(in_containers(depth, opening, closing)))
    assert not issubclass(NestedTooDeeplyError, GoJsonError)


TOO_DEEP = b"[" * (MAX_DEPTH + 1)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"[" * 900 + b"1x", "invalid character 'x' after array element"),
        (TOO_DEEP + b"]" * len(TOO_DEEP), "invalid character '[' exceeded max depth"),
        (TOO_DEEP + b"1" + b"]" * len(TOO_DEEP), "invalid character '[' exceeded max depth"),
    ],
    ids=["an error of syntax hides the depth", "deeper than Go reads", "deeper than Go reads, with a value"],
)
def test_words_of_go(data, sentence):
    with pytest.raises(GoJsonError) as refused:
        READERS["filter"](data)
    assert str(refused.value) == sentence


SCALARS = st.none() | st.booleans() | st.integers(-(1 << 64), 1 << 64) | st.floats() | st.text(max_size=3)
NAMES = st.text('ab"\\\u00e9', max_size=3)
MAPS = st.dictionaries(NAMES, NAMES | SCALARS, max_size=3)
FILTERS = st.lists(
    st.tuples(
        st.sampled_from(["NodeNames", "nodenames", "FailedNodes", "FailedAndUnresolvableNodes", "Error", "Nodes", "x"]),
        st.lists(NAMES, max_size=3) | MAPS | NAMES | SCALARS,
    ),
    max_size=4,
)
SCORE_KEYS = st.sampled_from(["Host", "host", "Score", "x"])
SCORES = st.lists(st.lists(st.tuples(SCORE_KEYS, NAMES | SCALARS), max_size=3), max_size=3)


def written(pairs, *, ascii_only):
    """An object as JSON, whose keys may repeat."""
    members = (f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=ascii_only)}" for key, value in pairs)
    return "{" + ",".join(members) + "}"


def outcome(read, body):
    """What a reader gives, or the text of its error."""
    try:
        return read(body)
    except GoJsonError as error:
        return str(error)


@pytest.mark.slow
@given(FILTERS, SCORES, st.booleans(), st.sampled_from([b"", b" ", b" more", b"]", b"\xff"]))
def test_the_compiled_reader_reads_what_go_reads(answer, scores, ascii_only, rest):
    filtered = written(answer, ascii_only=ascii_only).encode("utf-8", "surrogatepass") + rest
    assert outcome(read_filter, filtered) == outcome(filter_as_go, filtered)
    several = ",".join(written(one, ascii_only=ascii_only) for one in scores)
    body = f"[{several}]".encode("utf-8", "surrogatepass") + rest
    assert outcome(read_scores, body) == outcome(scores_as_go, body)


@pytest.mark.parametrize(
    "body",
    [
        b'{"FailedNodes":{"a":"x"},"FailedNodes":{"b":"y"}}',
        b'{"FailedNodes":{"a":"x"},"FailedNodes":null}',
        b'{"NodeNames":["a"],"NodeNames":null}',
        b'{"Error":"x","Error":""}',
        b'{"NodeNames":null,"FailedNodes":null}',
        b'{"NodeNames":["\xff"]}',
        b'{"NodeNames":["a"]}x',
        b'{"Nodes":null}',
    ],
)
def test_the_compiled_reader_takes_no_short_cut(body):
    assert outcome(read_filter, body) == outcome(filter_as_go, body)


@pytest.mark.parametrize(
    ("score", "is_one"), [((1 << 63) - 1, True), (1 << 63, False), (-(1 << 63), True), (-(1 << 63) - 1, False)]
)
@pytest.mark.parametrize("body", ['[{{"Host":"a","Score":{}}}]', '[{{"host":"a","score":{}}}]'], ids=["plain", "as Go"])
def test_a_score_is_a_number_of_64_bits(score, is_one, body):
    text = body.format(score).encode()
    if is_one:
        assert read_scores(text) == [("a", score)]
    else:
        with pytest.raises(GoJsonError, match=f"cannot unmarshal number {score} "):
            read_scores(text)
