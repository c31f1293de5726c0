"""The rules of declared extenders. Of the rules of a verb, the first one that matches a node counts for it."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.api.labels import LabelSelector

EVERY = LabelSelector()


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a rule is about: nodes by their labels, for pods by theirs. A selector that is absent matches all."""

    nodes: LabelSelector = EVERY
    pods: LabelSelector = EVERY


class FilterRule(Rule, frozen=True, kw_only=True):
    """Nodes refused with a text, accepted where it is empty; ``resolvable``: preemption may help."""

    refuse: str = ""
    resolvable: bool = True


class ScoreRule(Rule, frozen=True, kw_only=True):
    """Nodes given a score. Nodes without a rule have 0."""

    score: int


class VictimRule(Rule, frozen=True, kw_only=True):
    """Victims by label: ``spare`` takes them out of the list, ``dropNode`` gives the node up, ``evict`` leaves them."""

    victims: LabelSelector = EVERY
    then: Literal["spare", "dropNode", "evict"]


class BindRule(Rule, frozen=True, kw_only=True):
    """Bindings refused with a text, carried out where it is empty."""

    refuse: str = ""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Calls for these pods fail: with this status, or with a fault (calls.py)."""

    pods: LabelSelector = EVERY
    status: int = 0
    fault: str = ""


class DeclaredExtender(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one extender, by verb. ``failures`` come first, by verb too."""

    filter: tuple[FilterRule, ...] = ()
    prioritize: tuple[ScoreRule, ...] = ()
    preempt: tuple[VictimRule, ...] = ()
    bind: tuple[BindRule, ...] = ()
    failures: dict[str, tuple[Failure, ...]] = {}
