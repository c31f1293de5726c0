"""Keys of a page as titles, attributes and the footer name them."""

from __future__ import annotations

import pytest

from dashboard.common.pages.keys import KeyCommand, as_json, attributes, footer_keys, spelled


@pytest.mark.parametrize(
    ("key", "label"),
    [("F10", "F10"), ("Shift+F10", "Shift F10"), (",", "comma"), ("g o", "G then O"), ("Mod+k", "Ctrl K")],
)
def test_a_key_is_spelled_as_people_say_it(key, label):
    assert spelled(key) == label


def test_an_element_gets_its_keys_for_scripts_and_readers_and_its_title():
    markup = attributes(KeyCommand("over", ("F10", "."), "Step over", "Steps"))
    assert markup == (
        'data-key="F10" data-key-twins="." data-key-label="Step over" aria-keyshortcuts="F10 ." '
        'title="Step over (F10, or full stop)"'
    )
    assert 'title="Step over, to &lt;2&gt; (F10)"' in attributes(
        KeyCommand("over", ("F10",), "", ""), "Step over, to <2>"
    )
    assert "aria-keyshortcuts" not in attributes(KeyCommand("outcomes", ("g o",), "Outcomes", "Go to"))


def test_the_footer_names_keys_that_have_a_word_there():
    keys = (
        KeyCommand("over", ("Shift+F10", "."), "Step over", "Steps", foot="over"),
        KeyCommand("help", ("?",), "All keys", "Go"),
    )
    assert [key.name for key in footer_keys(keys)] == ["over"]
    assert keys[0].caps == ["\N{UPWARDS WHITE ARROW}", "F10"]
    assert [row["keys"] for row in as_json(keys)] == [("Shift+F10", "."), ("?",)]
