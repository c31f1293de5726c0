"""What comes out of admission: a pod as it is stored, or a refusal in the API server's words."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.api.objects import Pod

RefusalKind = Literal["quota", "limit_range", "runtime_class", "priority_class", "invalid"]
FORBIDDEN, INVALID = 403, 422


class Admitted(msgspec.Struct, frozen=True, gc=False):
    """The pod with what admission filled in."""

    pod: Pod


class RefusedObject(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Why the API server does not store an object: its text, the HTTP ``code``, what refuses it (``kind``), and which
    object that is, as Kind/namespace/name or Kind/name ("" for the checks of the pod itself). ``resources`` are those
    that a quota has too little of."""

    text: str
    kind: RefusalKind
    object: str = ""
    code: int = FORBIDDEN
    resources: tuple[str, ...] = ()


def refused(
    what: str, name: str, why: str, kind: RefusalKind, by: str, resources: tuple[str, ...] = ()
) -> RefusedObject:
    """A refusal with 403 of the object ``name`` of the resource ``what`` ("pods", "deployments.apps")."""
    return RefusedObject(text=f'{what} "{name}" is forbidden: {why}', kind=kind, object=by, resources=resources)


def together(complaints: list[str]) -> str:
    """Several complaints of one plugin as the API server joins them, each once; their order is not fixed there."""
    each = sorted(dict.fromkeys(complaints))
    return each[0] if len(each) == 1 else f"[{', '.join(each)}]"
