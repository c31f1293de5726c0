"""A change of an object written into its YAML text: comments, order, quotes and indentation of the rest stay.

What differs between two values is written at its place: scalars in place, entries as whole lines. Where that does not
work (aliases, texts that read otherwise afterwards), the whole object is written anew, which the result says. ruamel,
which the configurations' table uses, moves or drops the comments around entries that come and go, and takes a hundred
times as long.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from dashboard.clusters.texts.lines import block_text, entry_text, flow_text, item_text, key_text
from dashboard.clusters.texts.nodes import NoPlace, TextTree, is_block
from dashboard.clusters.yaml_text import MAX_TEXT, MAX_TEXT_VALUES
from scheduler_core.manifests import Limits, ManifestSource, dump_yaml
from scheduler_core.manifests.model import LoadError
from scheduler_core.manifests.parsing.sources import read_documents, read_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from yaml.nodes import MappingNode, Node, SequenceNode

_LIMITS = Limits(max_bytes=MAX_TEXT, max_documents=8, max_yaml_nodes=MAX_TEXT_VALUES, max_json_values=MAX_TEXT_VALUES)
_ABSENT: Any = object()


class Rewritten(NamedTuple):
    """A text, and why it was written anew without its comments, "" where they stayed."""

    text: str
    lost: str = ""


class _Splice(NamedTuple):
    start: int
    end: int
    new: str


def value_of(text: str) -> Any:
    """Return what the one document of a text holds, None for none; raises LoadError."""
    documents = list(read_documents(read_text(ManifestSource("text", text.encode()), _LIMITS), _LIMITS))
    documents = [one for one in documents if one.value is not None]
    if len(documents) > 1:
        raise LoadError("there are several documents", documents[1].line)
    return documents[0].value if documents else None


def rewritten(text: str, new: Mapping[str, Any]) -> Rewritten:
    """Return the text with whatever is needed for it to hold `new`; its value is equal to `new` in any case."""
    lost = "the text cannot be read"
    try:
        old = value_of(text)
        if is_same(old, new):
            return Rewritten(text)
        if text.lstrip()[:1] == "{" and _is_json(text):
            return Rewritten(json.dumps(new, indent=2 if "\n" in text.strip() else None, ensure_ascii=False) + "\n")
        tree = TextTree(text)
        if tree.root is None or not isinstance(old, dict):
            raise NoPlace("it holds no object")
        splices = _Writer(tree).differences(tree.root, old, new)
        candidate = _spliced(text, splices)
        if is_same(value_of(candidate), new):
            return Rewritten(candidate)
        lost = "the change has no place of its own in it"
    except (NoPlace, LoadError) as problem:
        lost = str(problem) or lost
    return Rewritten(dump_yaml([new]), lost)


def holds(text: str, manifest: Mapping[str, Any]) -> bool:
    """Return whether a text is that of an object, the namespace default left out or not."""
    try:
        old = value_of(text)
    except LoadError:
        return False
    metadata = old.get("metadata") if isinstance(old, dict) else None
    own = manifest.get("metadata")
    is_added = isinstance(own, dict) and own.get("namespace") == "default"
    if is_added and isinstance(metadata, dict) and "namespace" not in metadata:
        old = {**old, "metadata": {**metadata, "namespace": "default"}}
    return is_same(old, manifest)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in their types too: 1, 1.0 and true differ."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(is_same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other)


def _spliced(text: str, splices: Sequence[_Splice]) -> str:
    # What stands at one place keeps the order in which it was asked for.
    for _, splice in sorted(enumerate(splices), key=lambda one: (one[1].start, one[1].end, one[0]), reverse=True):
        text = text[: splice.start] + splice.new + text[splice.end :]
    return text


class _Writer:
    """Finds the places of differences in one text."""

    def __init__(self, tree: TextTree):
        self._tree = tree

    def differences(self, node: Node, old: Any, new: Any) -> list[_Splice]:
        """Return the splices after which the node holds `new`."""
        if is_same(old, new):
            return []
        if isinstance(old, dict) and isinstance(new, dict) and isinstance(node, yaml.MappingNode) and old and new:
            return self._in_mapping(node, old, new)
        if isinstance(old, list) and isinstance(new, list) and isinstance(node, yaml.SequenceNode) and old and new:
            return self._in_list(node, old, new)
        return [self._replaced(node, new)]

    # ------------------------------------------------------------ mappings

    def _in_mapping(self, node: MappingNode, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[_Splice]:
        names = [str(key.value) for key, _ in node.value]
        if set(names) != set(old):
            raise NoPlace("it has merged keys")
        gone, added = [name for name in names if name not in new], [name for name in new if name not in old]
        if len(gone) == len(added) == 1 and is_same(old[gone[0]], new[added[0]]):
            key = node.value[names.index(gone[0])][0]
            renamed = _Splice(self._tree.start(key), self._tree.end(key), key_text(added[0]))
            return [renamed, *self._in_mapping_kept(node, names, old, new)]
        if not is_block(node) and (gone or added):
            return [self._replaced(node, new)]
        if len(gone) == len(names):
            return self._all_exchanged(node, old, new, added)
        splices = self._in_mapping_kept(node, names, old, new)
        splices += [self._without_entry(node, at, names, gone) for at, name in enumerate(names) if name in gone]
        if added:
            splices.append(
                self._after(node, "".join(entry_text(name, new[name], self._column(node)) for name in added))
            )
        return splices

    def _in_mapping_kept(
        self, node: MappingNode, names: Sequence[str], old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> list[_Splice]:
        """Return the splices within entries that stay."""
        splices: list[_Splice] = []
        for name, (key, value) in zip(names, node.value, strict=True):
            if name in new and not is_same(old[name], new[name]):
                splices += self._in_entry(key, value, old[name], new[name])
        return splices

    def _all_exchanged(
        self, node: MappingNode, old: Mapping[str, Any], new: Mapping[str, Any], added: Sequence[str]
    ) -> list[_Splice]:
        """Write the first new entry over the old ones, so that the mapping keeps its place."""
        lines = "".join(entry_text(name, new[name], self._column(node)) for name in added)
        start = self._tree.start(node)
        return [_Splice(start, self._tree.end(node), lines[self._column(node) : -1])]

    def _without_entry(self, node: MappingNode, at: int, names: Sequence[str], gone: Sequence[str]) -> _Splice:
        key, value = node.value[at]
        start, end = self._tree.start(key), self._tree.line_end(self._tree.end(value))
        if self._tree.is_first_on_line(start):
            return _Splice(self._tree.line_start(start), end, "")
        # The first entry of a list's item stands behind the dash; the next one that stays takes its place.
        following = next(i for i in range(at + 1, len(names)) if names[i] not in gone)
        if following != at + 1:
            raise NoPlace("several entries behind a dash go")
        return _Splice(start, self._tree.start(node.value[following][0]), "")

    def _in_entry(self, key: Node, value: Node, old: Any, new: Any) -> list[_Splice]:
        is_nested = isinstance(new, dict | list) and bool(new)
        was_nested = isinstance(old, dict | list) and bool(old)
        if is_nested and was_nested and type(old) is type(new):
            return self.differences(value, old, new)
        # The value with everything between it and the colon.
        colon = self._tree.text.index(":", self._tree.end(key)) + 1
        end = max(self._tree.end(value), colon)
        if "#" in self._tree.text[colon : self._tree.start(value)]:
            return [self._below_comment(key, value, new)]
        if not was_nested and not is_nested and isinstance(value, yaml.ScalarNode) and old not in (None, ""):
            return [self._replaced(value, new)]
        if is_nested and not self._is_in_flow(key):
            column = int(key.start_mark.column)
            body = block_text(new, column + (2 if isinstance(new, dict) else 0))
            return self._with_block(colon, end, body)
        return [_Splice(colon, end, f" {flow_text(new)}")]

    def _below_comment(self, key: Node, value: Node, new: Any) -> _Splice:
        """Write a value of another form where the old one began, since a comment stands between key and value."""
        start, end, column = self._tree.start(value), self._tree.end(value), int(value.start_mark.column)
        is_nested = isinstance(new, dict | list) and bool(new)
        # A list may begin as far left as its key, nothing else may.
        pad = 0 if is_nested and isinstance(new, list) else max(0, int(key.start_mark.column) + 2 - column)
        if not is_nested or not self._tree.is_first_on_line(start):
            return _Splice(start, end, " " * pad + flow_text(new))
        return _Splice(start, end, block_text(new, column + pad)[column:-1])

    def _with_block(self, colon: int, end: int, body: str) -> list[_Splice]:
        """Write lines below a key; a comment behind the old value stays on the line of the key."""
        line_end = self._tree.line_end(end)
        rest = self._tree.text[end:line_end].rstrip("\n")
        if rest.strip() and not rest.strip().startswith("#"):
            raise NoPlace("something follows a value on its line")
        return [_Splice(colon, line_end, f"{rest.rstrip()}\n{body}")]

    def _is_in_flow(self, key: Node) -> bool:
        start = self._tree.start(key)
        before = self._tree.text[self._tree.line_start(start) : start]
        return any(one in before for one in "{[")

    # ------------------------------------------------------------ lists

    def _in_list(self, node: SequenceNode, old: Sequence[Any], new: Sequence[Any]) -> list[_Splice]:
        if not is_block(node) and len(old) != len(new):
            return [self._replaced(node, new)]
        splices: list[_Splice] = []
        matcher = SequenceMatcher(None, [_name(one) for one in old], [_name(one) for one in new], autojunk=False)
        for what, i, i_end, j, j_end in matcher.get_opcodes():
            if what == "equal":
                continue
            both = min(i_end - i, j_end - j)
            for at in range(both):
                splices += self._in_item(node, i + at, old[i + at], new[j + at])
            splices += [self._without_item(node.value[at]) for at in range(i + both, i_end)]
            if j + both < j_end:
                splices.append(self._with_items(node, i + both, new[j + both : j_end]))
        return splices

    def _in_item(self, node: SequenceNode, at: int, old: Any, new: Any) -> list[_Splice]:
        item = node.value[at]
        if not is_block(node) or (is_block(item) and isinstance(new, dict | list) and new and type(old) is type(new)):
            return self.differences(item, old, new)
        if not isinstance(new, dict | list) or not new:
            return [self._replaced(item, new)]
        dash = self._tree.dash(item)
        column = dash - self._tree.line_start(dash)
        return [_Splice(dash, self._tree.end(item), item_text(new, column)[column:-1])]

    def _without_item(self, item: Node) -> _Splice:
        dash = self._tree.dash(item)
        if not self._tree.is_first_on_line(dash):
            raise NoPlace("an item stands behind another dash")
        return _Splice(self._tree.line_start(dash), self._tree.line_end(self._tree.end(item)), "")

    def _with_items(self, node: SequenceNode, at: int, added: Sequence[Any]) -> _Splice:
        column = int(node.start_mark.column)
        lines = "".join(item_text(one, column) for one in added)
        if at == len(node.value):
            return self._after(node, lines)
        dash = self._tree.dash(node.value[at])
        if not self._tree.is_first_on_line(dash):
            raise NoPlace("an item stands behind another dash")
        return _Splice(self._tree.line_start(dash), self._tree.line_start(dash), lines)

    # ------------------------------------------------------------ nodes

    def _column(self, node: MappingNode) -> int:
        return int(node.value[0][0].start_mark.column)

    def _after(self, node: Node, lines: str) -> _Splice:
        end = self._tree.line_end(self._tree.end(node))
        has_break = self._tree.text[:end].endswith("\n")
        return _Splice(end, end, lines if has_break else f"\n{lines}")

    def _replaced(self, node: Node, new: Any) -> _Splice:
        quote = node.style if isinstance(node, yaml.ScalarNode) else None
        written = flow_text(new, quote)
        start, end = self._tree.start(node), self._tree.end(node)
        if start == end:  # nothing is written there
            written = f" {written}"
        return _Splice(start, end, written)


def _name(value: Any) -> str:
    """Return a text that equal values alone share."""
    return json.dumps(value, sort_keys=True)
