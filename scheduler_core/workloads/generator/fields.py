"""Fields of a description as Python values: amounts, times, sizes, arrivals, lifetimes; complaints at their paths."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, get_args

from scheduler_core.manifests.checking.raw_values import At, Sink
from scheduler_core.manifests.model import Fix, LoadError, quoted
from scheduler_core.workloads.generator import description as d
from scheduler_core.workloads.generator.ready_lists import SIZE_LISTS, SizeList

_UNITS = {"us": 1, "ms": 1_000, "s": d.SECOND, "m": 60 * d.SECOND, "min": 60 * d.SECOND, "h": d.HOUR, "d": 24 * d.HOUR}
_TIME = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?(us|ms|s|min|m|h|d)?", re.ASCII)
_ARRIVALS: dict[str, tuple[str, ...]] = {
    "at-once": ("at",),
    "poisson": ("over",),
    "bursts": ("over", "pods", "every", "within"),
    "daily": ("over", "period", "peak", "trough"),
    "list": ("times",),
}
PROCESSES = get_args(d.Process)
_LIFETIMES = {"fixed": (), "exponential": (), "lognormal": ("sigma",)}
_MAX_SIGMA = 5.0
_MAX_BURSTS = 100_000


def only(at: At, fields: Collection[str]) -> dict[str, Any]:
    """The mapping; a field that is not among ``fields`` is an error, since it would have no effect."""
    raw = at.mapping()
    for key in raw:
        if key not in fields:
            near = at.sink.budget.near(str(key), fields)
            hint = f"Did you mean {near}?" if near else f"Known are {', '.join(fields)}"
            at.error(f"is no known field. {hint}", str(key), fix=Fix("key", near) if near else None)
    return raw


def number(at: At, default: float, low: float, high: float) -> float:
    """The number within bounds, the default when absent or wrong (an error)."""
    raw = at.raw
    if raw is None:
        return default
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        at.error(f"{quoted(raw)} is no number")
    elif not low <= raw <= high:  # false for NaN too
        at.error(f"{quoted(raw)} is out of range. Write a number from {low:g} to {high:g}")
    else:
        return float(raw)
    return default


def duration(at: At, default: int = 0, low: int = 0) -> int:
    """Microseconds: a number of seconds, or a text with us, ms, s, m, h or d."""
    raw = at.raw
    if raw is None:
        return default
    match = _TIME.fullmatch(str(raw)) if isinstance(raw, str | int | float) and not isinstance(raw, bool) else None
    if match is None:
        at.error(f"{quoted(raw)} is no time. Write seconds, or a number with us, ms, s, m, h or d, such as 30m")
        return default
    value = round(float(match[1]) * _UNITS[match[2] or "s"])
    if not low <= value <= d.MAX_TIME:
        least = f"more than {low - 1} us and " if low else ""
        at.error(f"{quoted(raw)} is out of range. Write {least}at most {d.MAX_TIME // d.HOUR // 24}d")
        return default
    return value


def parse_duration(raw: Any, default: int = 0) -> int:
    """Microseconds of a value by itself, as `duration`; raises LoadError for a wrong one."""
    sink = Sink()
    value = duration(At(raw, (), sink), default)
    if sink.failed:
        raise LoadError(sink.complaints[0].message)
    return value


def resources(at: At) -> dict[str, int]:
    """Amounts by resource in canonical integers."""
    out = {}
    for name in at.mapping():
        value = bounded_quantity(at.get(name), name)
        if value is not None:
            out[name] = value
    return out


def bounded_quantity(at: At, resource: str) -> int | None:
    """A quantity that a node could have; None when absent or wrong (an error)."""
    value = at.quantity(resource)
    if value is not None and value > d.MAX_AMOUNT:
        at.error(f"{quoted(at.raw)} is more than any node has")
        return None
    return value


# ---------------------------------------------------------------- sizes


def sizes(at: At) -> SizeList | dict[str, d.Amount]:
    """The name of a ready list, or an amount for each resource."""
    if isinstance(at.raw, str):
        chosen = at.text(choices=tuple(SIZE_LISTS))
        return SIZE_LISTS[chosen] if chosen else {}
    if not at.present:
        at.error("is missing. Write sizes: {cpu: 500m, memory: 1Gi}, or the name of a ready list")
    return {name: amount(at.get(name), name) for name in at.mapping()}


def amount(at: At, resource: str) -> d.Amount:
    """An amount: a quantity, or a mapping with median, from, choices or perCpu."""
    raw = at.raw
    if not isinstance(raw, dict):
        return d.FixedAmount(_quantity(at, resource, required=True))
    if "median" in raw:
        return _lognormal(at, resource)
    if "from" in raw:
        only(at, ("from", "to"))
        low = _quantity(at.get("from"), resource)
        high = _quantity(at.get("to"), resource, required=True)
        if high < low:
            at.error(f"{quoted(raw.get('to'))} is less than from", "to")
        return d.UniformAmount(low, max(low, high))
    if "choices" in raw:
        return _choices(at, resource)
    if "perCpu" in raw:
        only(at, ("perCpu",))
        if resource == "cpu":
            at.error("cpu cannot be so much for each CPU")
        return d.AmountPerCpu(_quantity(at.get("perCpu"), resource, required=True))
    at.error("write an amount, or a mapping with median, from, choices or perCpu")
    return d.FixedAmount(0)


def _quantity(at: At, resource: str, *, required: bool = False) -> int:
    if required and not at.present:
        at.error("is missing")
    return bounded_quantity(at, resource) or 0


def _lognormal(at: At, resource: str) -> d.LognormalAmount:
    only(at, ("median", "sigma", "minimum", "maximum"))
    median = _quantity(at.get("median"), resource, required=True)
    low = _quantity(at.get("minimum"), resource) if at.get("minimum").present else 1
    high = _quantity(at.get("maximum"), resource) if at.get("maximum").present else d.MAX_AMOUNT
    if high < low:
        at.error("is less than minimum", "maximum")
    return d.LognormalAmount(median, number(at.get("sigma"), 1.0, 0.0, _MAX_SIGMA), low, max(low, high))


def _choices(at: At, resource: str) -> d.ChoiceOfAmounts:
    """``choices`` maps amounts to weights: ``{0: 70, 1: 20, 8: 10}``."""
    only(at, ("choices",))
    inner = at.get("choices")
    values, weights = [], []
    for key in inner.mapping():
        value = bounded_quantity(At(str(key), (*inner.path, key), at.sink), resource)
        values.append(value or 0)
        weights.append(number(inner.get(key), 0.0, 0.0, 1e9))
    if not sum(weights) > 0:
        inner.error("needs an amount with a weight above 0, such as {0: 70, 1: 30}")
        return d.ChoiceOfAmounts((0,), (1.0,))
    return d.ChoiceOfAmounts(tuple(values), tuple(weights))


# ---------------------------------------------------------------- time


def lifetime(at: At) -> d.PodLifetime | None:
    """``fixed``, ``exponential`` (its mean), ``lognormal`` (its median) or forever; None when absent."""
    if not at.present:
        return None
    if at.raw == "forever":
        return d.PodLifetime("forever")
    if not isinstance(at.raw, dict):
        return d.PodLifetime("fixed", duration(at, 1, low=1))
    forms = [form for form in _LIFETIMES if form in at.raw]
    if len(forms) != 1:
        at.error("write one of fixed, exponential and lognormal, such as {exponential: 10m}")
        return None
    form = forms[0]
    only(at, (form, *_LIFETIMES[form]))
    sigma = number(at.get("sigma"), 1.0, 0.0, _MAX_SIGMA) if form == "lognormal" else 0.0
    return d.PodLifetime(form, duration(at.get(form), 1, low=1), sigma)  # type: ignore[arg-type]


def arrivals(at: At) -> d.ArrivalProcess | None:
    """When pods arrive, None when absent."""
    if not at.present:
        return None
    if isinstance(at.raw, str):
        at = At({"process": at.raw}, at.path, at.sink)
    raw = at.mapping()
    process: Any = at.get("process").text("at-once", PROCESSES, required=True)
    fields = _ARRIVALS[process]
    only(at, ("process", *fields))
    if process == "at-once":
        return d.ArrivalProcess(at=duration(at.get("at")) if "at" in raw else None)
    if process == "list":
        return d.ArrivalProcess(process=process, times=_times(at.get("times")))
    if not at.get("over").present:
        at.error("is missing. Write how long pods arrive, such as 30m", "over")
    over = duration(at.get("over"), d.HOUR, low=1)
    if process == "bursts":
        return _bursts(at, over)
    if process == "daily":
        period = duration(at.get("period"), 24 * d.HOUR, low=d.SECOND)
        return d.ArrivalProcess(
            process=process,
            over=over,
            period=period,
            peak=duration(at.get("peak"), period // 2),
            trough=number(at.get("trough"), 0.2, 0.0, 1.0),
        )
    return d.ArrivalProcess(process=process, over=over)


def _bursts(at: At, over: int) -> d.ArrivalProcess:
    for field in ("pods", "every"):
        if not at.get(field).present:
            at.error("is missing. Write how many pods a burst has, and how often it comes", field)
    every = duration(at.get("every"), d.HOUR, low=d.SECOND)
    if over // every > _MAX_BURSTS:
        at.error(f"gives more than {_MAX_BURSTS:,} bursts. Write a longer time", "every")
    within = duration(at.get("within"), min(10 * d.SECOND, every))
    if within > every:
        at.error("is longer than the time from burst to burst", "within")
    pods = at.get("pods").integer(1, 1, d.MAX_PODS)
    return d.ArrivalProcess(process="bursts", over=over, burst_pods=pods, burst_every=every, burst_within=within)


def _times(at: At) -> tuple[int, ...]:
    """``[0s, 10s, {at: 1m, pods: 20}]``: a time for each pod."""
    if not at.present:
        at.error("is missing. Write a list of times, such as [0s, 10s, {at: 1m, pods: 20}]")
    times: list[int] = []
    for item in at.items():
        if isinstance(item.raw, dict):
            only(item, ("at", "pods"))
            times += [duration(item.get("at"))] * item.get("pods").integer(1, 1, d.MAX_PODS)
        else:
            times.append(duration(item))
        if len(times) > d.MAX_PODS:
            at.error(f"has more than the {d.MAX_PODS:,} times allowed")
            break
    return tuple(sorted(times))
