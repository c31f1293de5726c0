"""The tables of functions and methods, and how modules of this room put theirs there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scheduler_core.cel.errors import NO_OVERLOAD, CelError

Function = Callable[..., Any]
FUNCTIONS: dict[str, Function] = {}
METHODS: dict[str, dict[type, Function]] = {}
COSTS: dict[str, Callable[[list[Any]], int]] = {}
"""By the name of a function or method: what its work costs besides the sizes of its arguments."""
ANY: tuple[type, ...] = ()
TEXT: tuple[type, ...] = (str,)
INT: tuple[type, ...] = (int,)


def _checked(body: Function, kinds: tuple[tuple[type, ...], ...], fewest: int) -> Function:
    def called(*arguments: Any) -> Any:
        fits = fewest <= len(arguments) <= len(kinds)
        if not fits or any(kind and type(a) not in kind for a, kind in zip(arguments, kinds, strict=False)):
            raise CelError(NO_OVERLOAD)
        return body(*arguments)

    return called


def function(name: str, *kinds: tuple[type, ...], least: int | None = None) -> Callable[[Function], Function]:
    """Register a function whose arguments have one of these types each (ANY: any); the last ones may be left out down
    to ``least``."""

    def register(body: Function) -> Function:
        FUNCTIONS[name] = _checked(body, kinds, len(kinds) if least is None else least)
        return body

    return register


def method(name: str, of: type, *kinds: tuple[type, ...], least: int | None = None) -> Callable[[Function], Function]:
    """Register a method of a type, as ``function`` does."""

    def register(body: Function) -> Function:
        fewest = len(kinds) if least is None else least
        METHODS.setdefault(name, {})[of] = _checked(body, ((), *kinds), fewest + 1)
        return body

    return register


def call_method(name: str, target: Any, arguments: list[Any]) -> Any:
    """The method's result. Raises CelError."""
    kind = dict if isinstance(target, dict) else type(target)
    body = METHODS[name].get(kind)
    if body is None:
        raise CelError(NO_OVERLOAD)
    return body(target, *arguments)
