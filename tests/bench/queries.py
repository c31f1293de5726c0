"""How long queries take that chunks answer: over a whole run, back to the previous hit, until one is cancelled.

A run of the workload mix is recorded in chunks as large as the product writes them and kept in memory. Also how long
texts take that are no query, however they are made.
"""

from __future__ import annotations

import contextlib
import time
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from scheduler_core.query import QueryError, parse
from scheduler_core.query.hits import HitPlace
from scheduler_core.query.scan import ScanControl
from scheduler_core.query.search import count_hits, page_of_hits
from scheduler_core.recording import RecordingReader
from tests.bench.reading import recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUERIES = (
    "cell verdict:refused",
    "cell verdict:refused and plugin:NodePorts and node:node-00*",
    "cell score>90 and plugin:NodeResourcesFit",
    "cell reason~nothing",
    "cell raw<-1000000",
    "cell plugin:NodeResourcesFit and verdict:refused",
    "cell score>100",
    "event message~nothing-says-this",
    "event type:bound node:node-00*",
    "cycle tie and feasible>10",
)
JUMPS = 40
HOSTILE = (
    *("(" * 1_999, "not " * 499 + "tie", "tie or " * 285, 'pod:"' + "*a" * 900, "=" * 2_000, "x" * 10_000_000),
    *("(" * 10_000, "pod:\ud800", "pod:\0", "ties>" + "9" * 1_900, "<script>alert(1)</script>" * 80),
    *("'; drop table runs_cycle; --", 'message~"(a+)+$' + "a" * 1_900, "message~" + "(((a*)*)*)*" * 180),
)
GARBAGE = 2_000
CHECKED = 500


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """A line per query, and one of texts that are none. CPU time."""
    store, session = recorded("mix", nodes, cycles)
    parse("tie")
    for text in QUERIES:
        check(RecordingReader(store), text)
        figures: dict[str, Any] = {"workload": f"queries: {text}", "nodes": nodes, "cycles": session.cycle}
        yield figures | _whole(RecordingReader(store), text) | _backward(lambda: RecordingReader(store), text)
    yield {"workload": "queries: none", "worst_ms": max(_refused_ms(text) for text in (*HOSTILE, *_garbage()))}


def check(reader: RecordingReader, text: str) -> None:
    """Raises ValueError where some hits are not the same backward."""
    query, middle = parse(text), HitPlace(reader.head_seq() // 2)
    forward = page_of_hits(reader, query, CHECKED, middle).hits
    if forward:
        behind = HitPlace(forward[-1].seq, forward[-1].index + 1)
        backward = page_of_hits(reader, query, len(forward), behind, backward=True).hits
        if backward != forward[::-1]:
            raise ValueError(f"{text}: other hits backward than forward")


def _whole(reader: RecordingReader, text: str) -> dict[str, Any]:
    """Seconds over the whole run, hits, and the longest time between two chances to cancel."""
    query, asked = parse(text), []

    def stopped() -> str:
        asked.append(time.process_time())
        return ""

    started = time.process_time()
    counts = count_hits(reader, query, control=ScanControl(stopped=stopped))
    ended = time.process_time()
    gaps = np.diff([started, *asked, ended])
    return {"whole_s": round(ended - started, 2), "hits": counts.total, "cancel_s": round(float(gaps.max()), 3)}


def _backward(opened: Callable[[], RecordingReader], text: str) -> dict[str, float]:
    """Milliseconds to the previous hit from random places, with a reader that holds what the last ones left, and
    seconds to the last hit from the end, of which most is spent where there is none."""
    reader, query, random = opened(), parse(text), Random(5)
    started = time.process_time()
    page_of_hits(reader, query, 1, backward=True)
    from_end = time.process_time() - started
    spans = []
    for _ in range(JUMPS):
        place = HitPlace(random.randrange(1, reader.head_seq()))
        started = time.process_time()
        page_of_hits(reader, query, 1, place, backward=True)
        spans.append(1_000 * (time.process_time() - started))
    median, p95 = np.percentile(spans, [50, 95])
    return {
        "backward_p50_ms": round(float(median), 1),
        "backward_p95_ms": round(float(p95), 1),
        "from_end_s": round(from_end, 2),
    }


def _refused_ms(text: str) -> float:
    started = time.process_time()
    with contextlib.suppress(QueryError):
        parse(text)
    return round(1_000 * (time.process_time() - started), 2)


def _garbage() -> Iterator[str]:
    random = Random(7)
    pieces = ["tie", "not", "and", "(", ")", "pod:", '"', "*", "<", "\\", "margin>", "1h", " ", "é", "outcome:", "~"]
    for _ in range(GARBAGE):
        yield "".join(random.choices(pieces, k=random.randrange(600)))[:2_000]
