"""The rooms whose code is changed by rule, and the tests nearest to each of their modules."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.architecture.test_mirror import DECLARATIONS, listed, mirrored
from tests.mutation.generated import Mutant, mutants
from tests.mutation.table import CORE, DASHBOARD

ROOT = Path(__file__).resolve().parents[2]


class Room(NamedTuple):
    """Folders or modules, and test files besides those at the same paths."""

    paths: tuple[str, ...]
    tests: tuple[str, ...] = ()


ROOMS: dict[str, Room] = {
    # The riskiest modules: a stale cache, a run that two workers write, a page that a stranger sees.
    "preemption-cache": Room(("scheduler_core/framework/preemption/candidate_cache.py",)),
    "incremental-scores": Room(
        ("scheduler_core/framework/incremental/score_cache.py",),
        (
            CORE + "framework/runtime/test_score_phase.py",
            CORE + "recording/test_hashing.py",
            CORE + "recording/test_against_engine.py",
            "tests/conformance/test_recorded_decisions.py",
        ),
    ),
    "leases": Room(
        ("dashboard/runs/lifecycle/leases.py",),
        (DASHBOARD + "runs/storage/test_batches.py", DASHBOARD + "runs/test_execution.py"),
    ),
    "rights": Room(("dashboard/accounts/access.py",), (DASHBOARD + "live",)),
    "query": Room(("scheduler_core/query",)),
    "branches": Room(("scheduler_core/engine/branches", "dashboard/debugger/branches")),
    "drafts": Room(("dashboard/clusters/drafts", "dashboard/clusters/editor/draft_forms.py")),
    "answers": Room(("dashboard/answers",), ("tests/services/test_answers.py",)),
    "fit": Room(("scheduler_core/explain/fit", "dashboard/fit")),
    "extenders": Room(("scheduler_core/extenders",)),
    "generator": Room(("scheduler_core/workloads/generator", "dashboard/generating")),
    "arrivals": Room(("dashboard/documents/timelines/arrivals",)),
    "pins": Room(("dashboard/review/pins",)),
    "breakpoints": Room(("dashboard/debugger/breakpoints", "dashboard/runs/breakpoints")),
    "compare": Room(("scheduler_core/compare", "dashboard/compare")),
}


def modules(room: Room) -> list[str]:
    """Return the paths of the room's modules that do more than declare."""
    files = [file for path in room.paths for file in sorted((ROOT / path).rglob("*.py")) or [ROOT / path]]
    return [
        str(file.relative_to(ROOT))
        for file in files
        if file.name not in DECLARATIONS and file.parent.name != "migrations"
    ]


def nearest(room: Room, path: str) -> tuple[str, ...]:
    """Return the files and folders of tests: at the same path, in the same folder, as the mirror says, of the room."""
    module = Path(path)
    at = [mirrored(module), listed().get(module), Path("tests") / module.parent, *room.tests]
    return tuple(dict.fromkeys(str(one) for one in at if one and (ROOT / one).exists()))


def drawn(room: Room, number: int, seed: int) -> list[tuple[str, Mutant]]:
    """Return mutants of the room, with their paths: a change of the code draws few others than before."""
    turns = {}
    for path in modules(room):
        seen: Counter[tuple[str, str]] = Counter()
        for mutant in mutants((ROOT / path).read_text()):
            same = (mutant.function, mutant.change)
            seen[same] += 1
            turns[path, mutant] = turn(seed, path, *same, seen[same])
    return sorted(sorted(turns, key=turns.__getitem__)[:number], key=lambda one: (one[0], one[1].line))


def turn(*what: object) -> str:
    """Return the place of something in an order that follows from nothing but the words."""
    return hashlib.blake2b("\n".join(map(str, what)).encode(), digest_size=8).hexdigest()
