"""One trial: an installation, a person at work, a killer, and the verdict."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.faults.installations import Installation, production, supervised
from tests.faults.killing import Killer
from tests.faults.person import Person
from tests.faults.processes import sign_in, wait_until
from tests.faults.story import Story
from tests.faults.tree import kinds_below
from tests.faults.verdict import differences, wait_for_the_end
from tests.health import answers

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path


class SetUp(NamedTuple):
    """How an installation is made, what is started of it, and which processes it has then."""

    make: Callable[[Path], AbstractContextManager[Installation]]
    started: tuple[str, ...]
    kinds: dict[str, int]


SET_UPS = {
    "embedded": SetUp(supervised, ("supervisor",), {"answers": 1, "supervisor": 1, "web": 1, "worker": 1}),
    # Each worker of Celery has a process beside it, its pool.
    "production": SetUp(
        production, ("web", "worker1", "worker2", "answers"), {"answer worker": 2, "web": 1, "worker": 4}
    ),
}
COME_BACK_SECONDS = 120.0
LOG_CHARACTERS = 20_000


def trial(set_up: str, folder: Path, seed: int, kills: int) -> dict[str, Any]:
    """Return the trial's figures; `wrong` says what was lost or differs, in words."""
    folder.mkdir()
    make, processes, kinds = SET_UPS[set_up]
    chance, began = random.Random(f"{seed}/{set_up}"), time.monotonic()
    with make(folder) as installation:
        installation.start(*processes)
        wait_until(lambda: answers(("127.0.0.1", installation.port)), "no web server", installation.log)
        person = Person(installation.port, sign_in(installation.environment))
        story = Story(installation, person, random.Random(f"{seed}/{set_up}/story"))
        killer = Killer(installation, kills, chance, lambda: story.doing)
        try:
            story.begin()
            killer.start()
            story.go_on(lambda: killer.done)
        except BaseException:
            print(installation.log.read_text()[-LOG_CHARACTERS:])
            raise
        ended_after = wait_for_the_end(installation)
        wrong = [f"the killer failed: {killer.error!r}"] if killer.error else []
        wrong += [f"{name} ended with status {status}" for name, status in installation.ended().items()]
        if (left := _kinds_at_last(installation, kinds)) != kinds:
            wrong.append(f"processes {left} instead of {kinds}")
        wrong += differences(installation, story)
        if set_up == "embedded" and installation.ask("PRAGMA integrity_check") != ("ok",):
            wrong.append("the database is damaged")
        if wrong:
            print(installation.log.read_text()[-LOG_CHARACTERS:])
    return {
        "set_up": set_up,
        "seed": seed,
        "kills": dict(sorted(killer.targets.items())),
        "during": dict(sorted(killer.moments.items())),
        "runs": dict(sorted(Counter(workload for workload, _seed in story.launched.values()).items())),
        "deleted": len(story.deleted),
        "imports": len(story.imported),
        "saves": story.edits,
        "comments": len(story.comments),
        "answers_asked_for_again": person.repeated,
        "seconds_to_the_end": round(ended_after, 1),
        "seconds": round(time.monotonic() - began, 1),
        "wrong": wrong,
    }


def _kinds_at_last(installation: Installation, kinds: dict[str, int]) -> dict[str, int]:
    """Return the processes that are alive, as soon as these are, or after COME_BACK_SECONDS."""
    deadline = time.monotonic() + COME_BACK_SECONDS
    while True:
        alive = kinds_below(process.pid for process in installation.processes.values())
        if alive == kinds or time.monotonic() > deadline:
            return alive
        time.sleep(0.2)
