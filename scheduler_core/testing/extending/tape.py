"""The answers of extenders that a recorded scenario has with it, given to the calls that the engine makes.

The k-th call of a verb by an extender in a step gets the k-th answer. A call that is not the recorded one is an error
of the scenario, never an answer; of a request only what decides is compared (see ``essence``).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply

_SHOWN = 200


class OtherCallError(Exception):
    """The engine made another call than was recorded, or left one out."""


class ScenarioTape:
    """An ExtenderSource over the entries of a scenario's ``tape``."""

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        self._left: dict[tuple[int, int, str], deque[Mapping[str, Any]]] = defaultdict(deque)
        for entry in entries:
            self._left[entry["step"], entry["extender"], entry["verb"]].append(entry)
        self._first_cycle = self._first_step = 0

    def steps_from(self, cycle: int, step: int) -> None:
        """From this cycle on, each cycle is a step of the scenario, the first one this step."""
        self._first_cycle, self._first_step = cycle, step

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """The recorded replies. Raises OtherCallError."""
        return [self._reply(call) for call in calls]

    def check_all_asked(self) -> None:
        """Raise OtherCallError where a recorded call was not made."""
        for (step, extender, verb), entries in self._left.items():
            if entries:
                text = f"step {step}: extender {extender} was not asked to {verb} ({len(entries)} calls left)"
                raise OtherCallError(text)

    def _reply(self, call: ExtenderCall) -> ExtenderReply:
        step = self._first_step + call.step - self._first_cycle
        entries = self._left[step, call.extender, call.verb]
        where = f"step {step}: extender {call.extender}, {call.verb}"
        if not entries:
            raise OtherCallError(f"{where}: no such call was recorded")
        entry = entries.popleft()
        if entry["url"] != call.url:
            raise OtherCallError(f"{where}: {call.url} is called; recorded was {entry['url']}")
        made, recorded = essence(call.request), essence(entry["request"])
        if made != recorded:
            texts = [str(one)[:_SHOWN] for one in (made, recorded)]
            raise OtherCallError(f"{where}: the request says {texts[0]}; recorded was {texts[1]}")
        if "body" in entry:
            return ExtenderReply(entry["status"], entry["body"].encode())
        if entry.get("fault"):
            return ExtenderReply(0, fault=entry["fault"])
        return ExtenderReply(entry["status"], msgspec.json.encode(entry["response"]))


def essence(request: Mapping[str, Any]) -> Any:
    """What decides of a request: the pod's namespace, name and UID, the form, the set of nodes, victims in order."""
    if "PodUID" in request:
        return dict(request)
    metadata = request["Pod"]["metadata"]
    nodes: Any = None
    if "NodeNames" in request:
        by_name = request["NodeNames"] is not None
        names = request["NodeNames"] if by_name else [item["metadata"]["name"] for item in request["Nodes"]["items"]]
        nodes = (by_name, sorted(names))
    else:
        by_uid = request["NodeNameToMetaVictims"] is not None
        victims = request["NodeNameToMetaVictims"] if by_uid else request["NodeNameToVictims"]
        nodes = (by_uid, {node: _victims(one, by_uid=by_uid) for node, one in victims.items()})
    return (metadata.get("namespace", "default"), metadata["name"], metadata.get("uid"), nodes)


def _victims(one: Mapping[str, Any], *, by_uid: bool) -> tuple[list[str], int]:
    pods = one["Pods"] or []
    return [pod["UID"] if by_uid else pod["metadata"]["uid"] for pod in pods], one["NumPDBViolations"]
