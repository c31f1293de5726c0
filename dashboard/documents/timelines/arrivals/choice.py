"""Which entries of a timeline are meant: those in an interval, of a namespace, a workload, by words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from dashboard.common.http.params import choice_param, text_param
from dashboard.common.problems import BadQuery
from scheduler_core.simulate import TimelineError, entry_time, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dashboard.documents.timelines.arrivals.rows import ArrivalRow

WHAT = ("", "add", "update", "delete")
MAX_TIME, MAX_NAME = 40, 320


@dataclass(frozen=True)
class ArrivalChoice:
    """The entries from `start` to before `end` (microseconds; None: all after it) that fit all that is named."""

    start: int = 0
    end: int | None = None
    namespace: str = ""
    owner: str = ""
    what: str = ""
    text: str = ""

    @property
    def is_all(self) -> bool:
        """Return whether every entry is meant."""
        return self == ArrivalChoice()

    @property
    def start_text(self) -> str:
        """Return where the interval begins, "" at the start."""
        return time_text(self.start) if self.start else ""

    @property
    def end_text(self) -> str:
        """Return where the interval ends, "" without an end."""
        return "" if self.end is None else time_text(self.end)

    @property
    def interval(self) -> str:
        """Return the interval in words, "" for all of the time."""
        if self.end is None:
            return f"from {self.start_text} on" if self.start else ""
        return f"from {time_text(self.start)} to before {time_text(self.end)}"

    @property
    def fields(self) -> dict[str, str]:
        """Return it as parameters of an address, without those that say nothing."""
        named = {
            "from": self.start_text,
            "before": self.end_text,
            "ns": self.namespace,
            "of": self.owner,
            "what": self.what,
            "q": self.text,
        }
        return {name: value for name, value in named.items() if value}

    @property
    def query(self) -> str:
        """Return it as the query of an address, "" for all entries."""
        return urlencode(self.fields)

    def of(self, rows: Iterable[ArrivalRow]) -> list[ArrivalRow]:
        """Return those of the rows that are meant, in their order."""
        words = self.text.lower().split()
        return [row for row in rows if self._takes(row) and _has(row, words)]

    def _takes(self, row: ArrivalRow) -> bool:
        return (
            self.start <= row.at
            and (self.end is None or row.at < self.end)
            and (not self.namespace or row.key.namespace == self.namespace)
            and (not self.owner or row.owner == self.owner)
            and (not self.what or row.action == self.what)
        )

    def moved(self, start: int, end: int | None) -> ArrivalChoice:
        """Return the same choice in another interval."""
        return replace(self, start=start, end=end)


def _has(row: ArrivalRow, words: list[str]) -> bool:
    if not words:
        return True
    text = f"{row.key.label} {row.owner} {row.priority}".lower()
    return all(word in text for word in words)


def read_choice(query: Mapping[str, str]) -> ArrivalChoice:
    """Return the choice that an address or form names; raises BadQuery."""
    return ArrivalChoice(
        *interval_in(query),
        text_param(query, "ns", MAX_NAME),
        text_param(query, "of", MAX_NAME),
        choice_param(query, "what", WHAT, ""),
        text_param(query, "q"),
    )


def interval_in(query: Mapping[str, str]) -> tuple[int, int | None]:
    """Return query["from"] and query["before"] in microseconds, (0, None) where they are absent; raises BadQuery."""
    start, end = time_param(query, "from") or 0, time_param(query, "before")
    if end is not None and end <= start:
        raise BadQuery(f'"before" must be later than "from": {time_text(end)} is not later than {time_text(start)}.')
    return start, end


def time_param(query: Mapping[str, str], name: str) -> int | None:
    """Return query[name] as a time in microseconds, None where it is absent; raises BadQuery."""
    text = text_param(query, name, MAX_TIME).replace(" ", "")
    return time_in(text, name) if text else None


def time_in(text: str, name: str) -> int:
    """Return a time that the field `name` holds, in microseconds; raises BadQuery."""
    try:
        return entry_time({"at": text})
    except TimelineError as problem:
        raise BadQuery(f"{name}: {str(problem).removeprefix('at: ')}.") from None
