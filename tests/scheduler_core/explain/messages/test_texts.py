"""Texts as patterns, and the versions that have them."""

from __future__ import annotations

from time import monotonic

import pytest

from scheduler_core.explain.messages.texts import (
    MessageText,
    TextTable,
    common_versions,
    compile_text,
    versions_in_words,
)

ANY = MessageText(text="a")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("Insufficient <resource>", "Insufficient cpu", True),
        ("Insufficient <resource>", "Insufficient room on it", False),
        ('claim "<name>" not found', 'claim "a b" not found', True),
        ('claim "<name>" not found', 'claim "a" b" not found', False),
        ("failed: <error>", "failed: whatever. it, says", True),
        ("failed: <error>", "failed: ", False),
        ("taint {<taint>}", "taint {a.b: }", True),
        ("a.b <n>", "axb 1", False),
    ],
)
def test_placeholders_stand_for_what_the_text_lets_them(pattern, text, matches):
    assert (compile_text(pattern).fullmatch(text) is not None) == matches


def test_a_text_that_names_its_plugin_is_said_by_that_one_and_leads_to_the_codes_of_its_error():
    table = TextTable(
        [
            MessageText(text='running "<plugin>" filter plugin: <error>', codes=("PLUGIN_FAILED",)),
            MessageText(text="no devices", codes=("DEVICE_NONE",), plugin="Other"),
        ]
    )
    match = table.find('running "Devices" filter plugin: no devices')
    assert (match.plugin, match.codes) == ("Devices", ("PLUGIN_FAILED", "DEVICE_NONE"))
    assert table.find('running "Devices" filter plugin: that').codes == ("PLUGIN_FAILED",)
    assert table.find("that") is None


@pytest.mark.parametrize(
    ("rows", "versions"),
    [
        ([], ("", "")),
        ([ANY], ("", "")),
        ([MessageText(text="a", until="1.34.1"), MessageText(text="b", since="1.33")], ("1.33", "1.34.1")),
        ([MessageText(text="a", since="1.34.2"), MessageText(text="b", since="1.33")], ("1.34.2", "")),
        ([MessageText(text="a", until="1.34"), MessageText(text="b", since="1.34.2")], ("1.34.2", "1.34")),
        ([MessageText(text="a", until="1.32"), MessageText(text="b", since="1.34")], None),
    ],
)
def test_versions_that_have_all_texts(rows, versions):
    assert common_versions(rows) == versions


def test_versions_in_words():
    texts = [versions_in_words(*each) for each in [("", ""), ("1.34.2", ""), ("", "1.32"), ("1.35", "1.35")]]
    assert texts == ["1.31 to 1.37", "1.34.2 or newer", "1.32 or older", "1.35"]


@pytest.mark.parametrize("text", ['"' * 30_000, "a, " * 10_000, "claim " * 5_000, "[" * 30_000, "running " * 4_000])
def test_a_hostile_text_is_looked_up_in_time_that_grows_with_its_length(text):
    table = TextTable(
        [
            MessageText(text='pods "<pod>" of <claim>, request <request>: <error>'),
            MessageText(text="claim <claim>, request <request>, selector <selector>: <error>"),
            MessageText(text="<claim>, <claim>, <claim>, <claim>, <claim>: "),
        ]
    )
    started = monotonic()
    assert table.find(text) is None
    assert monotonic() - started < 1
