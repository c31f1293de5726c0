"""Compares what was seen with what was recorded, and says the first difference.

Times are measured in a loaded control plane, to half a second, and lag behind ours by what each stage took before: so
each is compared with the lag of the stage before it, and may differ by half a second from that. A snapshot is compared
with our states since that lag.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

TOLERANCE = 0.5
_CONDITIONS = "conditions_over_time"
_LOADED = 0.4
"""From this lag of its first pod on, in seconds, a recording was made under load: there times may differ by twice as
much, as those of conditions do, which are written after what they speak of."""
_UNMADE = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{8,10}(?=\")")
"""The hash in the name of a set that was not made, which no number is known of."""
_NEAR = 0.1
"""Seconds around a change in which a look may find it or not."""
_TOGETHER = 0.2
"""Seconds within which changes are of one stage."""
Raw = dict[str, Any]
_COMBINED = "(combined from similar events): "
_ON_NODE = ("on ", "pods on ")
_EXACT = ("order", "extremes", "totals")


def controller_difference(expected: Raw, ours: Raw, varied: Sequence[str] = ()) -> str:
    """The first difference, "" without one."""
    for name in _EXACT:
        for key, value in expected.get(name, {}).items():
            if text := _unlike(f"{name}/{key}", value, ours[name].get(key)):
                return text
    for name in ("made_in_order", "deleted_in_order", "scaling_events", "answers"):
        if name in expected and (text := _unlike(name, expected[name], _as_file(name, ours[name], expected[name]))):
            return text
    if text := _texts(expected, ours, varied):
        return text
    lags, text = _times(expected, ours)
    return text or _snapshots(expected, ours, lags, varied)


def _texts(expected: Raw, ours: Raw, varied: Sequence[str]) -> str:
    """Events and refusals: the texts. Which events are said together with similar ones, and how often a controller
    tried, is a matter of time."""
    theirs = {event.replace(_COMBINED, "") for event in expected.get("events", ())}
    mine, some_varied = set(ours["events"]), any(one.startswith("events (") for one in varied)
    if "events" in expected and (theirs - mine or (mine - theirs and not some_varied)):
        return f"events: recorded {_short(sorted(theirs - mine))} besides, ours {_short(sorted(mine - theirs))}"
    refused, ours_refused = (
        set(expected.get("refused_creates", {}).get("messages", [])),
        ours["refused_creates"]["messages"],
    )
    has_several = any(len(one.get("quota", {})) > 1 for one in expected.get("snapshots", ()))
    is_part = has_several and ours_refused and refused.issuperset(ours_refused)  # of several any may be named
    if refused and refused != set(ours_refused) and not is_part:
        return f"refused_creates: recorded {_short(sorted(refused))}, ours {_short(ours_refused)}"
    return ""


def _as_file(name: str, ours: list[Any], expected: list[Any]) -> list[Any]:
    """Ours with what the file leaves open."""
    if name == "answers":
        return ours
    if name == "scaling_events":
        both = zip(ours, expected, strict=False)
        return [theirs if theirs is None else mine for mine, theirs in both] + ours[len(expected) :]
    if len(ours) != len(expected):
        return [label for _, label in ours]
    out: list[Any] = []
    for _, run in groupby(ours, key=lambda one: one[0]):  # of pods of one moment any may be the first
        left = [label for _, label in run]
        for theirs in expected[len(out) : len(out) + len(left)]:
            out.append(theirs if theirs is None or theirs in left else left[0])
            if theirs in left:
                left.remove(theirs)
    return out


def _unlike(where: str, expected: Any, ours: Any) -> str:
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        for key, value in expected.items():
            if value is not None and ours.get(key) != value:
                return _unlike(f"{where}/{key}", value, ours.get(key))
        return ""
    return "" if expected == ours else f"{where}: recorded {_short(expected)}, ours {_short(ours)}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 400 else f"{text[:400]} ..."


def _times(expected: Raw, ours: Raw) -> tuple[list[tuple[float, float]], str]:
    """(our time, lag) of each pair of times in order, and the first that lags by too much."""
    pairs: list[tuple[float, float | None, str]] = []
    for revision, stages in expected.get("series", {}).items():
        for stage, bursts in stages.items():
            theirs = [at if number == 0 else None for at, count in bursts for number in range(count)]
            mine = ours["series"].get(revision, {}).get(stage, [])
            if len(theirs) != len(mine):
                return [], f"series/{revision}/{stage}: recorded {len(theirs)} {bursts}, ours {len(mine)} {mine}"
            if bursts and bursts[0][0] is not None:  # else load had disturbed the recording there
                pairs += [(a, b, f"series/{revision}/{stage}") for a, b in zip(mine, theirs, strict=True)]
    for of, kinds in expected.get("conditions_over_time", {}).items():
        for kind, course in kinds.items():
            mine = ours["conditions_over_time"].get(of, {}).get(kind, [])
            if [text for _, text in course] != [text for _, text in mine]:
                return [], f"conditions_over_time/{of}/{kind}: recorded {course}, ours {mine}"
            both = zip(mine, course, strict=True)
            pairs += [(a[0], b[0], f"{_CONDITIONS}/{of}/{kind}") for a, b in both if b[0] is None or b[0] >= 0]
    return _lags(pairs)


def _lags(pairs: list[tuple[float, float | None, str]]) -> tuple[list[tuple[float, float]], str]:
    lags: list[tuple[float, float]] = [(0.0, 0.0)]
    timed = [(mine, theirs, where) for mine, theirs, where in pairs if theirs is not None]
    is_loaded = min((theirs for _, theirs, where in timed if where.endswith("/made")), default=0.0) >= _LOADED
    before = [0.0]
    for stage in _stages(timed):
        accepted = [0.0, *before]
        for mine, theirs, where in sorted(stage, key=lambda pair: pair[1] - pair[0]):
            lag = theirs - mine
            most = 2 * TOLERANCE if is_loaded or where.startswith(_CONDITIONS) else TOLERANCE
            if not any(abs(lag - one) <= most + 1e-9 for one in accepted):
                return lags, f"{where}: recorded at {theirs}, ours at {mine}, lag before {before[-1]:.1f}"
            accepted.append(lag)
            lags.append((mine, lag))
        before = accepted[-len(stage) :]
    return lags, ""


def _stages(pairs: list[tuple[float, float, str]]) -> list[list[tuple[float, float, str]]]:
    """The pairs of times by what of ours takes place together."""
    stages: list[list[tuple[float, float, str]]] = []
    for pair in sorted(pairs):
        if stages and pair[0] - stages[-1][0][0] <= _TOGETHER:
            stages[-1].append(pair)
        else:
            stages.append([pair])
    return stages


def _snapshots(expected: Raw, ours: Raw, lags: list[tuple[float, float]], varied: Sequence[str]) -> str:
    for number, snapshot in enumerate(expected.get("snapshots", ())):
        mine = next((one for one in ours["snapshots"] if one["t"] == snapshot["t"]), None)
        if mine is None:
            return f"snapshots: none of ours is of {snapshot['t']} s"
        behind = max((lag for at, lag in lags if at <= snapshot["t"]), default=0.0)
        begin = snapshot["t"] - max(behind, 0.0) - TOLERANCE
        states = mine["states"] + [one for one in mine["later"] if one["t"] <= snapshot["t"] + _NEAR]
        recent = [one for one in states if one["t"] >= begin] + [one for one in states if one["t"] < begin][-1:]
        if text := _nodes(snapshot, recent):
            return text
        for where, theirs, parts in _parts(snapshot, recent):
            if f"snapshot {number}/{where}" in varied:
                continue
            if not any(_same(theirs, part) for part in parts):
                return f"snapshot at {snapshot['t']}/{where}: recorded {_short(theirs)}, ours {_short(parts[-1])}"
        for name, fields in snapshot.get("admitted", {}).items():
            if text := _unlike(f"snapshot at {snapshot['t']}/admitted/{name}", fields, mine["admitted"].get(name)):
                return text
    return ""


def _parts(snapshot: Raw, recent: list[Raw]) -> list[tuple[str, Any, list[Any]]]:
    """The parts of a snapshot that are compared by themselves, each with those of our states."""
    parts: list[tuple[str, Any, list[Any]]] = [("pods", snapshot["pods"], [one["pods"] for one in recent])]
    for of, status in snapshot.get("status", {}).items():
        parts.append((f"status/{of}", status, [one["status"].get(of, {}) for one in reversed(recent)][::-1]))
    for name, quota in snapshot.get("quota", {}).items():
        parts.append((f"quota/{name}", quota, [one["quota"].get(name) for one in recent]))
    for name, value in snapshot.get("by_name", {}).items():
        if name.startswith(_ON_NODE):
            continue
        parts.append((f"by_name/{name}", value, [one["by_name"].get(name) for one in recent]))
    return parts


def _nodes(snapshot: Raw, recent: list[Raw]) -> str:
    """What is recorded of nodes: of nodes that are alike, which one has a pod is a matter of chance, so that what
    stands there may stand at another node of ours."""
    recorded = {name: value for name, value in snapshot.get("by_name", {}).items() if name.startswith(_ON_NODE)}
    last: dict[str, Any] = {}
    for one in recent:
        last = {name: value for name, value in one["by_name"].items() if name.startswith(_ON_NODE)}
        left = list(last.values())
        for value in sorted(recorded.values(), key=lambda value: None in value if isinstance(value, list) else False):
            match = next((mine for mine in left if _same(value, mine)), None)
            if match is None:
                break
            left.remove(match)
        else:
            return ""
    return f"snapshot at {snapshot['t']}/by_name: recorded {_short(recorded)}, ours {_short(last)}"


def _same(expected: Any, ours: Any) -> bool:
    """Equal, where the file's null stands for anything; lists in any order, numbers that are missing are 0."""
    if expected is None:
        return True
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        return all(_same(expected.get(key, 0), ours.get(key, 0)) for key in {*expected, *ours})
    if isinstance(expected, list) and isinstance(ours, list):
        left = list(ours)
        for one in expected:
            if one is not None and one in left:
                left.remove(one)
        return len(expected) == len(ours) and len(left) == sum(one is None for one in expected)
    if isinstance(expected, str) and isinstance(ours, str):
        return _UNMADE.sub("-?", expected) == _UNMADE.sub("-?", ours)
    return bool(expected == ours)
