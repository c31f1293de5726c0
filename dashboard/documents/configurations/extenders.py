"""The extenders of a configuration, as its page lists them."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.documents.configurations.checking import extenders_in
from dashboard.documents.extenders.tape_page import VERBS, address_of


class ConfiguredExtender(NamedTuple):
    """An extender: its address without user and password, its verbs, and what is said of it beyond its defaults."""

    address: str
    verbs: list[str]
    weight: int | None
    traits: list[str]


def extender_lines(text: str) -> list[ConfiguredExtender]:
    """Return the extenders of a valid configuration, in their order."""
    lines = []
    for one in extenders_in(text):
        traits = ["ignorable"] if one.ignorable else []
        traits += ["nodes by name" if one.node_cache_capable else "whole nodes"]
        traits += [f"pods with {managed.name} only" for managed in one.managed_resources]
        verbs = [verb for verb in VERBS if getattr(one, f"{verb}_verb")]
        weight = one.weight if one.prioritize_verb else None
        lines.append(ConfiguredExtender(address_of(one.url_prefix), verbs, weight, traits))
    return lines
