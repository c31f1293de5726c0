"""Styles of states."""

from __future__ import annotations

from pathlib import Path

from dashboard.common.pages.status_styles import STYLES

ROOT = Path(__file__).parents[4]
COMMON = ROOT / "static" / "common"
TOKENS = (COMMON / "tokens.css").read_text()


def test_every_meaning_has_class_glyph_and_word():
    sprite = (COMMON / "icons.svg").read_text()
    for meaning, style in STYLES.items():
        assert f".m-{meaning} {{" in TOKENS
        assert f'id="i-{style.glyph}"' in sprite
        assert style.word
