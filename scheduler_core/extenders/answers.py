"""The bodies of extenders' answers as values, read as Go reads them into the types of kube-scheduler/extender/v1.

Keys are read without regard to case and unknown ones passed over; null leaves what is there. The first value of a wrong
type is the error of the whole answer, in Go's words, although reading goes on after it.
Every reader also raises NestedTooDeeplyError, for what Go reads and this one does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

import msgspec

from scheduler_core.extenders.go_json import GoJsonError, GoObject, Number, first_value

_INT64 = (-(1 << 63), (1 << 63) - 1)


class _HostScore(msgspec.Struct, forbid_unknown_fields=True):
    Host: str = ""
    Score: Annotated[int, msgspec.Meta(ge=_INT64[0], le=_INT64[1])] = 0


class _PlainFilterAnswer(msgspec.Struct, forbid_unknown_fields=True):
    Nodes: None = None
    NodeNames: list[str] | None = None
    FailedNodes: dict[str, str] | None = None
    FailedAndUnresolvableNodes: dict[str, str] | None = None
    Error: str = ""


_FAST_SCORES, _FAST_FILTER = msgspec.json.Decoder(list[_HostScore]), msgspec.json.Decoder(_PlainFilterAnswer)
_MAPS = b'"FailedNodes"', b'"FailedAndUnresolvableNodes"'
"""Most answers are written with the keys of the types, and by a compiled reader in a hundredth of the time. Whatever it
does not take, errors above all, is read in Go's way; so are maps that stand twice, which Go adds up."""


class FilterAnswer(msgspec.Struct):
    """ExtenderFilterResult. ``nodes``: the raw items of the node list, None where there is none; names likewise."""

    nodes: list[Any] | None = None
    node_names: list[str] | None = None
    failed: dict[str, str] = {}
    unresolvable: dict[str, str] = {}
    error: str = ""


class MetaVictimsAnswer(msgspec.Struct):
    """MetaVictims: UIDs in order, None for null in place of a pod; ``is_null`` where null stands in place of all of it.
    The reference panics at both."""

    uids: list[str | None] = []
    violations: int = 0
    is_null: bool = False


def read_filter(body: bytes) -> FilterAnswer:
    """Raises GoJsonError."""
    if all(body.count(key) < 2 for key in _MAPS) and b"\\" not in body:
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            fast = _FAST_FILTER.decode(body)
            failed, unresolvable = fast.FailedNodes or {}, fast.FailedAndUnresolvableNodes or {}
            return FilterAnswer(None, fast.NodeNames, failed, unresolvable, fast.Error)
    return filter_as_go(body)


def filter_as_go(body: bytes) -> FilterAnswer:
    """As ``read_filter``, value by value."""
    reading, answer = _TypedReading(), FilterAnswer()
    for field, value in reading.fields(first_value(body), "ExtenderFilterResult", _FILTER):
        if field == "Nodes":
            answer.nodes = None if value is None else reading.node_items(value)
        elif field == "NodeNames":
            answer.node_names = None if value is None else reading.texts(value, "[]string")
        elif field == "Error":
            answer.error = reading.text(value, answer.error)
        else:
            name = "failed" if field == "FailedNodes" else "unresolvable"
            setattr(answer, name, reading.text_map(value, getattr(answer, name)))
    reading.check()
    return answer


def read_bind_error(body: bytes) -> str:
    """The Error of an ExtenderBindingResult. Raises GoJsonError."""
    reading, error = _TypedReading(), ""
    for _, value in reading.fields(first_value(body), "ExtenderBindingResult", ("Error",)):
        error = reading.text(value, error)
    reading.check()
    return error


