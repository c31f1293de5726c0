"""Texts become HTML: Markdown and references, and nothing else."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.review.writing.markdown import (
    MOST_NAMES,
    Candidates,
    LinkTarget,
    References,
    people_in,
    referenced,
    to_html,
)

REFERENCES = References(
    people={"asha": "Asha Rao", "bo-2": "Bo"},
    runs={12: LinkTarget("/w/team/runs/12/", 'the "night" run')},
    objects={
        "node-3": LinkTarget("/r?node=node-3", "node node-3"),
        "n": LinkTarget("/r?node=n"),
        "default/web-1": LinkTarget("/r?select=default/web-1"),
    },
    me="asha",
)
REL = ' rel="nofollow noopener noreferrer"'
NODE = f'<a href="/r?node=node-3" title="node node-3" class="ref"{REL}>'
ASHA = '<span title="Asha Rao" class="mention is-me">@asha</span>'


class Tags(HTMLParser):
    """The tags of a page and their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.starts: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.starts.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def same(html: str, expected: str) -> None:
    """Compare HTML whatever the order of attributes."""
    assert (Tags(html).starts, Tags(html).text) == (Tags(expected).starts, Tags(expected).text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        pytest.param("one\ntwo", "<p>one<br>\ntwo</p>", id="a line end is kept"),
        pytest.param("**b** _i_ ~~s~~", "<p><strong>b</strong> <em>i</em> <s>s</s></p>", id="emphasis"),
        pytest.param("see `a<b`", "<p>see <code>a&lt;b</code></p>", id="backticks make code, escaped"),
        pytest.param("```yaml\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>", id="a fenced block"),
        pytest.param("# Head", '<p class="said-head">Head</p>', id="a heading is none of the page's"),
        pytest.param("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>", id="a list"),
        pytest.param("> q", "<blockquote>\n<p>q</p>\n</blockquote>", id="a quotation"),
        pytest.param(
            "https://a.example/x", f'<p><a href="https://a.example/x"{REL}>https://a.example/x</a></p>', id="an address"
        ),
        pytest.param("www.a.example a@b.example", "<p>www.a.example a@b.example</p>", id="no guessed addresses"),
        pytest.param(
            "![x](https://a.example/i.png)", f'<p>!<a href="https://a.example/i.png"{REL}>x</a></p>', id="no image"
        ),
        pytest.param("`&lt;`", "<p><code>&amp;lt;</code></p>", id="entities in code are text"),
        pytest.param("hi @asha.", f"<p>hi {ASHA}.</p>", id="the reader is mentioned"),
        pytest.param("@bo-2, @nobody", '<p><span title="Bo" class="mention">@bo-2</span>, @nobody</p>', id="others"),
        pytest.param(
            "a@asha @asha@x.example `@asha`", "<p>a@asha @asha@x.example <code>@asha</code></p>", id="no mention"
        ),
        pytest.param(
            "#12 and #13",
            f'<p><a href="/w/team/runs/12/" title="the &quot;night&quot; run" class="ref"{REL}>#12</a> and #13</p>',
            id="a run",
        ),
        pytest.param("x#12 #12a ##12", "<p>x#12 #12a ##12</p>", id="no run"),
        pytest.param("node-3, `node-3`", f"<p>{NODE}node-3</a>, {NODE}<code>node-3</code></a></p>", id="a node"),
        pytest.param(
            "n `n`",
            f'<p>n <a href="/r?node=n" class="ref"{REL}><code>n</code></a></p>',
            id="a word is no name, but in backticks",
        ),
        pytest.param(
            "default/web-1 x/default/web-1",
            f'<p><a href="/r?select=default/web-1" class="ref"{REL}>default/web-1</a> x/default/web-1</p>',
            id="a pod",
        ),
        pytest.param(
            "[#12 @asha](https://a.example)",
            f'<p><a href="https://a.example"{REL}>#12 @asha</a></p>',
            id="no link in a link",
        ),
        pytest.param("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>", id="no script"),
        pytest.param("[x](//a.example)", "<p>[x](//a.example)</p>", id="no scheme of the page's"),
        pytest.param("//a.example", "<p>//a.example</p>", id="nor by itself"),
        pytest.param("[x]\n\n[x]: //a.example", "<p>[x]</p>\n<p>[x]: //a.example</p>", id="nor by reference"),
        pytest.param(
            "[x](</\\\\a.example>)", f'<p><a href="/%5Ca.example"{REL}>x</a></p>', id="a backslash, in a path"
        ),
        pytest.param("[x](&#47;/a.example)", "<p>[x](//a.example)</p>", id="an entity is its sign"),
        pytest.param("[x](a/b) [x](?a=1)", "<p>[x](a/b) [x](?a=1)</p>", id="no address that depends on the page"),
        pytest.param("[x](https:a.example)", "<p>[x](https:a.example)</p>", id="no scheme without a host"),
        pytest.param("[x](ftp://a.example)", "<p>[x](ftp://a.example)</p>", id="no other scheme"),
        pytest.param("[x](/w/team/)", f'<p><a href="/w/team/"{REL}>x</a></p>', id="a path of ours"),
        pytest.param("[x](HTTP://a.example)", f'<p><a href="HTTP://a.example"{REL}>x</a></p>', id="an upper scheme"),
        pytest.param("<a@b.example>", f"<p><a{REL}>a@b.example</a></p>", id="no mail program"),
        pytest.param(
            "| a | b |\n|---|---|\n| 1 | node-3 |",
            f"<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>{NODE}node-3</a></td></tr></tbody></table>",
            id="a table",
        ),
        pytest.param("a\u202egnp.exe \x07\x1b[1m", "<p>a\ufffdgnp.exe \ufffd\ufffd[1m</p>", id="controls are shown"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_text_becomes_html(text, html):
    rendered = to_html(text, REFERENCES)
    if "<table" in html:
        rendered = re.sub(r">\s+<", "><", rendered)
    same(rendered, html)


SAFE = {"href", "title", "class", "rel", "start"}
HOSTILE = st.lists(
    st.sampled_from(
        [
            *(
                "<script>",
                "<img src=x onerror=alert(1)>",
                "</p>",
                "[",
                "](",
                ")",
                "javascript:alert(1)",
                "data:text/html,x",
            ),
            *(
                "`",
                "```\n",
                "**",
                "_",
                "> ",
                "- ",
                "1. ",
                "#",
                "# ",
                "@asha",
                "#12",
                "node-3",
                "|",
                "|-|-|\n",
                "\n",
                "\n\n",
            ),
            *(
                "<",
                ">",
                "&",
                "&#106;avascript:",
                '"',
                "'",
                "\\",
                "\u202e",
                "\u0007",
                "https://a.example/",
                "<svg/onload=x>",
            ),
            *(
                "[a]: ",
                "![",
                "](//a.example)",
                "](/",
                "\\/a.example",
                "//a.example",
                " ",
                "x",
                "style=",
                "<!--",
                "]]>",
                "<a href=x>",
                "<style>",
            ),
        ]
    ),
    max_size=30,
).map("".join)


@given(HOSTILE)
def test_nothing_written_becomes_more_than_text_and_links(text):
    for tag, attributes in Tags(to_html(text, REFERENCES)).starts:
        assert tag in {
            *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span"),
            *("table", "thead", "tbody", "tr", "th", "td"),
        }
        assert set(attributes) <= SAFE
        href = attributes.get("href") or ""
        assert re.match(r"https?://\w|/(?![/\\])|\Z", href, re.IGNORECASE)
        assert set((attributes.get("class") or "").split()) <= {"ref", "mention", "is-me", "said-head"}


@pytest.mark.parametrize(
    "text",
    [
        "|a" * 100 + "\n" + "|-" * 100 + "\n" + "|\n" * 4800,
        "|-\n" * 3333,
        "|-|\n|-|\n\n" * 1100,
        "a|b\n-|-\n" * 1200,
        "[" * 10_000,
        "**" * 5_000,
        "> " * 5_000,
        "https://" * 1_250,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_a_text_grows_by_a_bounded_factor(text):
    assert len(to_html(text, REFERENCES)) < 12 * len(text)


def test_a_table_of_many_rows_is_one():
    html = to_html("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 150)
    assert html.count("<tr>") == 151


def test_people_are_those_outside_of_code_and_links():
    assert people_in("@asha `@bo` [@cy](https://a.example) (@dee) @asha\n\n```\n@eve\n```") == {"asha", "dee"}


def test_what_is_looked_up_is_bounded():
    assert referenced(["see `n`, node-3, web, #12"]) == Candidates(frozenset({12}), frozenset({"n", "node-3"}))
    many = referenced([" ".join(f"node-{i} #{i + 1}" for i in range(5 * MOST_NAMES))])
    assert len(many.names) == MOST_NAMES
    assert len(many.runs) <= 200
    assert not referenced(["a-" * 300 + "a"]).names
