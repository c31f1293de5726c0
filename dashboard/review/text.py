"""What people write: checked on its way in, made HTML on its way out. Everything is escaped; backticks make code."""

from __future__ import annotations

import re

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from dashboard.common.problems import Problem, TooLarge

TEXT_LIMIT = 10_000

_FENCED = re.compile(r"```\n?(.*?)```", re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")
_BLANK_LINES = re.compile(r"\n\s*\n")


def checked(text: str, what: str, limit: int = TEXT_LIMIT, may_be_empty: bool = False) -> str:
    """Return the text with plain line ends; raises Problem where it is empty or has a NUL, TooLarge above the limit."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not clean and not may_be_empty:
        raise Problem(f"The {what} is empty. Write something first.", title="Nothing to send")
    if len(clean) > limit:
        raise TooLarge(f"The {what} may have at most {limit:,} characters; this has {len(clean):,}.")
    if "\x00" in clean:
        raise Problem(f"The {what} holds a NUL character. Take it out.")
    return clean


def to_html(text: str) -> SafeString:
    """Return paragraphs, `code` and fenced blocks as HTML; nothing else of the text means anything, links neither."""
    parts = _FENCED.split(text)
    html = [_block(part) if i % 2 else _paragraphs(part) for i, part in enumerate(parts)]
    return mark_safe("".join(html))


def _block(text: str) -> str:
    return format_html('<pre class="code">{}</pre>', text.rstrip("\n"))


def _paragraphs(text: str) -> str:
    paragraphs = [part for part in _BLANK_LINES.split(text.strip()) if part]
    return "".join(f"<p>{_line(part)}</p>" for part in paragraphs)


def _line(text: str) -> str:
    # Escaping comes first: what it writes (&lt; and the like) has no backtick, so code spans stay where they were.
    return _CODE.sub(r"<code>\1</code>", escape(text)).replace("\n", "<br>")
