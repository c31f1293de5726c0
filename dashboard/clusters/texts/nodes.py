"""A YAML text as a tree of nodes with their places in it, and the lines on which they stand."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from yaml.nodes import Node

MAX_DEPTH = 100


class NoPlace(Exception):
    """A text in which a change cannot be written at its place; the message says why."""


class TextTree:
    """The one document of a text; raises NoPlace where an alias stands for a node."""

    def __init__(self, text: str):
        self.text = text
        try:
            self.root: Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
        except yaml.YAMLError as problem:
            raise NoPlace(str(problem).splitlines()[0]) from None
        self._check(self.root)

    def _check(self, root: Node | None) -> None:
        seen: set[int] = set()
        waiting = [(root, 0)] if root is not None else []
        while waiting:
            node, depth = waiting.pop()
            if id(node) in seen:
                raise NoPlace("it has an alias")
            if depth > MAX_DEPTH:
                raise NoPlace("it is nested too deep")
            seen.add(id(node))
            waiting += [(below, depth + 1) for below in children(node)]

    @cached_property
    def _starts(self) -> list[int]:
        """The places at which lines begin."""
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def start(self, node: Node) -> int:
        """Return where a node begins."""
        return self._starts[node.start_mark.line] + int(node.start_mark.column)

    def end(self, node: Node) -> int:
        """Return the place behind the last character of a node, without comments and empty lines that follow."""
        while is_block(node) and (below := children(node)):
            node = below[-1]
        end = self._starts[node.end_mark.line] + int(node.end_mark.column)
        if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
            return self.start(node) + len(self.text[self.start(node) : end].rstrip())
        return min(end, len(self.text))

    def line_start(self, at: int) -> int:
        """Return where the line of a place begins."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Return the place behind the line of a place, its break included."""
        at_break = self.text.find("\n", at)
        return len(self.text) if at_break < 0 else at_break + 1

    def dash(self, item: Node) -> int:
        """Return the place of the dash of a block list's item; raises NoPlace where it is on an earlier line."""
        at = self.start(item)
        before = self.text[self.line_start(at) : at]
        if not before.rstrip().endswith("-"):
            raise NoPlace("an item does not begin on the line of its dash")
        return self.line_start(at) + len(before.rstrip()) - 1

    def is_first_on_line(self, at: int) -> bool:
        """Return whether only spaces stand before a place on its line."""
        return not self.text[self.line_start(at) : at].strip()


def children(node: Node) -> list[Node]:
    """Return the nodes directly below, keys and values in turn."""
    if isinstance(node, yaml.MappingNode):
        return [one for pair in node.value for one in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def is_block(node: Node) -> bool:
    """Return whether the node is a mapping or list written on lines of its own."""
    return isinstance(node, yaml.CollectionNode) and not node.flow_style
