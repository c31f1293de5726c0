"""The checks of a configuration's ``extenders``: those of the reference's validation.go (validateExtenders), and types.

Each of its errors has the reference's text and stands at the reference's field.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
