"""A few lines about something, to paste where no link can be followed: as plain text and as Markdown.

A line is a tuple of parts: plain strings are words of the program, `Foreign` ones are names and messages that others
chose. Markdown shows these as code, in which nothing means anything, however the chat reads the rest; in both forms
they stay on their line, and characters that control or turn the text are written out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from django.http import HttpResponse

from dashboard.common.pages.keys import attributes
from dashboard.common.problems import NotFound
from scheduler_core.manifests.model import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.utils.safestring import SafeString

    from dashboard.common.pages.keys import KeyCommand

FORMS = ("txt", "md")
# Of one name or message; a message of kube-scheduler with many reasons has about a thousand characters.
LONGEST = 2_000
_BACKTICKS = re.compile("`+")
_SPACE = re.compile(r"\s+")


class Foreign(str):
    """A name or a message that the program did not choose."""

    __slots__ = ()


Line = tuple[str, ...]


@dataclass(frozen=True)
class Note:
    """What a note says: a title, lines below it, and the address of what it is about, with scheme and host."""

    title: Line
    lines: tuple[Line, ...]
    url: str

    def as_text(self) -> str:
        """Return it as plain text, one line each."""
        return "\n".join([plain(self.title), *map(plain, self.lines), self.url]) + "\n"

    def as_markdown(self) -> str:
        """Return it as Markdown: the title in bold, the lines as a list."""
        listed = "".join(f"- {_marked(line)}\n" for line in self.lines)
        return f"**{_marked(self.title)}**\n\n{listed}\n{self.url}\n"


@dataclass(frozen=True)
class CopyItem:
    """A line of the menu that copies a note, or an image: where it is had, and the attributes of its key."""

    url: str
    label: str
    key: SafeString
    copied: str
    is_image: bool = False


def copy_items(address: str, query: str, keys: tuple[KeyCommand, KeyCommand], what: str = "") -> list[CopyItem]:
    """Return the lines that copy the note at `address` without its form, as text and as Markdown, with their keys."""
    named = f" {what}" if what else ""
    words = zip(FORMS, ("text", "Markdown"), keys, strict=True)
    return [
        CopyItem(f"{address}.{form}?{query}", f"Copy{named} as {word}", attributes(key), f"Copied as {word}")
        for form, word, key in words
    ]


def run_parts(number: int, name: str, revision: str) -> Line:
    """Return the words that name a run, and the revision that it is of."""
    named = (", ", Foreign(name)) if name else ()
    return (f"Run {number}", *named, ", of ", Foreign(revision))


def note_response(note: Note, form: str) -> HttpResponse:
    """Return the note in a form of FORMS, as a page of plain text; raises NotFound for another one."""
    if form not in FORMS:
        raise NotFound(f"A note comes as {' and '.join(FORMS)}, not as {form[:20]}.")
    text = note.as_text() if form == "txt" else note.as_markdown()
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Cache-Control"] = "private, no-store"
    return response


def plain(line: Line) -> str:
    """Return the parts as one line of plain text."""
    return "".join(_clean(part) if isinstance(part, Foreign) else part for part in line)


def _marked(line: Line) -> str:
    return "".join(_spans(line))


def _spans(line: Line) -> Iterator[str]:
    """Yield the parts as Markdown; foreign ones that touch are one span, whose backticks would else meet."""
    for is_foreign, parts in groupby(line, lambda part: isinstance(part, Foreign)):
        text = "".join(parts)
        yield _code(text) if is_foreign else text


def _code(text: str) -> str:
    """Return the text as a code span: its fence is longer than any run of backticks in it (CommonMark 6.1)."""
    clean = _clean(text)
    if not clean:
        return ""
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(clean)), default=0))
    pad = " " if "`" in clean else ""
    return f"{fence}{pad}{clean}{pad}{fence}"


def _clean(text: str) -> str:
    one_line = printable(_SPACE.sub(" ", text).strip())
    return one_line if len(one_line) <= LONGEST else f"{one_line[:LONGEST]}…"
