"""The places at which two values differ, in the text of one of them, and what to write there."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from dashboard.clusters.texts.lines import flow_text, is_nested
from dashboard.clusters.texts.nodes import AliasNode, NoPlace, TextTree, is_block

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from yaml.nodes import MappingNode, Node, SequenceNode

_SHARED = "\0"
"""Replaces the value of an alias while the alias is written out; no text holds it."""
_MERGE = "<<"


class Splice(NamedTuple):
    """What to write instead of a piece of a text."""

    start: int
    end: int
    new: str


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in their types too: 1, 1.0 and true differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(is_same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


class Writer:
    """Finds the places of differences in one text."""

    def __init__(self, tree: TextTree):
        self._tree = tree

    def differences(self, node: Node, old: Any, new: Any) -> list[Splice]:
        """Return the splices after which the node holds `new`."""
        if is_same(old, new):
            return []
        if is_nested(old) and is_nested(new):
            if isinstance(old, dict) and isinstance(new, dict) and isinstance(node, yaml.MappingNode):
                return self._in_mapping(node, old, new)
            if isinstance(old, list) and isinstance(new, list) and isinstance(node, yaml.SequenceNode):
                return self._in_list(node, old, new)
        return [self._replaced(node, new)]

    def written_out(self, root: Node, old: Any, splices: Sequence[Splice]) -> list[Splice]:
        """Return the splices that replace by its value each alias whose anchor other splices change."""
        changed = {id(alias.value) for alias in self._tree.aliases if self._is_touched(alias.value, splices)}
        return self.differences(root, _marked(root, old, changed), old)

    def _is_touched(self, node: Node, splices: Sequence[Splice]) -> bool:
        start, end = self._tree.start(node), self._tree.line_end(self._tree.end(node))
        return any(one.start <= end and one.end >= start for one in splices)

    # ------------------------------------------------------------ mappings

    def _in_mapping(self, node: MappingNode, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Splice]:
        names = [str(key.value) for key, _ in node.value]
        merged = set(old).difference(names)
        if not set(names) <= {*old, _MERGE} or merged.difference(new):
            raise NoPlace("a merged key goes")
        gone = [name for name in names if name in old and name not in new]
        added = [name for name in new if name not in names and not (name in merged and is_same(old[name], new[name]))]
        if len(gone) == len(added) == 1 and is_same(old[gone[0]], new[added[0]]):
            key = node.value[names.index(gone[0])][0]
            renamed = Splice(self._tree.start(key), self._tree.end(key), flow_text(added[0]))
            return [renamed, *self._in_mapping_kept(node, names, old, new)]
        if not is_block(node) and (gone or added):
            return [self._replaced(node, new)]
        if len(gone) == len(names):
            # The first new entry is written over the old ones, so that the mapping keeps its place.
            column = self._column(node)
            lines = self._tree.layout.block(new, column)
            return [Splice(self._tree.start(node), self._tree.end(node), lines[column:-1])]
        splices = self._in_mapping_kept(node, names, old, new)
        splices += self._without(node, [name in gone for name in names])
        if added:
            entries = {name: new[name] for name in added}
            splices.append(self._after(node, self._tree.layout.block(entries, self._column(node))))
        return splices

    def _in_mapping_kept(
        self, node: MappingNode, names: Sequence[str], old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> list[Splice]:
        """Return the splices within entries that stay."""
        splices: list[Splice] = []
        for name, (key, value) in zip(names, node.value, strict=True):
            if name in new and not is_same(old[name], new[name]):
                splices += self._in_entry(key, value, old[name], new[name])
        return splices

    def _without(self, node: MappingNode, is_gone: Sequence[bool]) -> list[Splice]:
        """Take entries out as whole lines; some stay."""
        first, begin = is_gone.index(False), self._tree.begin(node.value[0][0])
        splices: list[Splice] = []
        if first and not self._tree.is_first_on_line(begin):
            # The first entry of a list's item is on the line of the dash; the first one that stays takes its place.
            splices.append(Splice(begin, self._tree.begin(node.value[first][0]), ""))
        else:
            first = 0
        for key, value in (node.value[at] for at in range(first, len(is_gone)) if is_gone[at]):
            start, end = self._tree.line_start(self._tree.begin(key)), self._tree.line_end(self._tree.end(value))
            splices.append(Splice(start, end, ""))
        return splices

    def _in_entry(self, key: Node, value: Node, old: Any, new: Any) -> list[Splice]:
        was_nested = is_nested(old) and not isinstance(value, AliasNode)
        if is_nested(new) and was_nested and type(old) is type(new):
            return self.differences(value, old, new)
        # The value with everything between it and the colon.
        colon = self._tree.text.index(":", self._tree.end(key)) + 1
        end = max(self._tree.end(value), colon)
        if "#" in self._tree.text[colon : self._tree.start(value)]:
            return [self._below_comment(key, value, new)]
        if not is_nested(new):
            if isinstance(value, yaml.ScalarNode) and old not in (None, ""):
                return [self._replaced(value, new)]
        elif not self._is_in_flow(key):
            layout, column = self._tree.layout, self._tree.column(self._tree.begin(key))
            return [self._with_block(colon, end, layout.block(new, layout.below(new, column)))]
        return [Splice(colon, end, f" {flow_text(new)}")]

    def _below_comment(self, key: Node, value: Node, new: Any) -> Splice:
        """Write a value of another form where the old one began: there is a comment between key and value."""
        start, end = self._tree.start(value), self._tree.end(value)
        column = self._tree.column(start)
        # A list may begin as far left as its key, nothing else may.
        is_list = is_nested(new) and isinstance(new, list)
        pad = 0 if is_list else max(0, self._tree.column(self._tree.begin(key)) + 2 - column)
        if not is_nested(new) or not self._tree.is_first_on_line(start):
            return Splice(start, end, " " * pad + flow_text(new))
        return Splice(start, end, self._tree.layout.block(new, column + pad)[column:-1])

    def _with_block(self, colon: int, end: int, body: str) -> Splice:
        """Write lines below a key; a comment after the old value stays on the line of the key."""
        line_end = self._tree.line_end(end)
        rest = self._tree.text[end:line_end].rstrip("\n")
        if rest.strip() and not rest.strip().startswith("#"):
            raise NoPlace("something follows a value on its line")
        return Splice(colon, line_end, f"{rest.rstrip()}\n{body}")

    def _is_in_flow(self, key: Node) -> bool:
        start = self._tree.start(key)
        before = self._tree.text[self._tree.line_start(start) : start]
        return any(one in before for one in "{[")

    # ------------------------------------------------------------ lists

    def _in_list(self, node: SequenceNode, old: Sequence[Any], new: Sequence[Any]) -> list[Splice]:
        if not is_block(node):
            if len(old) != len(new):
                return [self._replaced(node, new)]
            each = zip(node.value, old, new, strict=True)
            return [splice for item, was, now in each for splice in self.differences(item, was, now)]
        splices: list[Splice] = []
        before, after = [_name(one) for one in old], [_name(one) for one in new]
        changes = [
            (i, i_end, j, j_end, min(i_end - i, j_end - j))
            for what, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
            if what != "equal"
        ]
        gone = {before[at]: node.value[at] for i, i_end, _, _, both in changes for at in range(i + both, i_end)}
        for i, i_end, j, j_end, both in changes:
            for at in range(both):
                splices += self._in_item(node, i + at, old[i + at], new[j + at])
            splices += [self._without_item(node.value[at]) for at in range(i + both, i_end)]
            if j + both < j_end:
                column = self._tree.column(self._tree.start(node))
                lines = [
                    self._item_lines(gone[after[at]]) if after[at] in gone else self._tree.layout.item(new[at], column)
                    for at in range(j + both, j_end)
                ]
                splices.append(self._with_items(node, i + both, "".join(lines)))
        return splices

    def _in_item(self, node: SequenceNode, at: int, old: Any, new: Any) -> list[Splice]:
        item = node.value[at]
        is_kept = is_nested(old) and is_nested(new) and type(old) is type(new) and not isinstance(item, AliasNode)
        if is_kept:
            return self.differences(item, old, new)
        if not is_nested(new):
            return [self._replaced(item, new)]
        dash = self._tree.dash(item)
        column = self._tree.column(dash)
        return [Splice(dash, self._tree.end(item), self._tree.layout.item(new, column)[column:-1])]

    def _item_lines(self, item: Node) -> str:
        """Return the lines of a block list's item as they are, for another place in the list."""
        gone = self._without_item(item)
        return self._tree.text[gone.start : gone.end].removesuffix("\n") + "\n"

    def _without_item(self, item: Node) -> Splice:
        return Splice(self._line_start(item), self._tree.line_end(self._tree.end(item)), "")

    def _with_items(self, node: SequenceNode, at: int, lines: str) -> Splice:
        if at == len(node.value):
            return self._after(node, lines)
        start = self._line_start(node.value[at])
        return Splice(start, start, lines)

    def _line_start(self, item: Node) -> int:
        """Return where the line of an item's dash begins."""
        dash = self._tree.dash(item)
        if not self._tree.is_first_on_line(dash):
            raise NoPlace("an item follows another dash on its line")
        return self._tree.line_start(dash)

    # ------------------------------------------------------------ nodes

    def _column(self, node: MappingNode) -> int:
        return self._tree.column(self._tree.begin(node.value[0][0]))

    def _after(self, node: Node, lines: str) -> Splice:
        end = self._tree.line_end(self._tree.end(node))
        has_break = self._tree.text[:end].endswith("\n")
        return Splice(end, end, lines if has_break else f"\n{lines}")

    def _replaced(self, node: Node, new: Any) -> Splice:
        quote = node.style if isinstance(node, yaml.ScalarNode) else None
        written = flow_text(new, quote)
        start, end = self._tree.start(node), self._tree.end(node)
        if start == end:  # nothing is written there
            written = f" {written}"
        return Splice(start, end, written)


def _marked(node: Node, value: Any, changed: set[int]) -> Any:
    """Return the value of a node, with _SHARED for each alias of the nodes with these ids."""
    if isinstance(node, AliasNode):
        return _SHARED if id(node.value) in changed else value
    if isinstance(node, yaml.MappingNode) and isinstance(value, dict):
        inner = {key.value: _marked(one, value[key.value], changed) for key, one in node.value if key.value in value}
        return {**value, **inner}
    if isinstance(node, yaml.SequenceNode) and isinstance(value, list):
        return [_marked(one, inner, changed) for one, inner in zip(node.value, value, strict=True)]
    return value


def _name(value: Any) -> str:
    """Return a text that equal values alone share."""
    return json.dumps(value, sort_keys=True)
