"""Which pods a command schedules where nobody said so: never chosen silently."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from scheduler_core.explain.doubt import AnswerDoubt
from scheduler_core.explain.doubts.answer import mode_doubt
from scheduler_core.explain.outcomes.texts import plural
from scheduler_core.simulate import RunInputs


def say_mode(options: argparse.Namespace, *several: RunInputs) -> None:
    """Print on standard error which pods are scheduled and why, unless options say which or all of them wait; once for
    equal inputs."""
    for text in dict.fromkeys(_text(options, inputs) for inputs in several):
        if text:
            print(text, file=sys.stderr)


def mode_doubts(options: argparse.Namespace, inputs: RunInputs) -> tuple[AnswerDoubt, ...]:
    """The doubt about pods that are scheduled from scratch though nobody asked for it."""
    is_chosen = not (options.schedule or options.timeline) and inputs.schedule == "all"
    return (mode_doubt(_count(inputs)),) if is_chosen and inputs.objects.pods else ()


def with_mode(doubts: Iterable[AnswerDoubt], options: argparse.Namespace, inputs: RunInputs) -> tuple[AnswerDoubt, ...]:
    """The doubts after the one about the mode."""
    return (*mode_doubts(options, inputs), *doubts)


def _text(options: argparse.Namespace, inputs: RunInputs) -> str:
    if options.schedule or options.timeline or not inputs.objects.pods:
        return ""
    if doubts := mode_doubts(options, inputs):
        return doubts[0].text
    waiting = sum(not pod.node_name and not pod.is_terminal for pod in inputs.objects.pods)
    if waiting == _count(inputs):
        return ""
    wait = "waits: it is" if waiting == 1 else "wait: these are"
    return f"{waiting:,} of {plural(_count(inputs), 'pod')} {wait} scheduled (--schedule pending)"


def _count(inputs: RunInputs) -> int:
    return sum(not pod.is_terminal for pod in inputs.objects.pods)
