"""Comments become HTML without becoming anything else."""

from __future__ import annotations

import pytest

from dashboard.common.problems import Problem, TooLarge
from dashboard.review.text import TEXT_LIMIT, checked, to_html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        pytest.param("one\ntwo", "<p>one<br>two</p>", id="a line end is kept"),
        pytest.param("one\n\n two", "<p>one</p><p> two</p>", id="an empty line parts paragraphs"),
        pytest.param("see `a<b`", "<p>see <code>a&lt;b</code></p>", id="backticks make code, escaped"),
        pytest.param("a ` b", "<p>a ` b</p>", id="a lone backtick stays"),
        pytest.param("`a\nb`", "<p>`a<br>b`</p>", id="code does not span lines"),
        pytest.param("x\n```\n<b>\n `c`\n```", '<p>x</p><pre class="code">&lt;b&gt;\n `c`</pre>', id="a fenced block"),
        pytest.param("``` never ends", "<p>``` never ends</p>", id="an open fence stays text"),
        pytest.param("**b** [x](javascript:1)", "<p>**b** [x](javascript:1)</p>", id="no other markdown, no links"),
        pytest.param("https://evil.example", "<p>https://evil.example</p>", id="addresses stay text"),
        pytest.param("`&lt;`", "<p><code>&amp;lt;</code></p>", id="entities are text too"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_text_becomes_html(text, html):
    assert to_html(text) == html


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "`<img src=x onerror=alert(1)>`",
        "```\n</pre><script>alert(1)</script>\n```",
        '`"><svg onload=alert(1)>`',
        "</textarea><script>alert(1)</script>",
    ],
)
def test_nothing_written_becomes_a_tag(attack):
    html = to_html(attack)
    for tag in ("<script", "<img", "<svg", "</pre><", "</textarea"):
        assert tag not in html


def test_checked_strips_and_unifies_line_ends():
    assert checked("  a\r\nb\rc \n", "comment") == "a\nb\nc"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (" \n ", Problem, "The comment is empty"),
        ("a\x00b", Problem, "NUL"),
        ("x" * (TEXT_LIMIT + 1), TooLarge, "at most 10,000 characters; this has 10,001"),
    ],
    ids=["empty", "nul", "too long"],
)
def test_checked_refuses(text, error, message):
    with pytest.raises(error, match=message):
        checked(text, "comment")


def test_the_limit_itself_is_allowed():
    assert len(checked("x" * TEXT_LIMIT, "comment")) == TEXT_LIMIT
