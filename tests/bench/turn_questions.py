"""What `turns` of answer_worker.py measures in a process of an installation: one who asks for much beside others.

``python -m tests.bench.turn_questions PEOPLE EACH HOG`` asks in two rounds, the second beside a hog: `PEOPLE` threads,
each somebody else, ask `EACH` short questions one after the other, and one more person asks as often for remedies. The
hog is one person with `HOG` threads that ask without a pause, every other one for remedies, and ask anew whatever came
of it. Every question has a key of its own, so that none is answered from what is kept. Prints one JSON object of
milliseconds; who has no answer by the deadline counts with the time until then, and under `_unanswered`.
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from itertools import count
from typing import Any

from tests.bench.answer_pages import percentiles

PAUSE_SECONDS = 0.2
NUMBERS = count()
HOG = "hog"


class Crowd:
    """Asks about the refused cycles of one run, as pages do: again and again until the question's deadline."""

    def __init__(self, cycles: list[int]) -> None:
        from dashboard.answers import asking
        from dashboard.runs.models import Run

        self.run = Run.objects.select_related("head").get()
        self.cycles = cycles
        self.transport = asking._transport()
        self.stopping = threading.Event()

    def asked(self, person: str, *, is_short: bool, cycle: int = 0) -> tuple[float, bool]:
        """Milliseconds until there was an answer or the page gave up, and whether there was one."""
        import msgspec

        from dashboard.answers.asking import seconds_allowed
        from dashboard.answers.messages import Ask, Request
        from dashboard.answers.questions import RemediesOf, WhyOf

        question = (WhyOf if is_short else RemediesOf)(cycle or random.choice(self.cycles))
        number = next(NUMBERS)
        encoded = msgspec.Raw(msgspec.json.encode(question))
        request = Request(f"turn-{number}", self.run.pk, self.run.workspace_id, encoded, True, is_short=is_short)
        began = time.monotonic()
        while (left := began + seconds_allowed(question) - time.monotonic()) > 0:
            result = self.transport(Ask(request, f"asker-{number}", left, min(1.0, left), f"1:{person}"))
            if result.is_dropped:
                break
            if result.reply is not None:
                return 1000 * (time.monotonic() - began), True
            time.sleep(0.02)
            if person == HOG and self.stopping.is_set():
                break
        return 1000 * (time.monotonic() - began), False

    def hog(self, *, is_short: bool) -> None:
        """Ask until told to stop."""
        while not self.stopping.is_set():
            self.asked(HOG, is_short=is_short)

    def round(self, people: int, each: int) -> tuple[list[tuple[float, bool]], list[tuple[float, bool]]]:
        """What the short questions of so many people took, and those for remedies of one more."""
        short: list[tuple[float, bool]] = []
        long: list[tuple[float, bool]] = []

        def person(name: str, into: list[tuple[float, bool]], *, is_short: bool) -> None:
            for _ in range(each):
                into.append(self.asked(name, is_short=is_short))
                time.sleep(PAUSE_SECONDS)

        threads = [
            threading.Thread(target=person, args=(f"person-{n}", short), kwargs={"is_short": True})
            for n in range(people)
        ]
        threads.append(threading.Thread(target=person, args=("admin", long), kwargs={"is_short": False}))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return short, long


def _figures(name: str, spent: list[tuple[float, bool]]) -> dict[str, Any]:
    unanswered = sum(not is_answered for _, is_answered in spent)
    return percentiles(name, [milliseconds for milliseconds, _ in spent]) | {f"{name}_unanswered": unanswered}


def turns(people: int, each: int, threads: int) -> dict[str, Any]:
    """The figures of both rounds."""
    from tests.bench.answer_questions import refused_cycles

    crowd = Crowd(refused_cycles())
    for cycle in 2 * crowd.cycles:  # The worker starts, reads the run, restores its states.
        for is_short in (True, False):
            crowd.asked("first", is_short=is_short, cycle=cycle)
    crowd.round(people, 2)
    figures: dict[str, Any] = {"people": people, "questions_each": each, "hog_threads": threads}
    for name in ("alone", "beside"):
        crowd.stopping.clear()
        n_hogs = range(threads if name == "beside" else 0)
        hogs = [threading.Thread(target=crowd.hog, kwargs={"is_short": n % 2 == 0}) for n in n_hogs]
        for one in hogs:
            one.start()
        time.sleep(1.0 if hogs else 0.0)
        short, long = crowd.round(people, each)
        crowd.stopping.set()
        for one in hogs:
            one.join()
        figures |= _figures(f"short_{name}", short) | _figures(f"remedies_{name}", long)
    return figures


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(turns(*map(int, sys.argv[1:]))))