def read_scores(body: bytes) -> list[tuple[str, int]]:
    """A HostPriorityList as (host, score). Raises GoJsonError."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError):
        return [(one.Host, one.Score) for one in _FAST_SCORES.decode(body)]
    return scores_as_go(body)


def scores_as_go(body: bytes) -> list[tuple[str, int]]:
    """As ``read_scores``, value by value."""
    reading, scores = _TypedReading(), []
    value = first_value(body)
    for item in reading.items(value, "v1.HostPriorityList"):
        host, score = "", 0
        for field, inner in reading.fields(item, "HostPriority", ("Host", "Score")):
            if field == "Host":
                host = reading.text(inner, host)
            else:
                score = reading.integer(inner, score)
        scores.append((host, score))
    reading.check()
    return scores


def read_victims(body: bytes) -> dict[str, MetaVictimsAnswer]:
    """NodeNameToMetaVictims of an ExtenderPreemptionResult. Raises GoJsonError."""
    reading = _TypedReading()
    victims: dict[str, MetaVictimsAnswer] = {}
    top = reading.fields(first_value(body), "ExtenderPreemptionResult", ("NodeNameToMetaVictims",))
    for _, value in top:
        if value is None:
            victims = {}
            continue
        for node, inner in reading.members(value, "map[string]*v1.MetaVictims"):
            victims[node] = reading.meta_victims(inner)
    reading.check()
    return victims


_FILTER = ("Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes", "Error")


class _TypedReading:
    """One answer being read: where it is (struct and path of fields), and the first error of type."""

    def __init__(self) -> None:
        self.struct = ""
        self.path: list[str] = []
        self.problem = ""

    def check(self) -> None:
        if self.problem:
            raise GoJsonError(self.problem)

    def mismatch(self, value: Any, type_name: str) -> None:
        """Note that the value does not fit the Go type."""
        if self.problem:
            return
        kind = _kind(value)
        if isinstance(value, Number) and type_name == "int64":
            kind = f"number {value}"
        where = f"struct field {self.struct}.{'.'.join(self.path)}" if self.struct else "value"
        self.problem = f"json: cannot unmarshal {kind} into Go {where} of type {type_name}"

    def fields(self, value: Any, struct: str, names: tuple[str, ...]) -> Iterable[tuple[str, Any]]:
        """Yields known fields of an object in order, with the place set to each meanwhile."""
        if value is None:
            return []
        if not isinstance(value, GoObject):
            self.mismatch(value, f"v1.{struct}")
            return []
        return self._walk(value, struct, {name.casefold(): name for name in names})

    def _walk(self, value: GoObject, struct: str, by_key: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
        outer = self.struct
        for key, inner in value:
            name = by_key.get(key.casefold())
            if name is not None:
                self.struct = struct
                self.path.append(name)
                yield name, inner
                self.path.pop()
                self.struct = outer

    def text(self, value: Any, before: str = "") -> str:
        if value is None:
            return before
        if isinstance(value, str) and not isinstance(value, Number):
            return value
        self.mismatch(value, "string")
        return before

    def integer(self, value: Any, before: int) -> int:
        if value is None:
            return before
        if isinstance(value, Number) and value.lstrip("-").isdigit() and _INT64[0] <= int(value) <= _INT64[1]:
            return int(value)
        self.mismatch(value, "int64")
        return before

    def items(self, value: Any, type_name: str) -> list[Any]:
        if value is None:
            return []
        if isinstance(value, list) and not isinstance(value, GoObject):
            return value
        self.mismatch(value, type_name)
        return []

    def members(self, value: Any, type_name: str) -> GoObject:
        if value is None or isinstance(value, GoObject):
            return GoObject() if value is None else value
        self.mismatch(value, type_name)
        return GoObject()

    def texts(self, value: Any, type_name: str) -> list[str]:
        return [self.text(item) for item in self.items(value, type_name)]

    def text_map(self, value: Any, before: dict[str, str]) -> dict[str, str]:
        if value is None:
            return {}
        return before | {key: self.text(inner) for key, inner in self.members(value, "v1.FailedNodesMap")}

    def node_items(self, value: Any) -> list[Any]:
        nodes: list[Any] = []
        for _, inner in self.fields(value, "NodeList", ("items",)):
            nodes = [_plain(node) for node in self.items(inner, "[]v1.Node")]
        return nodes

    def meta_victims(self, value: Any) -> MetaVictimsAnswer:
        victims = MetaVictimsAnswer(is_null=value is None)
        for field, inner in self.fields(value, "MetaVictims", ("Pods", "NumPDBViolations")):
            if field == "NumPDBViolations":
                victims.violations = self.integer(inner, victims.violations)
                continue
            victims.uids = []
            for pod in self.items(inner, "[]*v1.MetaPod"):
                uid = ""
                for _, text in self.fields(pod, "MetaPod", ("UID",)):
                    uid = self.text(text, uid)
                victims.uids.append(None if pod is None else uid)
        return victims


def _kind(value: Any) -> str:
    if isinstance(value, GoObject):
        return "object"
    if isinstance(value, list):
        return "array"
    if isinstance(value, bool):
        return "bool"
    return "number" if isinstance(value, Number) else "string"


def _plain(value: Any) -> Any:
    """GoObject and Numbers as dictionaries and numbers, for the manifest reader."""
    if isinstance(value, GoObject):
        return {key: _plain(inner) for key, inner in value}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, Number):
        return int(value) if value.lstrip("-").isdigit() else float(value)
    return value


READERS: dict[str, Callable[[bytes], Any]] = {
    "filter": read_filter,
    "prioritize": read_scores,
    "preempt": read_victims,
    "bind": read_bind_error,
}
