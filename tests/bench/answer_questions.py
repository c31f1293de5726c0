"""What answer_worker.py measures in a process of an installation: ``python -m tests.bench.answer_questions PART N...``.

Prints one JSON object.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.answer_pages import percentiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.questions import Question
    from dashboard.runs.models import Run

REMEDIES_SHARE = 0.15
LATE_SECONDS = 50.0
RUN_SECONDS = 900.0


def _repeat(count: int) -> dict[str, Any]:
    """Run what the first run ran with other seeds, until there are so many runs; wait for their ends."""
    from dashboard.accounts.models import Member
    from dashboard.runs.actions import Launch, create_run
    from dashboard.runs.models import ENDED, Run

    first = Run.objects.select_related("revision").get()
    member = Member.objects.filter(workspace_id=first.workspace_id).order_by("joined_at")[0]
    launch = Launch(first.revision, schedule=first.schedule)
    for seed in range(1, count):
        create_run(member, replace(launch, seed=seed))
    deadline = time.monotonic() + RUN_SECONDS
    while Run.objects.exclude(state__in=ENDED).exists():
        if time.monotonic() > deadline:
            raise ValueError(f"{count} runs did not end within {RUN_SECONDS:g} s")
        time.sleep(0.2)
    states = set(Run.objects.values_list("state", flat=True))
    if states != {"finished"}:
        raise ValueError(f"runs ended as {states}")
    return {"runs": Run.objects.count()}


def _round_trips(count: int) -> dict[str, Any]:
    """Questions about a run that is not there: the worker looks into the database and answers."""
    import msgspec

    from dashboard.answers import asking
    from dashboard.answers.messages import Ask, Request

    transport = asking._transport()

    def once(n: int) -> float:
        request = Request(f"round-{n}", 0, 0, msgspec.Raw(b'{"question":"remedies","cycle":1}'), True)
        began = time.perf_counter()
        while transport(Ask(request, "bench", 60.0, 10.0)).reply is None:
            time.sleep(0.05)
        return 1000 * (time.perf_counter() - began)

    once(-1)  # The worker starts.
    computed, repeated = [once(n) for n in range(count)], [once(0) for _ in range(count)]
    return percentiles("computed", computed) | percentiles("kept", repeated)


def _answered(run: Run, question: Question) -> tuple[float, bool]:
    """Milliseconds until the answer, however late, and whether it is partial. Raises ValueError without one."""
    from dashboard.answers.asking import answer_deadline, ask
    from dashboard.answers.outcomes import Answer, Failed

    began, figures, deadline = time.perf_counter(), None, answer_deadline(question) + LATE_SECONDS
    while not isinstance(figures, Answer):
        figures = ask(run, question, deadline, asker="bench", patience=10.0)
        if isinstance(figures, Failed) or time.time() > deadline:
            raise ValueError(f"{question}: {figures}")
    return 1000 * (time.perf_counter() - began), figures.is_partial


def _refused(run: Run) -> list[int]:
    from dashboard.runs.models import Cycle

    return list(Cycle.objects.filter(run_id=run.pk, outcome="unschedulable").values_list("number", flat=True))


def _resident_mb(worker: int) -> float:
    return int(Path(f"/proc/{worker}/statm").read_text().split()[1]) * 4096 / 2**20


def _soak(worker: int, limit_bytes: int, questions: int) -> dict[str, Any]:
    """Questions about all runs in turn by chance; the size of the worker's process after each."""
    from dashboard.answers.questions import NoPreemption, RemediesOf
    from dashboard.runs.models import Run

    runs, chance = list(Run.objects.select_related("head").order_by("pk")), random.Random(7)
    cycles = {run.pk: _refused(run) for run in runs}
    spent: dict[str, list[float]] = {}
    sizes, partial = [], 0
    for _ in range(questions):
        run = chance.choice(runs)
        kind = RemediesOf if chance.random() < REMEDIES_SHARE else NoPreemption
        question = kind(chance.choice(cycles[run.pk]))
        milliseconds, is_partial = _answered(run, question)
        partial += is_partial
        spent.setdefault(question.name.replace("-", "_"), []).append(milliseconds)
        sizes.append(_resident_mb(worker))
    figures: dict[str, Any] = {"runs": len(runs), "questions": questions, "partial": partial}
    figures |= {"limit_mb": limit_bytes / 2**20, "resident_mb_first": sizes[0], "resident_mb_max": max(sizes)}
    for name, each in spent.items():
        figures |= percentiles(name, each)
    return figures


def _answers(worker: int, most_cold: int, most_warm: int) -> dict[str, Any]:
    """Cold, warm and without trials, of cycles in random order. Each question is asked once."""
    from dashboard.answers.questions import NoPreemption, RemediesOf, RoomTaken
    from dashboard.runs.models import Run

    run = Run.objects.select_related("head").get()
    refused = random.Random(11).sample(cycles := _refused(run), len(cycles))
    n_cold = min(most_cold, len(refused) // 3)
    first, cold, warm = refused[0], refused[1 : 1 + n_cold], refused[1 + n_cold : 1 + n_cold + most_warm]
    if not cold:
        raise ValueError(f"{len(refused)} cycles that found no node are too few to ask about")
    spent: dict[str, list[float]] = {"first": [_answered(run, RemediesOf(first))[0]]}
    partial = 0
    for kind, name, asked in ((RemediesOf, "remedies_cold", cold), (RemediesOf, "remedies_warm", warm)):
        for cycle in asked:
            if name == "remedies_warm":
                spent.setdefault("no_preemption_cold", []).append(_answered(run, NoPreemption(cycle))[0])
            milliseconds, is_partial = _answered(run, kind(cycle))
            spent.setdefault(name, []).append(milliseconds)
            partial += is_partial
    spent["room"] = [_answered(run, RoomTaken(cycle))[0] for cycle in warm]
    figures: dict[str, Any] = {"remedies_partial": partial, "resident_mb": _resident_mb(worker)}
    for name, each in spent.items():
        figures |= percentiles(name, each)
    return figures


def refused_cycles() -> list[int]:
    """The cycles of the only run that found no node."""
    from dashboard.runs.models import Run

    return _refused(Run.objects.get())


PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "repeat": _repeat,
    "round-trips": _round_trips,
    "soak": _soak,
    "answers": _answers,
    "refused": lambda: {"cycles": refused_cycles()},
}

if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(PARTS[sys.argv[1]](*map(int, sys.argv[2:]))))
