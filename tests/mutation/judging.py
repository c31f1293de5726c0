"""A plugin of pytest that runs, instead of all tests once, those that come to a changed line, for one change after
the other.

The session has imported everything. For each change a child of it (a fork) gives the module's functions their new code
and runs the tests that come to the line, until one fails. What ran while modules were imported cannot be changed so:
such a change is written into a copy of the tree, where a process of its own runs the tests.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from django.conf import settings
from django.db import connections

from tests.mutation.copied import ROOT, CopiedTree
from tests.mutation.lines import Lines
from tests.mutation.loaded import change_functions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.mutation.generated import Mutant

ALL_TESTS_SECONDS = 3600.0
SLOW_SECONDS = 0.5
"""What takes longer comes after the others."""
MOST_BYTES = 6 << 30
"""Of the memory of a child: a change can make a loop endless."""


class Run(NamedTuple):
    """What a test did without any change."""

    passed: bool
    seconds: float
    lines: dict[str, set[int]]
    """By the paths of the modules."""


class Asked(NamedTuple):
    """A change, and the files and folders of the tests nearest to it; ``is_near``: only these may notice it."""

    path: str
    mutant: Mutant
    tests: tuple[str, ...]
    is_near: bool = True


class Judging:
    """The plugin. ``answer`` takes each change with whether it was noticed, the words for it and the seconds."""

    def __init__(
        self, asked: Sequence[Asked], lines: Lines, marks: str, answer: Callable[[Asked, bool, str, float], None]
    ) -> None:
        self._asked = asked
        self._lines = lines
        self._marks = marks
        self._answer = answer
        self._failed = False
        self._copy: CopiedTree | None = None
        self._passing: dict[str, bool] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure of the test that runs."""
        self._failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once and note their lines, then judge."""
        from hypothesis import configuration  # pytest wants to load it first

        configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "hypothesis")
        for asked in self._asked:
            import_module(asked.path.removesuffix(".py").replace("/", "."))
        import_module(settings.ROOT_URLCONF)
        imported = self._lines.end()
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all children
        items = {item.nodeid: item for item in session.items}
        reports = in_child(lambda: self._run_all(session.items), ALL_TESTS_SECONDS)
        assert reports is not None, "the tests took too long"
        runs = {
            test: Run(passed, seconds, {path: set(lines) for path, lines in by_path.items()})
            for test, (passed, seconds, by_path) in reports.items()
        }
        for asked in self._asked:
            began = time.monotonic()
            chosen, at_import = chosen_tests(asked, runs, imported.get(str(ROOT / asked.path), set()))
            tests = [items[test] for test in sorted(chosen, key=lambda test: runs[test].seconds > SLOW_SECONDS)]
            noticed, by = self._judge(asked, tests, sum(runs[test].seconds for test in chosen), at_import)
            self._answer(asked, noticed, by, time.monotonic() - began)
        return True

    def _run_all(self, items: Sequence[pytest.Item]) -> dict[str, Any]:
        reports = {}
        for item, following in zip(items, [*items[1:], None], strict=True):
            began = time.monotonic()
            self._lines.begin()
            passed = self._passes(item, following)
            noted = self._lines.end()
            seconds = time.monotonic() - began
            lines = {str(Path(file).relative_to(ROOT)): sorted(of) for file, of in noted.items()}
            reports[item.nodeid] = (passed, seconds, lines)
        return reports

    def _judge(self, asked: Asked, tests: Sequence[pytest.Item], seconds: float, at_import: bool) -> tuple[bool, str]:
        """Return whether the change is noticed, and by what."""
        source = (ROOT / asked.path).read_text()
        if not tests:
            return False, "no test comes to the line"
        if not at_import:
            by = in_child(lambda: self._first_failing(asked, source, tests), 20 + 3 * seconds)
            if by is None:
                return True, "a test that does not end"
            if by == "":
                return False, f"{len(tests)} passed"
            if by != NOT_LOADED:
                passes = by in self._passing or self._passes_alone(by, tests)
                return passes, by if passes else f"{by} fails without the change too"
        if self._copy is None:
            self._copy = CopiedTree(Path(tempfile.mkdtemp(prefix="copy-")))
        ids = [item.nodeid for item in tests]
        noticed = self._copy.is_noticed(asked.path, asked.mutant.text(source), ids, self._marks)
        if noticed and not self._copy.pass_all(ids, self._marks):
            return False, f"one of {len(ids)} fails without the change too"
        return noticed, f"{len(ids)} in a process"

    def _first_failing(self, asked: Asked, source: str, tests: Sequence[pytest.Item]) -> str:
        if not change_functions(str(ROOT / asked.path), source, asked.mutant.tree(source)):
            return NOT_LOADED
        return self._first_that_fails(tests)

    def _first_that_fails(self, tests: Sequence[pytest.Item]) -> str:
        for item, following in zip(tests, [*tests[1:], None], strict=True):
            if not self._passes(item, following):
                return item.nodeid
        return ""

    def _passes_alone(self, test: str, tests: Sequence[pytest.Item]) -> bool:
        """Return whether the test passes as the first one of a process."""
        if in_child(lambda: self._first_that_fails([item for item in tests if item.nodeid == test]), 600) == "":
            self._passing[test] = True
        return test in self._passing

    def _passes(self, item: pytest.Item, following: pytest.Item | None) -> bool:
        self._failed = False
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        return not self._failed


NOT_LOADED = "not loaded"


def chosen_tests(asked: Asked, runs: Mapping[str, Run], imported: set[int]) -> tuple[list[str], bool]:
    """Return the passing tests that come to the change, and whether it lies in what runs while modules are imported:
    then those that run anything of the module, and after them the others that are near."""
    near = [test for test, run in runs.items() if run.passed and test.partition("::")[0].startswith(asked.tests)]
    among = near if asked.is_near else [test for test, run in runs.items() if run.passed]
    lines = {test: runs[test].lines.get(asked.path, set()) for test in among}
    if not imported.intersection(asked.mutant.lines):
        return [test for test in among if not lines[test].isdisjoint(asked.mutant.lines)], False
    return list(dict.fromkeys([*(test for test in among if lines[test]), *near])), True


def in_child(work: Callable[[], Any], seconds: float) -> Any:
    """Return what a child of this process works out, which may be written as JSON; None after so many seconds, or where
    the child is killed. Raises RuntimeError where the work does."""
    place = Path(tempfile.mkdtemp(prefix="child-"))
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            connections["default"].settings_dict["TEST"]["NAME"] = str(place / "test.sqlite3")
            (place / "result").write_text(json.dumps(work()))
            status = 0
        except BaseException:
            (place / "error").write_text(traceback.format_exc())
        finally:
            os._exit(status)
    until, ended = time.monotonic() + seconds, (0, 0)
    while ended == (0, 0) and time.monotonic() < until:
        time.sleep(0.005)
        ended = os.waitpid(child, os.WNOHANG)
    with suppress(ProcessLookupError):  # the child, and what it started
        os.killpg(child, signal.SIGKILL)
    if ended == (0, 0):
        os.waitpid(child, 0)
        return None
    if os.WIFSIGNALED(ended[1]):
        return None
    if ended[1]:
        raise RuntimeError((place / "error").read_text())
    return json.loads((place / "result").read_text())
