"""Icons of a panel's cells."""

from __future__ import annotations

from dashboard.debugger.panels.glyphs import glyph


def test_no_name_is_no_icon():
    assert glyph("") == ""


def test_an_icon_has_its_class_and_says_its_label():
    markup = glyph("check", "ok", "fits <all>")
    assert 'class="i ok"' in markup
    assert 'aria-label="fits &lt;all&gt;"' in markup
