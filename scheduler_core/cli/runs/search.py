"""``search FILES... QUERY``: run a cluster in memory and print what in it a query is about."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from time import monotonic

import msgspec

from scheduler_core.cli.answers.why import recorded
from scheduler_core.cli.common.answering import add_exit_code, answer
from scheduler_core.cli.common.extenders import add_extender_arguments, extenders_answered
from scheduler_core.cli.common.inputs import BadInput, add_input_arguments, read_inputs
from scheduler_core.cli.common.mode import say_mode
from scheduler_core.cli.common.progress import ProgressLine
from scheduler_core.cli.common.version import add_version_arguments, say_version
from scheduler_core.query import Query, QueryError, QuerySubject, parse
from scheduler_core.query.hits import Hit
from scheduler_core.query.scan import ScanControl
from scheduler_core.query.search import END, GROUPS_OF, MAX_LIMIT, HitCounts, count_hits, page_of_hits

_SHOWN = 100
_SECONDS = 60.0
_SECOND = 1_000_000
_HELP = "the query, in quotes for the shell; docs/query.md lists the fields"


class SearchReport(msgspec.Struct, frozen=True):
    """Hits in order, and how many there are in all."""

    query: str
    subject: str
    hits: tuple[Hit, ...]
    counts: HitCounts


def run(argv: list[str]) -> int:
    """Exit status 0 with an answer, also one without hits; 1 for bad input or a query that is not understood; 2 for a
    wrong command line; with --exit-code 3 where something is found."""
    options = _parser().parse_args(argv)
    finds = (lambda report: report.counts.total > 0) if options.exit_code else (lambda report: False)
    return answer(lambda: search(options), _lines, as_json=options.json, finds=finds)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core search", description=__doc__)
    add_input_arguments(parser)
    add_version_arguments(parser)
    add_extender_arguments(parser)
    parser.add_argument("query", metavar="QUERY", help=_HELP)
    parser.add_argument("--limit", type=int, default=_SHOWN, metavar="N", help=f"print N hits (default {_SHOWN})")
    parser.add_argument("--backward", action="store_true", help="from the end of the run backward")
    groups = sorted({name for of_subject in GROUPS_OF.values() for name in of_subject})
    parser.add_argument("--group", choices=groups, default="", help="count the hits by it")
    parser.add_argument(
        "--seconds",
        type=float,
        default=_SECONDS,
        metavar="S",
        help=f"look for S seconds at most (default {_SECONDS:g})",
    )
    add_exit_code(parser, "something is found")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def search(options: argparse.Namespace) -> SearchReport:
    """Run the files to the end and search the recording. Raises one of REFUSALS."""
    query = _query(options)
    line = ProgressLine(sys.stderr)
    inputs = read_inputs(options, line)
    with extenders_answered(options, inputs) as extenders:
        reader = recorded(inputs, line, extenders)
    deadline = monotonic() + options.seconds
    control = ScanControl(
        progress=lambda share: line.say(f"{int(100 * share):3d} %  searching"),
        stopped=lambda: "deadline" if monotonic() > deadline else "",
    )
    page = page_of_hits(
        reader, query, options.limit, backward=options.backward, with_fields=options.json, control=control
    )
    counts = count_hits(reader, query, group=options.group, control=control)
    line.clear()
    say_version(options, inputs)
    say_mode(options, inputs)
    return SearchReport(query.text, str(query.subject), page.hits, counts)


def _query(options: argparse.Namespace) -> Query:
    """The query, before anything is run."""
    if not 0 <= options.limit <= MAX_LIMIT:
        raise BadInput(f"--limit: {options.limit:,} is not between 0 and {MAX_LIMIT:,}")
    try:
        query = parse(options.query)
    except QueryError as problem:
        raise BadInput("\n".join(error_lines(options.query, problem))) from problem
    if options.group and options.group not in GROUPS_OF[query.subject]:
        names = ", ".join(GROUPS_OF[query.subject])
        raise BadInput(f"--group: {query.subject}s are counted by {names}; not by {options.group}")
    return query


def error_lines(text: str, problem: QueryError) -> Iterator[str]:
    """The line of the query with the error, a mark under the wrong part, and what is wrong."""
    before = text[: problem.column - 1]
    start = before.rfind("\n") + 1
    line = text[start:].split("\n")[0].expandtabs(1)
    if len(line) <= 200:
        yield line
        yield " " * (len(before) - start) + "^" * min(
            problem.end - problem.column, max(len(line) - len(before) + start, 1)
        )
    yield problem.text()


def _lines(report: SearchReport) -> Iterator[str]:
    for hit in report.hits:
        cycle = f"cycle {hit.cycle:,}" if hit.cycle else ""
        yield f"{hit.at / _SECOND:>12.3f} s  {cycle:<13}  seq {hit.seq:<8}  {hit.text}"
    total, what = report.counts.total, _plural(QuerySubject(report.subject), report.counts.total)
    shown = f"; {len(report.hits):,} are shown" if len(report.hits) < total else ""
    stopped = "" if report.counts.ended == END else "; time ran out before the end of the run (--seconds)"
    yield f"{total:,} {what}{shown}{stopped}"
    for value, count in report.counts.groups:
        yield f"{count:>10,}  {value}"
    if report.counts.n_groups > len(report.counts.groups):
        yield f"{'':>10}  and {report.counts.n_groups - len(report.counts.groups):,} more"


def _plural(subject: QuerySubject, count: int) -> str:
    return str(subject) if count == 1 else f"{subject}s"
