"""Where a finding stands in a text, and where its fix is to be written, so that an editor can do both by a click."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scheduler_core.manifests.model import path_of_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.manifests import Finding
    from scheduler_core.manifests.model import Fix

_VALUE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#,\[\]{}][^,\[\]{}#]*?(?=\s*(?:$|\s#|[,\]}]))")


@dataclass(frozen=True)
class LineSpan:
    """A part of one line: the line counts from 1, columns from 0, `end` after the last character."""

    line: int
    start: int
    end: int


@dataclass(frozen=True)
class FindingOffer:
    """A finding with its place (None: the whole line), and the text that a click writes there ("" for none)."""

    finding: Finding
    place: LineSpan | None
    replaced: str = ""
    text: str = ""

    @property
    def severity(self) -> str:
        """Return the finding's severity."""
        return self.finding.severity


def offers(findings: Sequence[Finding], text: str) -> list[FindingOffer]:
    """Return the findings of a text in the order of its lines, with their places and fixes."""
    lines = text.split("\n")
    in_order = sorted(findings, key=lambda finding: finding.line or len(lines) + 1)
    return [_offer(finding, lines) for finding in in_order]


def _offer(finding: Finding, lines: list[str]) -> FindingOffer:
    path = path_of_text(finding.field)
    if finding.line is None or not 0 < finding.line <= len(lines) or not path:
        return FindingOffer(finding, None)
    line = lines[finding.line - 1]
    fix = finding.fix
    key = _key_place(line, path[-1]) if isinstance(path[-1], str) else _item_place(line)
    if key is None:
        return FindingOffer(finding, None)
    value = _value_place(line, key[1]) if isinstance(path[-1], str) else key
    start, end = key if value is None or (fix and fix.of == "key") else value
    place = LineSpan(finding.line, start, end)
    if fix is None or (fix.of != "key" and value is None) or (fix.of == "key" and not isinstance(path[-1], str)):
        return FindingOffer(finding, place)
    before = line[start:end]
    return FindingOffer(finding, place, before, _written(fix, before))


def _key_place(line: str, key: str) -> tuple[int, int] | None:
    """Return where the key stands, None where it is not on the line, or several times."""
    pattern = rf"(?:^|(?<=[\s{{,]))(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')(?=\s*:(?:\s|$))"
    places = [match.span() for match in re.finditer(pattern, line)]
    return places[0] if len(places) == 1 else None


def _value_place(line: str, behind: int) -> tuple[int, int] | None:
    colon = line.index(":", behind) + 1
    rest = line[colon:]
    value = _VALUE.match(rest, len(rest) - len(rest.lstrip()))
    return (colon + value.start(), colon + value.end()) if value else None


def _item_place(line: str) -> tuple[int, int] | None:
    """Return where the text of a list's entry stands on a line of its own."""
    dash = re.match(r"\s*(?:- +)+", line)
    value = _VALUE.match(line, dash.end()) if dash else None
    return value.span() if value else None


def _written(fix: Fix, before: str) -> str:
    """Return the text of a fix, in the quotes that stand there unless the fix is about them."""
    if fix.of == "quotes":
        return json.dumps(before, ensure_ascii=False)
    quote = before[0] if before[0] in "\"'" and fix.of != "bare" else ""
    return f"{quote}{fix.text}{quote}"
