"""Titles and evidence of groups, in plain words with the numbers that were recorded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from scheduler_core.api.resources import PODS
from scheduler_core.explain.outcomes.model import Part

_BYTES = ("memory", "ephemeral-storage")
_UNITS = ("", "Ki", "Mi", "Gi", "Ti", "Pi")


def short(resource: str) -> str:
    """A resource's name without its domain: "nvidia.com/gpu" is "gpu"."""
    return "slots for pods" if resource == PODS else resource.rpartition("/")[2]


def amount(resource: str, value: int) -> str:
    """An amount as people write it: bytes with a binary unit, others with thousands separated.

    cpu is in cores, from 1,000 on in whole ones.
    """
    if resource == "cpu":
        return _trimmed(Decimal(value) / 1000, 3 if abs(value) < 1_000_000 else 0)
    if resource not in _BYTES and not resource.startswith("hugepages-"):
        return f"{value:,}"
    scaled, unit = Decimal(value), 0
    while abs(scaled) >= 1024 and unit < len(_UNITS) - 1:
        scaled, unit = scaled / 1024, unit + 1
    return _trimmed(scaled, 1) + _UNITS[unit]


def quantity(resource: str, value: int) -> str:
    """An amount with its resource: "3.152 cpu", "2Gi memory", "1,000 gpu-milli"."""
    return f"{amount(resource, value)} {short(resource)}"


def plural(count: int, one: str, many: str = "") -> str:
    """ "1 node", "1,500 nodes" """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: Sequence[str], word: str = "or") -> str:
    """Names as a sentence lists them: "a", "a or b", "a, b or c"."""
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else "".join(names)


def most(names: Sequence[str], shown: int = 2) -> str:
    """The commonest names with their counts: "3 by a, 1 by b and 2 by others" without the prepositions."""
    common = Counter(names).most_common()
    parts = [f"{name} ({count:,})" if count > 1 else name for name, count in common[:shown]]
    rest = sum(count for _, count in common[shown:])
    return ", ".join(parts) + (f" and {rest:,} more" if rest else "")


def nodes_named(name: str, is_own: bool = False) -> str:
    """The nodes as a sentence calls them: "T4 node", "node of its own", "node"."""
    return "node of its own" if is_own else f"{name} node" if name else "node"


def sentence(*parts: str | Part) -> tuple[Part, ...]:
    """Parts of one sentence; plain strings are not strong."""
    return tuple(part if isinstance(part, Part) else Part(part) for part in parts)


def strong(text: str) -> Part:
    """What the sentence is about."""
    return Part(text, True)


def fit_error(message: str) -> str:
    """The part of a FitError between the number of nodes and the result of preemption."""
    text = message.partition(" nodes are available: ")[2] or message
    return text.partition(" preemption: ")[0].strip()


def without_names(message: str) -> str:
    """The message with "..." for each quoted name: what messages about different objects share."""
    return re.sub(r'"[^"]*"', '"..."', message)


def _trimmed(value: Decimal, digits: int) -> str:
    text = f"{value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
