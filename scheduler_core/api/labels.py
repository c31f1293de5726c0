"""Label selectors and node selectors with the API server's matching rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

Labels = Mapping[str, str]
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_BOUND = re.compile(r"[0-9]{1,30}")
"""What Gt and Lt compare with must be a label value too, which has no sign; other selectors are not parsed."""
_INT64_MAX = (1 << 63) - 1
NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
"""The operators of node selectors."""


class Requirement(msgspec.Struct, frozen=True, gc=False):
    """One ``matchExpressions`` entry; operator is In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Labels) -> bool:
        """Whether the labels fulfil the requirement; NotIn and DoesNotExist hold where the key is absent."""
        return self.holds_for(labels.get(self.key))

    def holds_for(self, value: str | None) -> bool:
        """Whether a label value (None: the label is absent) fulfils the requirement."""
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
            case _:
                return value is not None and _compares(value, self.operator, self.values)


def _compares(value: str, operator: str, bounds: tuple[str, ...]) -> bool:
    """Gt and Lt compare whole numbers; anything else does not match (apimachinery labels/selector.go)."""
    # as strict as Go's ParseInt: int() alone would take "1_000"
    if not bounds or not _WHOLE.fullmatch(value) or not _BOUND.fullmatch(bounds[0]):
        return False
    left, right = int(value), int(bounds[0])
    if max(abs(left), abs(right)) > _INT64_MAX:
        return False
    return left > right if operator == "Gt" else left < right


class LabelSelector(msgspec.Struct, frozen=True, gc=False):
    """A label selector with matchLabels already turned into In requirements; empty matches everything.

    A selector that is absent (None in the objects) matches nothing.
    """

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Labels) -> bool:
        """Whether all requirements hold."""
        return all(r.matches(labels) for r in self.requirements)


class NodeSelectorTerm(msgspec.Struct, frozen=True, gc=False):
    """Requirements on labels and on fields (metadata.name); an entirely empty term matches no node."""

    match_expressions: tuple[Requirement, ...] = ()
    match_fields: tuple[Requirement, ...] = ()

    def matches(self, name: str, labels: Labels) -> bool:
        """Whether the node with this name and these labels fulfils the term."""
        if not self.match_expressions and not self.match_fields:
            return False
        fields = {"metadata.name": name}
        return all(r.matches(labels) for r in self.match_expressions) and all(
            r.matches(fields) for r in self.match_fields
        )


class NodeSelector(msgspec.Struct, frozen=True, gc=False):
    """Alternatives: a node matches when one term does."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    def matches(self, name: str, labels: Labels) -> bool:
        """Whether any term matches the node."""
        return any(term.matches(name, labels) for term in self.terms)
