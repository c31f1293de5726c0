"""Reports tests that lack the mark `slow` or `long`: those whose body takes more than its share of the processor.

Processor time, not time on the clock: a machine that does other things besides makes no test slow. What is first in a
process pays for others (templates are compiled, caches filled), and a busy machine has cold caches: the same test took
0.2 s here and 2 s there. So with CI set only a test far beyond any of that fails the session. A body that imports a
module for the first time is not judged: any other test could have been the first.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Limit(NamedTuple):
    """What a test without any of `free_marks` may take, in seconds of the processor."""

    mark: str
    seconds: float
    free_marks: tuple[str, ...]


LIMITS = [
    Limit("long", 2.0, ("long", "essential")),
    Limit("slow", 0.25, ("slow", "services", "browser", "faults")),
]
"""The largest first: of those that a test exceeds the first is reported."""
SHOWN_FROM, FAILS_FROM = 2, 20
PROPERTY = "processor_seconds"


def processor_seconds() -> float:
    """Return what this process took so far, with those of its children that ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note on the test's report what its body took, where that is too much."""
    n_modules, begun = len(sys.modules), processor_seconds()
    try:
        return (yield)
    finally:
        taken = processor_seconds() - begun
        limit = exceeded(item, taken)
        if limit and len(sys.modules) == n_modules:
            item.user_properties.append((PROPERTY, (limit.mark, round(taken, 2), limit.seconds)))


def exceeded(item: pytest.Item, taken: float) -> Limit | None:
    """Return the limit that the test exceeds."""
    for limit in LIMITS:
        if taken > limit.seconds * SHOWN_FROM and not any(map(item.get_closest_marker, limit.free_marks)):
            return limit
    return None


class Unmarked:
    """Collects the reports of all processes."""

    def __init__(self) -> None:
        self.taken: dict[str, tuple[str, float, float]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take down what the test's process noted."""
        if report.when == "call":
            self.taken.update((report.nodeid, noted) for name, noted in report.user_properties if name == PROPERTY)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the session where a test took so much that the mark is missing for certain."""
        if os.environ.get("CI") and any(taken > limit * FAILS_FROM for _, taken, limit in self.taken.values()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the tests, slowest first."""
        if self.taken:
            terminalreporter.section("tests without the mark `slow` or `long`")
        for nodeid, (mark, taken, limit) in sorted(self.taken.items(), key=lambda one: -one[1][1]):
            terminalreporter.line(f"{taken:.2f} s of the processor, {limit} allowed without `{mark}`: {nodeid}")


def pytest_configure(config: pytest.Config) -> None:
    """Collect where the session is reported."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Unmarked(), "unmarked")
