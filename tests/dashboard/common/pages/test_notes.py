"""Notes for chats: the same lines as text and as Markdown, in which no name means anything."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from dashboard.common.pages.notes import LONGEST, Foreign, Note, copy_items, note_response, run_parts
from dashboard.common.problems import NotFound
from dashboard.debugger.keys import BY_NAME

URL = "https://site.example/w/team/runs/1/c/2/"
HOSTILE = [
    "<script>alert(1)</script>",
    "![x](https://evil.example/a.png)",
    "[x](javascript:alert(1))",
    "https://evil.example www.evil.example @everyone #12",
    "a` <b>b</b> ``c``",
    "`",
    "``` \n```",
    " `padded` ",
    "line\n\n# heading\n- item\r\n> quote\u2028more",
    "** __ ~~ | a | b |\n|---|---|",
    "\\`\\`",
    "*" * 500,
]


def hostile_note(text: str) -> Note:
    return Note(("Pod ", Foreign(text), ": pending"), (("By ", Foreign(text)), (Foreign(text),)), URL)


def test_text_and_markdown_have_the_same_lines():
    note = Note((Foreign("team/web-3"), ": ", Foreign("node-1")), (("312 points",), ("Of ", Foreign("x"))), URL)
    assert note.as_text() == f"team/web-3: node-1\n312 points\nOf x\n{URL}\n"
    assert note.as_markdown() == f"**`team/web-3`: `node-1`**\n\n- 312 points\n- Of `x`\n\n{URL}\n"


@pytest.mark.parametrize("text", HOSTILE)
def test_no_name_breaks_out_of_its_code_span(text):
    parser = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable(["table", "strikethrough", "linkify"])
    tokens = parser.parse(hostile_note(text).as_markdown())
    inline = [child for token in tokens if token.type == "inline" for child in token.children or ()]
    links = [token.attrs["href"] for token in inline if token.type == "link_open"]
    assert links == [URL]
    assert {token.type for token in inline} <= {
        *("text", "code_inline", "strong_open", "strong_close", "link_open", "link_close")
    }
    assert {token.type for token in tokens if token.type != "inline"} == {
        *("paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close"),
        *("list_item_open", "list_item_close"),
    }
    assert sum(token.type == "code_inline" for token in inline) == 3
    assert sum(token.type == "list_item_open" for token in tokens) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_as_text_a_name_stays_on_its_line(text):
    assert len(hostile_note(text).as_text().splitlines()) == 4


def test_characters_that_control_or_turn_the_text_are_written_out():
    text = hostile_note("\u202egnp.exe\x07\x1b[31m\x00\u2066").as_text()
    assert "\\u202egnp.exe\\x07\\x1b[31m\\x00\\u2066" in text
    assert text.replace("\n", "").isprintable()


def test_a_huge_name_is_cut():
    assert len(hostile_note("n" * 1_000_000).as_markdown()) < 3 * LONGEST + 200


def test_names_that_touch_and_empty_ones_make_one_span_or_none():
    note = Note((Foreign("a`"), Foreign("`b"), "!", Foreign("")), (), URL)
    assert note.as_markdown().startswith("**``` a``b ```!**\n")


def test_a_run_is_named_by_its_number_name_and_revision():
    assert "".join(run_parts(3, "", "Prod r1")) == "Run 3, of Prod r1"
    assert "".join(run_parts(3, "Night", "Prod r1")) == "Run 3, Night, of Prod r1"


def test_it_is_answered_as_plain_text_whatever_it_says():
    response = note_response(hostile_note("<script>"), "md")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Cache-Control"] == "private, no-store"
    with pytest.raises(NotFound):
        note_response(hostile_note("x"), "html")


def test_the_menu_has_a_line_and_a_key_by_form():
    lines = copy_items("/a/decision", "cycle=2", (BY_NAME["copy-text"], BY_NAME["copy-markdown"]))
    assert [line.url for line in lines] == ["/a/decision.txt?cycle=2", "/a/decision.md?cycle=2"]
    assert [line.label for line in lines] == ["Copy as text", "Copy as Markdown"]
    assert 'data-key="m"' in lines[1].key
