"""``explain-message TEXT|FILE|-``: take messages of failed scheduling apart, without a cluster."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from scheduler_core.explain.messages import explain_messages, message_lines
from scheduler_core.explain.messages.sources import MAX_INPUT
from scheduler_core.manifests.model import printable


def run(argv: list[str]) -> int:
    """0 where every part of every message is known, 1 where one is not, where there is no message, or for a file that
    cannot be read; 2 for a wrong command line."""
    options = _parser().parse_args(argv)
    try:
        paste = _read(options.text)
    except OSError as problem:
        print(printable(f"{options.text}: {problem.strerror}"), file=sys.stderr)
        return 1
    answer = explain_messages(paste)
    if options.json:
        print(msgspec.json.encode(answer).decode())
    else:
        for line in message_lines(answer):
            print(printable(line))
    for part in answer.unknown:
        where = f"line {part.line}, column {part.column}"
        print(printable(f"{where}: not a text of kube-scheduler: {part.text[:200]}"), file=sys.stderr)
    return 0 if answer.messages and not answer.unknown else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scheduler_core explain-message", description=__doc__)
    parser.add_argument(
        "text",
        metavar="TEXT|FILE|-",
        help="a message, lines of `kubectl get events` or `kubectl describe pod`, a file with them, or - for standard "
        "input",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _read(named: str) -> str:
    """The text itself, or what the file or standard input holds, of which so much is read as is looked at. Raises
    OSError."""
    if named == "-":
        return sys.stdin.buffer.read(4 * MAX_INPUT).decode(errors="replace")
    if not _is_file(named):
        return named
    with Path(named).open("rb") as file:
        return file.read(4 * MAX_INPUT).decode(errors="replace")


def _is_file(named: str) -> bool:
    try:
        return Path(named).is_file()
    except (OSError, ValueError):  # too long for a name, or with a null byte
        return False
