"""How the tests are shared among processes: which run in one process one after the other, and which begin first; and
the marks that follow from what a test uses.

Tests with servers and processes of their own begin first, so that none of them is left for the end, when the other
process has nothing to do any more; other long ones follow. Then come the dashboard's and the recorded decisions, then
the repetition on PostgreSQL, which follows from what the dashboard's noted, and beside it all others: something lies
between its two parts, or one process would get both. The tests of a file stay together, up to a number: they share
what the file starts, and giving out a test takes longer than many of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# In the order in which they begin; the folder is also the mark of its tests.
FIRST = ("services", "faults", "browser")
CLIENTS = {"owner", "stranger", "anonymous"}
"""The fixtures of tests/dashboard/conftest.py that a test with a client of the pages uses, itself or through others."""
FAST_ROOMS = (
    "tests/dashboard/clusters/drafts/",
    "tests/dashboard/debugger/breakpoints/",
    "tests/dashboard/debugger/branches/test_entries.py",
    "tests/dashboard/debugger/branches/test_forms.py",
    "tests/dashboard/review/pins/",
    "tests/dashboard/runs/breakpoints/",
)
"""Rooms and files whose tests with a client are part of `make test-fast`: without them it notices few changes there."""
TOGETHER = 40
DASHBOARD = "tests/dashboard/"
RECORDED = "tests/conformance/"
REPETITION = "tests/services/test_dashboard_on_postgres.py"


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark the tests before the marks are read, and order them when all others have."""
    for item in items:
        if folder := first_folder(item.nodeid):
            item.add_marker(getattr(pytest.mark, folder))
        fixtures = set(getattr(item, "fixturenames", ()))
        if "by_kernel_and_by_numpy" in fixtures:
            item.add_marker(pytest.mark.kernel_and_numpy)
        if fixtures & CLIENTS and not item.nodeid.startswith(FAST_ROOMS):
            item.add_marker(pytest.mark.pages)
    yield
    items.sort(key=place)


def first_folder(nodeid: str) -> str | None:
    """Return the folder of FIRST that the test lies in."""
    folders = nodeid.partition("::")[0].split("/")
    return next((name for name in FIRST if name in folders), None)


def place(item: pytest.Item) -> int:
    """Return when the test begins, as said above; tests of the same place keep the order that they have."""
    part = part_of_repetition(item)
    folder = first_folder(item.nodeid)
    if folder and part is None:
        return FIRST.index(folder)
    is_slow = part is None and item.get_closest_marker("slow") is not None
    turns = (
        item.get_closest_marker("long") is not None,
        is_slow and item.nodeid.startswith(DASHBOARD),
        item.nodeid.startswith(DASHBOARD),
        item.nodeid.startswith(RECORDED),
        part == 0,
        is_slow,
        part == 1,
        True,
    )
    return len(FIRST) + turns.index(True)


def part_of_repetition(item: pytest.Item) -> int | None:
    """Return which part of the repetition on PostgreSQL the test is."""
    parameters = getattr(item, "callspec", None)
    return parameters.indices["part"] if parameters and item.nodeid.startswith(REPETITION) else None


def parts(nodeids: Sequence[str]) -> dict[str, str]:
    """Return {test: the part of its file that is given out as one}."""
    seen: Counter[str] = Counter()
    part_of = {}
    for nodeid in nodeids:
        file = nodeid.partition("::")[0]
        # Tests of services share nothing but the servers, which live as long as the process.
        together = 1 if first_folder(nodeid) == "services" else TOGETHER
        part_of[nodeid] = f"{file}/{seen[file] // together}"
        seen[file] += 1
    return part_of


class PartsOfFiles(LoadFileScheduling):
    """Gives out files, large ones in parts, in the order of the collection."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self.part_of: dict[str, str] = {}

    def _split_scope(self, nodeid: str) -> str:
        if not self.part_of:
            assert self.collection is not None
            self.part_of = parts(self.collection)
        return self.part_of[nodeid]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    """Refine `--dist loadfile`."""
    return PartsOfFiles(config, log) if config.getoption("dist") == "loadfile" else None
