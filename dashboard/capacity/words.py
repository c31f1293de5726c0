"""What the page says in words: amounts of a pod or node, names without what all of a list share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ORDER = ("cpu", "memory")


def amounts(requests: Mapping[str, int]) -> str:
    """ "500m cpu, 1Gi, 1 nvidia.com/gpu" """
    names = sorted(requests, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))
    said = [_one(name, requests[name]) for name in names if requests[name]]
    return ", ".join(said) or "no requests"


def _one(name: str, value: int) -> str:
    return amount(value, name) if name == "memory" else f"{amount(value, name)} {name}"


def offered(allocatable: Mapping[str, int]) -> str:
    """What a node offers, without pods and local storage."""
    return amounts({name: value for name, value in allocatable.items() if name not in ("pods", "ephemeral-storage")})


def tail(key: str) -> str:
    """The name of namespace/name."""
    return key.rpartition("/")[2]


def first(names: Iterable[str], most: int = 3) -> str:
    """ "a, b, c and 5 more" """
    several = list(names)
    more = f" and {len(several) - most:,} more" if len(several) > most else ""
    return ", ".join(several[:most]) + more


def sentence(text: str) -> str:
    """A part of a sentence as a sentence of its own."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def is_are(count: int, noun: str) -> str:
    """ "1 node is", "2 nodes are" """
    return f"{count:,} {noun}{' is' if count == 1 else 's are'}"
