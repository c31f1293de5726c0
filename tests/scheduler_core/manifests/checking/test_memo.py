"""Equal parts of objects are parsed once, and what is wrong with them is said of each."""

from __future__ import annotations

from scheduler_core.manifests.checking import memo as memos
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At, Sink


def parser(parsed):
    """A function that notes what it is called with, and complains of an empty mapping."""

    def parse(at):
        parsed.append(at.raw)
        if at.raw == {}:
            at.error("is empty")
        return at.raw

    return parse


def test_equal_parts_are_parsed_once_and_complained_of_at_each_place():
    memo, parsed, sink = Memo(), [], Sink()
    for place in ("first", "second"):
        assert memo.read("part", At({}, (place,), sink), parser(parsed)) == {}
    assert parsed == [{}]
    assert [complaint.path for complaint in sink.complaints] == [("first",), ("second",)]


def test_kinds_are_kept_apart():
    memo, parsed = Memo(), []
    for kind in ("labels", "annotations"):
        memo.read(kind, At({"a": "b"}, (), Sink()), parser(parsed))
    assert len(parsed) == 2


def test_a_field_is_read_from_its_object_and_an_absent_one_parsed_once():
    memo, parsed = Memo(), []
    objects = [At({"labels": {"a": "b"}}, (), Sink()), At({"labels": {"a": "b"}}, (), Sink()), At({}, (), Sink())]
    assert [memo.field("labels", at, "labels", parser(parsed)) for at in [*objects, objects[2]]] == [
        {"a": "b"},
        {"a": "b"},
        None,
        None,
    ]
    assert parsed == [{"a": "b"}, None]


def test_parts_that_never_repeat_do_not_pile_up(monkeypatch):
    monkeypatch.setattr(memos, "_MAX_PARTS", 3)
    memo, parsed = Memo(), []
    for number in (0, 1, 2, 3, 0):
        memo.read("part", At({"n": number}, (), Sink()), parser(parsed))
    assert [raw["n"] for raw in parsed] == [0, 1, 2, 3, 0]
