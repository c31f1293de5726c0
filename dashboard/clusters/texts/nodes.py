"""A YAML text as a tree of nodes with their places in it, and the lines on which they stand."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode

from dashboard.clusters.texts.lines import ListLayout

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 100
_ANCHOR = re.compile(r"&[\w-]+(?:\s|(?<=\s)#[^\n]*)*")
"""Anchor of a node, with the comments and line breaks after it."""


class NoPlace(Exception):
    """A text in which a change cannot be written at its place; the message says why."""


class AliasNode(Node):
    """An alias; its value is the node of its anchor."""

    id = "alias"


class TextTree:
    """The one document of a text, in which each node has one place; raises NoPlace."""

    def __init__(self, text: str):
        self.text = text
        self.aliases: list[AliasNode] = []
        self._seen: set[int] = set()
        try:
            root: Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
        except yaml.YAMLError as problem:
            raise NoPlace(str(problem).splitlines()[0]) from None
        self.root = None if root is None else self._own(root, 0)

    def _own(self, node: Node, depth: int) -> Node:
        """Return the node, or from the second visit on its alias; visits nodes in their order."""
        if depth > MAX_DEPTH:
            raise NoPlace("it is nested too deep")
        if id(node) in self._seen:
            alias = next(self._alias_events)
            self.aliases.append(AliasNode(node.tag, node, alias.start_mark, alias.end_mark))
            return self.aliases[-1]
        self._seen.add(id(node))
        if isinstance(node, MappingNode):
            node.value = [(self._own(key, depth + 1), self._own(value, depth + 1)) for key, value in node.value]
        elif isinstance(node, SequenceNode):
            node.value = [self._own(item, depth + 1) for item in node.value]
        return node

    @cached_property
    def _alias_events(self) -> Iterator[Any]:
        return (one for one in yaml.parse(self.text, Loader=yaml.CSafeLoader) if isinstance(one, yaml.AliasEvent))

    @cached_property
    def _starts(self) -> list[int]:
        """The places at which lines begin."""
        starts = [0]
        for line in self.text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def layout(self) -> ListLayout:
        """How the first block list below a key is indented."""
        waiting = [] if self.root is None else [self.root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, MappingNode):
                for key, value in node.value:
                    if isinstance(value, SequenceNode) and is_block(value) and value.value:
                        dash, item = self.start(value), self.start(value.value[0])
                        if self.line_start(dash) == self.line_start(item):
                            return ListLayout(max(self.column(dash) - self.column(self.begin(key)), 0), item - dash)
            waiting += reversed(children(node))
        return ListLayout()

    def start(self, node: Node) -> int:
        """Return where a node begins, its anchor left out."""
        at = self.begin(node)
        anchor = _ANCHOR.match(self.text, at)
        return min(anchor.end(), self._place(node.end_mark)) if anchor else at

    def begin(self, node: Node) -> int:
        """Return where a node begins, its anchor included."""
        return self._place(node.start_mark)

    def _place(self, mark: Any) -> int:
        return min(self._starts[mark.line] + int(mark.column), len(self.text))

    def end(self, node: Node) -> int:
        """Return the place after the last character of a node, without comments and empty lines that follow."""
        while is_block(node) and (below := children(node)):
            node = below[-1]
        end = self._place(node.end_mark)
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            return self.start(node) + len(self.text[self.start(node) : end].rstrip())
        return end

    def column(self, at: int) -> int:
        """Return how far a place is from the start of its line."""
        return at - self.line_start(at)

    def line_start(self, at: int) -> int:
        """Return where the line of a place begins."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Return the place after the line of a place, its break included."""
        at_break = self.text.find("\n", at)
        return len(self.text) if at_break < 0 else at_break + 1

    def dash(self, item: Node) -> int:
        """Return the place of the dash of a block list's item; raises NoPlace where it is on an earlier line."""
        at = self.begin(item)
        before = self.text[self.line_start(at) : at]
        if not before.rstrip().endswith("-"):
            raise NoPlace("an item does not begin on the line of its dash")
        return self.line_start(at) + len(before.rstrip()) - 1

    def is_first_on_line(self, at: int) -> bool:
        """Return whether a line has only spaces before a place."""
        return not self.text[self.line_start(at) : at].strip()


def children(node: Node) -> list[Node]:
    """Return the nodes directly below, keys and values in turn."""
    if isinstance(node, MappingNode):
        return [one for pair in node.value for one in pair]
    return list(node.value) if isinstance(node, SequenceNode) else []


def is_block(node: Node) -> bool:
    """Return whether the node is a mapping or list written on lines of its own."""
    return isinstance(node, CollectionNode) and not node.flow_style
