"""What is written where two values differ: nothing but their difference, whatever the text looks like."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from dashboard.clusters.texts.changes import read_document
from dashboard.clusters.texts.nodes import NoPlace, TextTree
from dashboard.clusters.texts.writer import Splice, Writer, is_same
from tests.dashboard.clusters.texts.test_changes import COMMENTED, SHARED, changed


def test_values_are_equal_in_their_types_too():
    assert is_same({"a": [1, None]}, {"a": [1, None]})
    assert not any(is_same({"a": [1]}, {"a": [other]}) for other in (1.0, True, "1"))
    assert not is_same([1], [1, 1])


def test_a_difference_has_one_place_and_equal_values_have_none():
    text = "a: 'x' # one\nb: [1, 2]\n"
    tree = TextTree(text)
    old = read_document(text)
    assert Writer(tree).differences(tree.root, old, old) == []
    assert Writer(tree).differences(tree.root, old, {**old, "a": "y"}) == [Splice(3, 6, "'y'")]
    assert Writer(tree).differences(tree.root, old, {**old, "b": [1, 3]}) == [Splice(20, 21, "3")]


def test_an_item_on_the_line_of_another_dash_changes_in_place_and_cannot_go():
    text = "l:\n- - 1\n  - 2\n"
    assert changed(lambda raw: raw["l"][0].__setitem__(0, 3), text) == text.replace("1", "3")
    tree = TextTree(text)
    with pytest.raises(NoPlace, match="dash"):
        Writer(tree).differences(tree.root, {"l": [[1, 2]]}, {"l": [[2]]})


TEXTS = {
    "block": COMMENTED,
    "shared": SHARED.partition("  merged")[0],
    "windows": COMMENTED.replace("\n", "\r\n"),
    "wide": "a:\n    -   b: 'x' # b\n        c: \"y\"\n    # d\n    -   d: >-\n            one\n            two\n\n"
    "e: {f: [1, 'on'], g: 0x1f} # flow\n# end\nh:\n    i: ~\n",
}


def places(value, path=()):
    """Yield the path of each part of a value, its own () first."""
    yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(one, (*path, key))


def at(value, path):
    for part in path:
        value = value[part]
    return value


def n_changes(lines, after):
    """Return in how many places the lines of a text differ."""
    parts = SequenceMatcher(None, lines, after.splitlines(keepends=True), autojunk=False).get_opcodes()
    return sum(what != "equal" for what, *_ in parts)


@pytest.mark.parametrize("name", TEXTS)
def test_a_change_of_one_part_leaves_the_lines_of_all_others_byte_for_byte(name):
    text = TEXTS[name]
    value, lines = read_document(text), text.splitlines(keepends=True)
    for path in places(value):
        part, above = at(value, path), at(value, path[:-1])
        shared = "labels" in path and "*labels" in text
        if isinstance(part, dict):  # an entry comes
            after = changed(lambda raw, path=path: at(raw, path).update({"new key": "yes"}), text)
            assert n_changes(lines, after) <= (3 if shared else 1), (path, after)
            assert set(comments(after)) == set(comments(text))
        elif not isinstance(part, list):  # a scalar changes
            after = changed(lambda raw, path=path: at(raw, path[:-1]).__setitem__(path[-1], "new\ttext"), text)
            assert n_changes(lines, after) <= (3 if shared else 1), (path, after)
            assert comments(after) == comments(text)
        if path and len(above) > 1:  # a part goes
            after = changed(lambda raw, path=path: at(raw, path[:-1]).pop(path[-1]), text)
            assert n_changes(lines, after) <= (3 if "metadata" in path else 1), (path, after)


def comments(text):
    return [line.partition("#")[2] for line in text.splitlines(keepends=True) if "#" in line]
