"""Places of nodes in a YAML text."""

from __future__ import annotations

import pytest

from dashboard.clusters.texts.nodes import NoPlace, TextTree, children, is_block

TEXT = "a: 1 # one\nb:\n- x: y\n  z: |\n    two\n    lines\n\n# about c\nc: {d: [1, 2]}\n"


def parts(text):
    """Return the text of each node, the whole first."""
    tree = TextTree(text)
    waiting, out = [tree.root], []
    while waiting:
        node = waiting.pop(0)
        out.append(text[tree.start(node) : tree.end(node)])
        waiting += children(node)
    return out


def test_a_node_ends_before_comments_and_empty_lines():
    pieces = parts(TEXT)
    assert pieces[0] == TEXT.rstrip()
    assert {"1", "x: y\n  z: |\n    two\n    lines", "|\n    two\n    lines", "{d: [1, 2]}", "[1, 2]"} <= set(pieces)


def test_lines_and_dashes():
    tree = TextTree(TEXT)
    items = children(tree.root)[3]
    dash = tree.dash(children(items)[0])
    assert TEXT[dash] == "-"
    assert tree.is_first_on_line(dash)
    assert not tree.is_first_on_line(dash + 2)
    assert (tree.line_start(dash), tree.line_end(dash)) == (14, 21)
    assert tree.line_end(len(TEXT) - 1) == len(TEXT)
    assert (is_block(items), is_block(children(tree.root)[5])) == (True, False)


def test_characters_outside_the_basic_plane_do_not_shift_places():
    assert parts("a: '\U0001f600'\nb: é\n")[-1] == "é"


def test_an_item_below_its_dash_has_no_dash_on_its_line():
    tree = TextTree("a:\n-\n  b: 1\n")
    with pytest.raises(NoPlace, match="dash"):
        tree.dash(children(children(tree.root)[1])[0])


def test_an_alias_and_what_it_stands_for_have_places_of_their_own():
    text = "a: &x # why\n  b: &y !!str 1\nc: [*y, *x]\nd: *x\ne: &z\n"
    assert parts(text)[1:9] == ["a", "b: &y !!str 1", "c", "[*y, *x]", "d", "*x", "e", ""]
    assert parts(text)[9:] == ["b", "!!str 1", "*y", "*x"]
    tree = TextTree(text)
    assert [text[tree.start(one) : tree.end(one)] for one in tree.aliases] == ["*y", "*x", "*x"]
    assert [one.value.tag for one in tree.aliases] == ["tag:yaml.org,2002:str", *["tag:yaml.org,2002:map"] * 2]


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("a: 1\n", (0, 2)),
        ("a:\n- b\n", (0, 2)),
        ("a: [1]\nb:\n  - c:\n    - d\n", (2, 2)),
        ("a:\n    -   b\n", (4, 4)),
        ("a: &x\n  # c\n  - b\n", (2, 2)),
    ],
)
def test_the_first_list_below_a_key_says_how_lists_are_indented(text, layout):
    assert TextTree(text).layout == layout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "parsing"),
        ("a: " + "[" * 150 + "]" * 150, "deep"),
        ("a\n---\nb\n", "single"),
    ],
)
def test_a_text_that_cannot_be_written_into_is_refused(text, why):
    with pytest.raises(NoPlace, match=why):
        TextTree(text)
