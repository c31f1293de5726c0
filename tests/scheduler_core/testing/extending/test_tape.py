"""The tape of a recorded scenario answers the recorded calls and no others."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply
from scheduler_core.testing.extending.tape import OtherCallError, ScenarioTape, essence

POD = {"metadata": {"name": "p", "namespace": "default", "uid": "u"}}


def request(*names: str, **pod: Any) -> dict[str, Any]:
    return {"Pod": POD | pod, "Nodes": None, "NodeNames": list(names)}


def entry(**fields: Any) -> dict[str, Any]:
    base = {"step": 0, "extender": 0, "verb": "filter", "url": "http://a/f", "request": request("n1"), "status": 200}
    return base | ({} if {"body", "fault"} & set(fields) else {"response": {}}) | fields


def call(step: int = 1, **fields: Any) -> ExtenderCall:
    base = {"step": step, "extender": 0, "verb": "filter", "url": "http://a/f", "request": request("n1")}
    return ExtenderCall(**(base | fields))


def tape(*entries: dict[str, Any]) -> ScenarioTape:
    made = ScenarioTape(entries)
    made.steps_from(1, 0)
    return made


def test_the_kth_call_gets_the_kth_answer() -> None:
    source = tape(entry(response={"a": 1}), entry(body="<x>", status=500), entry(status=0, fault="timeout"))
    replies = [source.ask([call()])[0] for _ in range(3)]
    assert replies == [ExtenderReply(200, b'{"a":1}'), ExtenderReply(500, b"<x>"), ExtenderReply(0, fault="timeout")]
    source.check_all_asked()


def test_cycles_are_counted_from_the_step_that_they_begin_with() -> None:
    source = tape(entry(step=5))
    source.steps_from(9, 4)
    assert source.ask([call(step=10)])


@pytest.mark.parametrize(
    ("entries", "calls", "sentence"),
    [
        ([], [call()], "step 0: extender 0, filter: no such call was recorded"),
        ([entry()], [call(url="http://b")], "step 0: extender 0, filter: http://b is called; recorded was http://a/f"),
        ([entry()], [call(request=request("n2"))],
         "step 0: extender 0, filter: the request says ('default', 'p', 'u', (True, ['n2'])); recorded was "
         "('default', 'p', 'u', (True, ['n1']))"),
        ([entry()], [], "step 0: extender 0 was not asked to filter (1 calls left)"),
    ],
    ids=["one more call", "another address", "another request", "a call that is not made"],
)  # fmt: skip
def test_words(entries: list[dict[str, Any]], calls: list[ExtenderCall], sentence: str) -> None:
    source = tape(*entries)
    with pytest.raises(OtherCallError) as error:
        source.ask(calls) if calls else source.check_all_asked()
    assert str(error.value) == sentence


def test_of_a_request_only_what_decides_is_compared() -> None:
    assert essence(request("a", "b")) == essence(request("b", "a", spec={"x": 1}))
    whole = {"Pod": POD, "Nodes": {"items": [{"metadata": {"name": "a"}}]}, "NodeNames": None}
    assert essence(whole) != essence(request("a"))
    victims = {"n": {"Pods": [{"UID": "1"}, {"UID": "2"}], "NumPDBViolations": 0}}
    turned = {"n": {"Pods": [{"UID": "2"}, {"UID": "1"}], "NumPDBViolations": 0}}
    one, other = ({"Pod": POD, "NodeNameToVictims": None, "NodeNameToMetaVictims": v} for v in (victims, turned))
    assert essence(one) != essence(other)
