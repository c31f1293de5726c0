"""What answers for the extenders of a configuration: a tape, rules, or the servers themselves while a tape is made."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Protocol

import msgspec

from scheduler_core.api.config import Extender
from scheduler_core.cli.common.inputs import ANSWERED_BY, BadInput, check_findings, read_source
from scheduler_core.extenders.calls import (
    NOT_ON_TAPE,
    ExtenderCall,
    ExtenderReply,
    ExtenderSource,
    without_password,
)
from scheduler_core.extenders.declared.reading import read_declared
from scheduler_core.extenders.declared.rules import DeclaredExtender
from scheduler_core.extenders.declared.source import DeclaredSource
from scheduler_core.extenders.http.source import HttpSource
from scheduler_core.extenders.http.trust import TrustError
from scheduler_core.extenders.tape.blocks import TapeHeader, header_for
from scheduler_core.extenders.tape.errors import TapeError
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.extenders.tape.source import TapeSource
from scheduler_core.extenders.tape.writer import TapeWriter
from scheduler_core.manifests.model import printable
from scheduler_core.simulate import RunInputs

_OK = 200
_DIGEST_SHOWN = 12


class LeftTape(msgspec.Struct, frozen=True):
    """Where a run asks for what is not on its tape: the first such call, and how many there are."""

    cycle: int
    reason: str
    n_calls: int

    @property
    def text(self) -> str:
        """It in a sentence."""
        return f"LEFT THE TAPE at cycle {self.cycle:,}: {self.reason} ({self.n_calls:,} requests are not on it)"


class Answers(Protocol):
    """What answers, and what is to be said of it."""

    @property
    def source(self) -> ExtenderSource | None:
        """None where the configuration has no extenders."""

    @property
    def name(self) -> str:
        """It as an input of the run, with a digest; "" where nothing answers."""

    @property
    def progress(self) -> str:
        """What a progress line says after the rest."""

    @property
    def left_tape(self) -> LeftTape | None:
        """Where the run left its tape."""


class _Nothing:
    source: ExtenderSource | None = None
    name = progress = ""
    left_tape: LeftTape | None = None


class _Rules(_Nothing):
    def __init__(self, source: ExtenderSource, path: Path) -> None:
        self.source = source
        self.name = f"declared extenders {path.name} ({sha256(path.read_bytes()).hexdigest()[:_DIGEST_SHOWN]})"


class _Played:
    """A tape as a source that notes which requests are not on it."""

    progress = ""

    def __init__(self, tape: Tape, path: Path) -> None:
        self._source = TapeSource(tape)
        self.name = f"tape {path.name} ({tape.digest[:_DIGEST_SHOWN]})"
        self.left_tape: LeftTape | None = None

    @property
    def source(self) -> ExtenderSource:
        return self

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        replies = self._source.ask(calls)
        for call, reply in zip(calls, replies, strict=True):
            if reply.fault.startswith(NOT_ON_TAPE):
                left = self.left_tape or LeftTape(call.step, reply.fault.removeprefix(NOT_ON_TAPE), 0)
                self.left_tape = msgspec.structs.replace(left, n_calls=left.n_calls + 1)
        return replies


class _Recorded:
    """A tape that is written, with counts of what came back."""

    left_tape: LeftTape | None = None

    def __init__(self, tape: TapeWriter) -> None:
        self._tape = tape
        self.name = f"the servers, recorded to {tape.path.name}"
        self.n_failed = 0
        self.first_failure = ""

    @property
    def source(self) -> ExtenderSource:
        return self

    @property
    def progress(self) -> str:
        failed = f", {self.n_failed:,} failed" if self.n_failed else ""
        return f", {self._tape.n_calls:,} calls of extenders{failed}"

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        replies = self._tape.ask(calls)
        for call, reply in zip(calls, replies, strict=True):
            if reply.status != _OK:
                self.n_failed += 1
                status = f"{without_password(call.url)}: status {reply.status}"
                self.first_failure = self.first_failure or reply.fault_text(call) or status
        return replies

    def say(self) -> None:
        """Say what the tape holds."""
        failed = f", {self.n_failed:,} of them failed: {self.first_failure}" if self.n_failed else ""
        size = self._tape.path.stat().st_size
        print(printable(f"{self._tape.path}: {self._tape.n_calls:,} calls{failed} ({size:,} bytes)"), file=sys.stderr)


def add_extender_arguments(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> argparse._ActionsContainer:
    """The options that say what answers for extenders; other ones exclude them in the group that is given back."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--tape", type=Path, nargs=nargs, metavar="FILE", help="extenders answer as `simulate` recorded them in FILE"
    )
    group.add_argument(
        "--declared-extender", type=Path, nargs=nargs, metavar="FILE", help="extenders answer by the rules in FILE"
    )
    return group


