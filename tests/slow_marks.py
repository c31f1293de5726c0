"""Reports tests that lack the mark `slow`: those whose body takes more than its share of the processor.

Processor time, not time on the clock: a machine that does other things besides makes no test slow. What is first in a
process pays for others (templates are compiled, caches filled), and a busy machine has cold caches: the same test took
0.2 s here and 2 s there. So with CI set only a test far beyond any of that fails the session. A body that imports a
module for the first time is not judged: any other test could have been the first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

LIMIT_SECONDS = 0.25
SHOWN_FROM, FAILS_FROM = 2, 20
UNLIMITED = ("slow", "services", "browser", "faults")
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
        limited = not any(item.get_closest_marker(name) for name in UNLIMITED)
        if limited and taken > LIMIT_SECONDS * SHOWN_FROM and len(sys.modules) == n_modules:
            item.user_properties.append((PROPERTY, round(taken, 2)))


class SlowWithoutMark:
    """Collects the reports of all processes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take down what the test's process noted."""
        if report.when == "call":
            self.seconds.update((report.nodeid, taken) for name, taken in report.user_properties if name == PROPERTY)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail the session where a test took so much that the mark is missing for certain."""
        if os.environ.get("CI") and max(self.seconds.values(), default=0.0) > LIMIT_SECONDS * FAILS_FROM:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """List the tests, slowest first."""
        if self.seconds:
            terminalreporter.section("slow tests without the mark `slow`")
        for nodeid, taken in sorted(self.seconds.items(), key=lambda one: -one[1]):
            terminalreporter.line(f"{taken:.2f} s of the processor, {LIMIT_SECONDS} allowed: {nodeid}")


def pytest_configure(config: pytest.Config) -> None:
    """Collect where the session is reported."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SlowWithoutMark(), "slow-without-mark")
