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


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: &x 1\nb: *x\n", "alias"),
        ("a: [", "parsing"),
        ("a: " + "[" * 150 + "]" * 150, "deep"),
        ("a\n---\nb\n", "single"),
    ],
)
def test_a_text_that_cannot_be_written_into_is_refused(text, why):
    with pytest.raises(NoPlace, match=why):
        TextTree(text)
