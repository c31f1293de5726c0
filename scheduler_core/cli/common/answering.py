"""How commands answer: what they print, and the exit status that says what they came to."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from scheduler_core.cli.common.inputs import REFUSALS
from scheduler_core.cli.common.version import WrongOption
from scheduler_core.manifests.model import printable

T = TypeVar("T")


def say_refused(problem: Exception) -> int:
    """Print what is wrong, a line for each; the exit status."""
    for line in str(problem).splitlines():
        print(printable(line), file=sys.stderr)
    return 2 if isinstance(problem, WrongOption) else 1


FOUND = 3
"""The exit status of commands that look for something and find it: differences, hits."""


def add_exit_code(parser: argparse.ArgumentParser, what: str) -> None:
    """The option by which the exit status says whether something was found."""
    parser.add_argument("--exit-code", action="store_true", help=f"end with status {FOUND} where {what}")


def answer(
    make: Callable[[], T],
    lines: Callable[[T], Iterable[str]],
    *,
    as_json: bool,
    finds: Callable[[T], bool] = lambda report: False,
) -> int:
    """Make a report and print it, as lines or as one JSON object, or say what is refused; the exit status, FOUND where
    ``finds`` says so of the report."""
    try:
        report = make()
    except REFUSALS as problem:
        return say_refused(problem)
    if as_json:
        print(msgspec.json.encode(report).decode())
    else:
        for line in lines(report):
            print(printable(line))
    return FOUND if finds(report) else 0
