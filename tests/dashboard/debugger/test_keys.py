"""The one declaration of the debugger's keys, and the page that is made from it."""

from __future__ import annotations

import re

from dashboard.debugger.keys import KEYS

# What browsers and readers of screens keep to themselves; F10 and F11 have letters beside them.
TAKEN = {"F1", "F3", "F4", "F5", "F6", "F7", "F12", "Tab", "Insert", "CapsLock", "Backspace", "Delete"}
BROWSER = {f"Mod+{letter}" for letter in "abcdefhijlmnopqrstuvwxz"}


def strokes():
    """Return every key of the declaration with the command that has it."""
    return [(stroke, key.name) for key in KEYS for stroke in key.keys]


def test_no_key_has_two_meanings():
    names = [stroke for stroke, _ in strokes()]
    assert len(names) == len(set(names))
    starts = {name.split(" ")[0] for name in names if " " in name}
    assert not starts & {name for name in names if " " not in name}


def test_no_key_is_one_of_the_browser_or_of_a_screen_reader():
    for stroke, _ in strokes():
        assert stroke not in TAKEN | BROWSER
        assert "Alt+" not in stroke


def test_function_keys_have_letters_beside_them():
    for key in KEYS:
        if re.search(r"F\d+$", key.keys[0]):
            assert any(re.fullmatch(r"[a-z.,]", twin) for twin in key.keys[1:]), key.name


def test_every_key_of_the_page_is_declared(look, run, cycle_of):
    html = look(run, cycle=cycle_of("small-0").number).content.decode()
    on_page = set(re.findall(r'data-key="([^"]+)"', html))
    assert on_page <= {key.keys[0] for key in KEYS}
    assert {"F10", "Shift+F10", "F11", "Shift+F11", "Space", "Home", "End", "y", "g d", "g s", "?", "Mod+k"} <= on_page


def test_titles_footer_and_help_come_from_the_declaration(look, run, cycle_of):
    html = look(run, cycle=cycle_of("small-0").number).content.decode()
    for key in KEYS:
        if f'data-key="{key.keys[0]}"' in html and key.group == "Steps":
            assert f"({key.spelled})" in html
        if key.foot:
            assert key.foot in html[html.index("<footer") :]
    assert 'id="page-keys"' in html
