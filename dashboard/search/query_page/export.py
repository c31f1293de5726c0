"""The hits of a search as CSV, line by line, up to a limit of lines and of time."""

from __future__ import annotations

import csv
import time
from typing import TYPE_CHECKING, Any

from dashboard.query.searching import Search, search_run
from scheduler_core.query.search import END, HitPage
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dashboard.runs.models import Run
    from dashboard.search.query_page.panel import QueryPage
    from scheduler_core.query.hits import Hit

MOST_LINES, OF_A_READ = 50_000, 1_000
MOST_SECONDS = 30.0
HEAD = ("run", "subject", "seq", "cycle", "virtual time us", "virtual time", "pod", "plugin", "node", "text")


class _Line:
    """Hands each written line on."""

    def write(self, text: str) -> str:
        return text


def csv_lines(page: QueryPage) -> Iterator[str]:
    """Yield the file's lines; the last one says where it was cut."""
    assert page.narrowed is not None
    writer: Any = csv.writer(_Line())
    yield writer.writerow(HEAD)
    left, until = MOST_LINES, time.monotonic() + MOST_SECONDS
    for run in page.searched.runs:
        for hit in _hits(page, run, until):
            if not left:
                yield writer.writerow([f"cut after {MOST_LINES:,} hits"])
                return
            if hit is None:
                yield writer.writerow([f"run {run.number}: not all was read"])
                break
            left -= 1
            yield writer.writerow(_cells(run, hit))
    for run in page.searched.left_out:
        yield writer.writerow([f"run {run.number}: not searched"])


def _hits(page: QueryPage, run: Run, until: float) -> Iterator[Hit | None]:
    """The hits of a run in order; None where the rest cannot be had."""
    assert page.narrowed is not None
    start = None
    while time.monotonic() < until:
        asked = Search(page.narrowed, OF_A_READ, start, patience=1.0, part=" as csv", with_counts=False)
        page_of_hits = search_run(page.access, run, asked).hits
        if not isinstance(page_of_hits, HitPage):
            if page_of_hits is None or not hasattr(page_of_hits, "waits_for"):
                break
            continue
        yield from page_of_hits.hits
        if page_of_hits.ended == END:
            return
        start = page_of_hits.next_start(start)
    yield None


def _cells(run: Run, hit: Hit) -> list[Any]:
    texts = (hit.pod, hit.plugin, hit.node, hit.text)
    return [run.number, hit.subject, hit.seq, hit.cycle or "", hit.at, clock(hit.at), *map(_safe, texts)]


def _safe(text: str) -> str:
    """The text as no spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
