"""Markup of many rows: whatever is put into it is escaped, but markup."""

from __future__ import annotations

import pytest
from django.utils.safestring import SafeString

from dashboard.common.pages.pattern import Pattern, joined

ROW = Pattern('<b title="{title}">{name}</b>')
HOSTILE = """<script>'"&{name}"""


def test_text_is_escaped_in_text_and_in_attributes():
    html = ROW(title=HOSTILE, name=HOSTILE)
    assert html == f'<b title="{ESCAPED}">{ESCAPED}</b>'


ESCAPED = "&lt;script&gt;&#x27;&quot;&amp;{name}"


def test_markup_goes_in_as_it_is_and_comes_out_as_markup():
    inner = ROW(title="a", name=1)
    assert ROW(title="b", name=inner) == '<b title="b"><b title="a">1</b></b>'
    assert isinstance(inner, SafeString)


def test_a_subclass_of_text_that_is_no_markup_is_escaped():
    class Name(str):
        pass

    assert ROW(title="", name=Name("<i>")) == '<b title="">&lt;i&gt;</b>'


def test_a_forgotten_place_and_a_value_without_a_place_raise():
    with pytest.raises(KeyError):
        ROW(title="a")
    with pytest.raises(TypeError, match="more"):
        ROW(title="a", name="b", more="c")


def test_joining_escapes_what_is_not_markup():
    assert joined(["<", ROW(title="", name=""), 3]) == '&lt;<b title=""></b>3'
