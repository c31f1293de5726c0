"""A configuration's ``extenders`` with the checks of the reference's validation.go (validateExtenders), and of types.

Each of its errors has the reference's text and stands at the reference's field.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from scheduler_core.api.config import DEFAULT_EXTENDER_TIMEOUT, Extender, ExtenderTLS, ManagedResource
from scheduler_core.manifests.checking.names import label_key_problem
from scheduler_core.manifests.checking.raw_values import At
from scheduler_core.manifests.kinds.resource_lists import is_extended
from scheduler_core.manifests.model import quoted

_VERBS = ("filterVerb", "prioritizeVerb", "preemptVerb", "bindVerb")
_FLAGS = ("enableHTTPS", "nodeCacheCapable", "ignorable")
_FIELDS = ("urlPrefix", *_VERBS, *_FLAGS, "weight", "tlsConfig", "httpTimeout", "managedResources")
_TLS_FLAG = "insecure"
_TLS_TEXTS = ("serverName", "certFile", "keyFile", "caFile", "certData", "keyData", "caData")
_DURATION = re.compile(r"[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)")
"""What Go's time.ParseDuration reads."""
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)")
_INT64 = (-(1 << 63), (1 << 63) - 1)


def check_extenders(at: At, extenders: Sequence[At]) -> None:
    """Complain of what the reference refuses in these entries of the list ``at``, and of values of other types."""
    names: set[str] = set()
    n_binders = 0
    for extender in extenders:
        if not extender.mapping(_FIELDS):
            continue
        _check_fields(extender)
        n_binders += bool(extender.get("bindVerb").raw)
        _check_resources(extender.get("managedResources"), names)
    if n_binders > 1:
        value = f"found {n_binders} extenders implementing bind"
        at.error(f'Invalid value: "{value}": only one extender can implement bind')


def read_extender(at: At) -> Extender:
    """The extender at a place that was checked."""
    tls = at.get("tlsConfig")
    return Extender(
        url_prefix=at.get("urlPrefix").text(),
        filter_verb=at.get("filterVerb").text(),
        prioritize_verb=at.get("prioritizeVerb").text(),
        preempt_verb=at.get("preemptVerb").text(),
        bind_verb=at.get("bindVerb").text(),
        weight=at.get("weight").integer(0, *_INT64),
        enable_https=at.get("enableHTTPS").boolean(),
        tls=_read_tls(tls) if tls.raw else None,
        http_timeout=_seconds(at.get("httpTimeout").text()) or DEFAULT_EXTENDER_TIMEOUT,
        node_cache_capable=at.get("nodeCacheCapable").boolean(),
        managed_resources=tuple(
            [
                ManagedResource(one.get("name").text(), one.get("ignoredByScheduler").boolean())
                for one in at.get("managedResources").items()
            ]
        ),
        ignorable=at.get("ignorable").boolean(),
    )


def _read_tls(at: At) -> ExtenderTLS:
    return ExtenderTLS(
        insecure=at.get(_TLS_FLAG).boolean(),
        server_name=at.get("serverName").text(),
        cert_file=at.get("certFile").text(),
        key_file=at.get("keyFile").text(),
        ca_file=at.get("caFile").text(),
        cert_data=at.get("certData").text(),
        key_data=at.get("keyData").text(),
        ca_data=at.get("caData").text(),
    )


def _seconds(text: str) -> float:
    """The seconds of a duration as Go writes it."""
    seconds = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return -seconds if text.startswith("-") else seconds


def _check_fields(extender: At) -> None:
    for field in ("urlPrefix", *_VERBS):
        extender.get(field).text()
    for field in _FLAGS:
        extender.get(field).boolean()
    weight = extender.get("weight").integer(0, *_INT64)
    if extender.get("prioritizeVerb").raw and weight <= 0:
        extender.get("weight").error(f"Invalid value: {weight}: must have a positive weight applied to it")
    timeout = extender.get("httpTimeout")
    text = timeout.text()
    if text and not _DURATION.fullmatch(text):
        timeout.error(f"{quoted(text)} is no duration. Write a number with a unit, such as 5s or 100ms")
    tls = extender.get("tlsConfig")
    tls.mapping((_TLS_FLAG, *_TLS_TEXTS))
    tls.get(_TLS_FLAG).boolean()
    for field in _TLS_TEXTS:
        tls.get(field).text()


def _check_resources(at: At, names: set[str]) -> None:
    """Check the managed resources of one extender; ``names`` are those of the extenders before it, and grow."""
    for resource in at.items():
        if not resource.mapping(("name", "ignoredByScheduler")):
            continue
        resource.get("ignoredByScheduler").boolean()
        place = resource.get("name")
        name = place.text(required=True)
        if not name:
            continue
        if problem := label_key_problem(name):
            place.error(problem)
        elif not is_extended(name):
            place.error(f'Invalid value: "{name}": is an invalid extended resource name')
        if name in names:
            place.error(f'Invalid value: "{name}": duplicate extender managed resource name')
        names.add(name)
