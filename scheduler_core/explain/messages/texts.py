"""What a text of a message of failed scheduling is: which plugin says it, to which codes it leads, in which versions.

A text has placeholders in angle brackets, "Insufficient <resource>". One stands for at least one character other than
the one that follows it in the text; at the end of the text for a word, and as <error> for the rest of the line. So a
pattern is looked for in time that grows with the text's length alone, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache

import msgspec

from scheduler_core.versions.trains import TRAINS

VERSIONS = ("1.31", "1.32", *(name for name in TRAINS if name.count(".") == 1))
"""The versions of kube-scheduler whose texts are known."""
NODES, POD, PREEMPTION, POST_FILTER, ELSEWHERE = "nodes", "pod", "preemption", "postfilter", "elsewhere"
PLACES = (NODES, POD, POST_FILTER, PREEMPTION, ELSEWHERE)
"""Where a text stands: with a count of nodes; for the pod as a whole, in place of counts; what PostFilter plugins other
than preemption say; what preemption says; in a message of another form."""
_PLACEHOLDER = re.compile(r"<[a-z ]+>")
_REST = "<error>"
_NAMED = ("<plugin>", _REST)
_MOST_KEPT = 1_000
"""Characters of a text whose row is remembered."""


class MessageText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A text and what it leads to: ``codes`` of obstacles, the usual one first; none where it says nothing of a cause.

    ``plugin`` says it, "" for the scheduler itself; where the text has the placeholder <plugin>, that one does.
    ``since`` and ``until`` are the first and the last version with it, "" where older and newer ones have it too.
    ``now`` is how v1.34.2 and later word it, "" for the same. ``summary``: said of a node besides what says more.
    ``recorded``: it is among the texts recorded from kube-scheduler, and not only in its sources.
    """

    text: str
    codes: tuple[str, ...] = ()
    plugin: str = ""
    place: str = NODES
    since: str = ""
    until: str = ""
    now: str = ""
    summary: bool = False
    recorded: bool = True

    @property
    def versions(self) -> str:
        """The versions with the text, in words."""
        return versions_in_words(self.since, self.until)


class TextMatch(msgspec.Struct, frozen=True):
    """The row that a text matches, the plugin that says it, and the codes: those of the row, then those of the text
    that stands for its <error>."""

    row: MessageText
    plugin: str
    codes: tuple[str, ...]


class TextTable:
    """Rows by text; of several patterns that match, the first row counts."""

    def __init__(self, rows: Iterable[MessageText]) -> None:
        self.rows = tuple(rows)
        self._exact = {row.text: row for row in self.rows if not _PLACEHOLDER.search(row.text)}
        self._kept = lru_cache(1_024)(self._find)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], MessageText]]:
        """Compiled when a text is looked up for the first time, which takes longer than reading the table."""
        return [(compile_text(row.text), row) for row in self.rows if _PLACEHOLDER.search(row.text)]

    def find(self, text: str) -> TextMatch | None:
        """The row of a text, None for a text that no row has."""
        return self._kept(text) if len(text) <= _MOST_KEPT else self._find(text)

    def _find(self, text: str) -> TextMatch | None:
        row = self._exact.get(text)
        if row is not None:
            return TextMatch(row, row.plugin, row.codes)
        for pattern, row in self._patterns:
            match = pattern.fullmatch(text)
            if match is not None:
                named = match.groupdict()
                inner = self.find(named["error"]) if "error" in named else None
                codes = dict.fromkeys((*row.codes, *(inner.codes if inner else ())))
                return TextMatch(row, named.get("plugin", row.plugin), tuple(codes))
        return None


@cache
def compile_text(text: str) -> re.Pattern[str]:
    """The text with its placeholders as a pattern, with the groups "plugin" and "error" where it has these."""
    parts, at = [], 0
    for match in _PLACEHOLDER.finditer(text):
        parts.append(re.escape(text[at : match.start()]))
        at = match.end()
        following = text[at : at + 1]
        part = ".+" if match[0] == _REST else rf"[^{re.escape(following)}]+" if following else r"\S+"
        parts.append(f"(?P{match[0]}{part})" if match[0] in _NAMED else part)
    return re.compile("".join([*parts, re.escape(text[at:])]))


def versions_in_words(since: str, until: str) -> str:
    """ "1.34.2 or newer", "1.32 or older", "1.32 to 1.34.1", "1.31 to 1.37" where all have it."""
    if since and until:
        return since if since == until else f"{since} to {until}"
    if since or until:
        return f"{since} or newer" if since else f"{until} or older"
    return f"{VERSIONS[0]} to {VERSIONS[-1]}"


def common_versions(rows: Iterable[MessageText]) -> tuple[str, str] | None:
    """(since, until) of the versions that have all of the texts; None where no version has."""
    since = until = ""
    for row in rows:
        if row.since and (not since or _number(row.since) > _number(since)):
            since = row.since
        if row.until and (not until or _last(row.until) < _last(until)):
            until = row.until
    return None if since and until and _number(since) > _last(until) else (since, until)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _last(version: str) -> tuple[int, ...]:
    """The number of the last release that a version like "1.32" stands for."""
    number = _number(version)
    return number if len(number) > 2 else (*number, 1_000)
