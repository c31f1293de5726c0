"""What people write, as HTML: Markdown in which @people, #runs and names of nodes and pods are links.

markdown-it-py parses (CommonMark, tables, addresses as links; no HTML, no images, so nothing of a text is fetched), a
rule of ours turns references into links, and nh3 lets through a short list of tags whatever the two before it made. A
reference counts only outside of links and code, but for code that is exactly a name:

    texts ──referenced──> Candidates ──lookups──> References ──to_html──> HTML
    "@asha see `node-3` in #12"    {asha}, {12}, {node-3}    labels, addresses
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_block.table import table
from markdown_it.token import Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore

# Names beyond these many of a page's texts stay text.
MOST_NAMES = 500
MOST_RUNS = 200
MOST_ROWS = 200
# A name alone in a sentence is looked up only where it does not look like a word.
_LONGEST_NAME = 253

_PART = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_REFERENCE = re.compile(
    rf"(?<![\w@./-])@(?P<person>[a-z0-9](?:[a-z0-9-]{{0,60}}[a-z0-9])?)(?![\w@])"
    rf"|(?<![\w#/&])#(?P<run>[1-9]\d{{0,8}})(?!\w)"
    rf"|(?<![\w@#/.-])(?P<name>{_PART}(?:/{_PART})?)(?![\w/])",
    re.ASCII,
)
_DELIMITERS = re.compile(r"[|: -]*-[|: -]*")
# Controls, and marks that turn the direction of what follows: "gnp.exe" would read "exe.png".
_INVISIBLE = dict.fromkeys(
    [*(n for n in range(32) if chr(n) not in "\n\t"), 0x7F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd"
)
_NOT_A_WORD = re.compile(r"[0-9./-]")
# A scheme with a host, or a path from the root on. What "//host" and "foo" lead to depends on the page that they stand
# on; browsers read a backslash as a slash, and leave out tabs and line ends.
_ADDRESS = re.compile(r"(?:https?://[^\s/?#\\]|/(?![/\\]))[^\s\0-\x1f\x7f]*", re.IGNORECASE)

_TAGS = {
    *("p", "br", "hr", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


@dataclass(frozen=True)
class LinkTarget:
    """What a reference leads to."""

    url: str
    title: str = ""


@dataclass(frozen=True)
class References:
    """What the texts of a page may refer to: people by handle, runs by number, nodes and pods by name.

    `me` is the reader's own handle.
    """

    people: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[int, LinkTarget] = field(default_factory=dict)
    objects: Mapping[str, LinkTarget] = field(default_factory=dict)
    me: str = ""


NONE = References()


@dataclass(frozen=True)
class Candidates:
    """What texts look as if they referred to: numbers of runs and names of objects, before anything is looked up."""

    runs: frozenset[int]
    names: frozenset[str]


def to_html(text: str, references: References = NONE) -> SafeString:
    """Return the text as HTML; whatever it holds, no tag outside of _TAGS, no script, no image and no style."""
    html = _MARKDOWN.render(text.translate(_INVISIBLE), {"named": references})
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}, "span": {"title"}},
        allowed_classes={"a": {"ref"}, "span": {"mention", "is-me"}, "p": {"said-head"}},
        attribute_filter=_checked,
        url_schemes={"http", "https"},
        link_rel="nofollow noopener noreferrer",
        strip_comments=True,
    )
    return mark_safe(clean.strip())


def _checked(_tag: str, attribute: str, value: str) -> str | None:
    return value if attribute != "href" or _ADDRESS.fullmatch(value) else None


def people_in(text: str) -> set[str]:
    """Return the handles that a text mentions."""
    env: dict[str, Any] = {"named": NONE, "people": set()}
    _MARKDOWN.parse(text, env)
    people: set[str] = env["people"]
    return people


def referenced(texts: Iterable[str]) -> Candidates:
    """Return what to look up for these texts; more than is linked in the end, since code is not told apart here."""
    runs: set[int] = set()
    names: dict[str, None] = {}
    for text in texts:
        for match in _REFERENCE.finditer(text):
            if match["run"]:
                runs.add(int(match["run"]))
            elif match["name"] and (_NOT_A_WORD.search(match["name"]) or _is_in_backticks(match)):
                names[match["name"]] = None
        if len(names) > MOST_NAMES or len(runs) > MOST_RUNS:
            break
    named = (name for name in names if len(name) <= _LONGEST_NAME)
    return Candidates(
        frozenset(sorted(runs)[:MOST_RUNS]), frozenset(name for name, _ in zip(named, range(MOST_NAMES), strict=False))
    )


def _is_in_backticks(match: re.Match[str]) -> bool:
    text = match.string
    return text[match.start() - 1 : match.start()] == "`" and text[match.end() : match.end() + 1] == "`"


# ---------------------------------------------------------------- the rule that makes references links


def _refer(state: StateCore) -> None:
    for block in state.tokens:
        if block.type == "inline" and block.children:
            block.children = list(_with_references(block.children, state.env))


def _with_references(tokens: Iterable[Token], env: Any) -> Iterator[Token]:
    references: References = env.get("named", NONE)
    links = 0
    for token in tokens:
        links += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if links == 0 and token.type == "text":
            yield from _split(token, references, env)
        elif links == 0 and token.type == "code_inline" and token.content in references.objects:
            yield from _linked(token, references.objects[token.content])
        else:
            yield token


def _split(token: Token, references: References, env: Any) -> Iterator[Token]:
    text, end = token.content, 0
    for match in _REFERENCE.finditer(text):
        made = _reference(match, references, env)
        if made is None:
            continue
        if match.start() > end:
            yield _text(text[end : match.start()])
        yield from made
        end = match.end()
    if end == 0:
        yield token
    elif end < len(text):
        yield _text(text[end:])


def _reference(match: re.Match[str], references: References, env: Any) -> Iterable[Token] | None:
    if handle := match["person"]:
        env.setdefault("people", set()).add(handle)
        return _mention(handle, references) if handle in references.people else None
    if match["run"]:
        target = references.runs.get(int(match["run"]))
    else:
        target = references.objects.get(match["name"]) if _NOT_A_WORD.search(match["name"]) else None
    return _linked(_text(match[0]), target) if target is not None else None


def _mention(handle: str, references: References) -> list[Token]:
    css = "mention is-me" if handle == references.me else "mention"
    opening = Token("span_open", "span", 1, attrs={"class": css, "title": references.people[handle]})
    return [opening, _text(f"@{handle}"), Token("span_close", "span", -1)]


def _linked(token: Token, target: LinkTarget) -> list[Token]:
    attrs: dict[str, str | int | float] = {"href": target.url, "class": "ref"}
    if target.title:
        attrs["title"] = target.title
    return [Token("link_open", "a", 1, attrs=attrs), token, Token("link_close", "a", -1)]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _heading_open(*_: Any) -> str:
    """A heading in a comment would stand among the headings of the page: it is a paragraph that looks like one."""
    return '<p class="said-head">'


def _heading_close(*_: Any) -> str:
    return "</p>\n"


def _bounded_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table whose rows mostly have the cells that its head has.

    CommonMark fills short rows with empty cells: 10,000 characters would make a page of 700,000.
    """
    if start + 1 >= end or not _DELIMITERS.fullmatch(_line(state, start + 1)):
        return False
    n_rows = next((row for row in range(MOST_ROWS) if start + row >= end or state.isEmpty(start + row)), MOST_ROWS)
    source = state.src[state.bMarks[start] : state.eMarks[start + n_rows - 1]]
    columns = _line(state, start).count("|") + 1
    if n_rows == MOST_ROWS or columns * n_rows > 2 * source.count("|") + 8:
        return False
    return table(state, start, end, silent)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


class _Parser(MarkdownIt):
    """A parser for which an address that must not be a link is text."""

    def validateLink(self, url: str) -> bool:  # the parser's own name
        """Return whether a link may lead there; one to mail loses its address later, and its brackets here."""
        return url.startswith("mailto:") or _ADDRESS.fullmatch(url) is not None


def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"breaks": True, "html": False, "linkify": True})
    parser.enable(["table", "strikethrough", "linkify"]).disable(["image", "html_block", "html_inline"])
    assert parser.linkify is not None
    parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    parser.block.ruler.at("table", _bounded_table, {"alt": ["paragraph", "reference"]})
    parser.core.ruler.push("references", _refer)
    parser.add_render_rule("heading_open", _heading_open)
    parser.add_render_rule("heading_close", _heading_close)
    return parser


_MARKDOWN = _parser()