def add_recording_arguments(parser: argparse.ArgumentParser) -> None:
    """As ``add_extender_arguments``, with those that record."""
    add_extender_arguments(parser).add_argument(
        "--record-extenders",
        type=Path,
        metavar="FILE",
        help="call the extenders of the configuration, from this machine, and write what they answer to the tape FILE",
    )
    parser.add_argument(
        "--call-bind",
        action="store_true",
        help="with --record-extenders: call bindVerb too. A server that is asked to bind a pod does bind it",
    )


@contextmanager
def extenders_answered(options: argparse.Namespace, inputs: RunInputs) -> Iterator[Answers]:
    """What answers for the extenders of the inputs, as the options say. Raises BadInput, also while a run asks."""
    extenders = inputs.configuration.extenders
    chosen = next((name for name in ANSWERED_BY if getattr(options, name, None) is not None), None)
    if getattr(options, "call_bind", False) and chosen != "record_extenders":
        raise BadInput("--call-bind: says what --record-extenders calls")
    if chosen is None:
        yield _Nothing()
        return
    option, path = f"--{chosen.replace('_', '-')}", getattr(options, chosen)
    if not extenders:
        raise BadInput(f"{option}: the configuration has no extenders, so nobody is asked")
    with ExitStack() as opened:
        try:
            if chosen == "tape":
                yield _Played(_tape(opened, path, inputs), path)
            elif chosen == "declared_extender":
                yield _Rules(DeclaredSource(_rules(path, extenders)), path)
            else:
                yield from _recording(opened, options, inputs)
        except (TapeError, TrustError) as problem:
            raise BadInput(str(problem)) from problem


def tape_header(inputs: RunInputs) -> TapeHeader:
    """What a tape of this run belongs to."""
    return header_for(inputs.configuration.extenders, inputs.objects.nodes)


def _recorded_now(options: argparse.Namespace, inputs: RunInputs) -> TapeHeader:
    return msgspec.structs.replace(tape_header(inputs), recorded_at=time(), source=options.files[0].name)


def _tape(opened: ExitStack, path: Path, inputs: RunInputs) -> Tape:
    tape = opened.enter_context(Tape(path))
    tape.check_belongs(tape_header(inputs))
    return tape


def _rules(path: Path, extenders: Sequence[Extender]) -> tuple[DeclaredExtender, ...]:
    declared, findings = read_declared(read_source(path), extenders)
    check_findings(findings)
    assert declared is not None, "no rules and no finding"
    return declared


def _recording(opened: ExitStack, options: argparse.Namespace, inputs: RunInputs) -> Iterator[Answers]:
    """The servers, asked while the run goes on; says at the end what the tape holds, also where the run is stopped."""
    extenders, path = inputs.configuration.extenders, options.record_extenders
    binding = next((i for i, one in enumerate(extenders) if one.bind_verb), None)
    if binding is not None and not options.call_bind:
        raise BadInput(
            f"{options.config}: extenders[{binding}].bindVerb: a server that is asked to bind a pod binds it in its "
            "cluster. --call-bind calls it all the same; without bindVerb the run binds by itself"
        )
    servers = opened.enter_context(HttpSource(extenders))
    try:
        tape = TapeWriter(path, _recorded_now(options, inputs), servers)
    except OSError as problem:
        raise BadInput(f"{path}: cannot be written: {problem.strerror or problem}") from problem
    recorded = _Recorded(tape)
    try:
        with tape:
            yield recorded
    except OSError as problem:
        raise BadInput(f"{path}: cannot be written: {problem.strerror or problem}") from problem
    finally:
        if path.exists():
            recorded.say()
