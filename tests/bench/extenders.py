"""What extenders cost a run: three of them, answered by a tape (python -m tests.bench --workload extenders).

The pods of the mix with extenders that filter, score, and do both, all asked by name (nodeCacheCapable); then the third
one with whole nodes in its requests. Each run is first recorded, then made again from the tape, which has to leave the
same recording. ``without`` is the same run without extenders, measured in the same process. Rates are cycles per second
of CPU time, on a fifth of the nodes and on all.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec

from scheduler_core.api.config import Extender, SchedulerConfiguration
from scheduler_core.extenders.calls import ExtenderCall, ExtenderReply, ExtenderSource
from scheduler_core.extenders.tape.blocks import header_for
from scheduler_core.extenders.tape.reader import Tape
from scheduler_core.extenders.tape.source import TapeSource
from scheduler_core.extenders.tape.writer import TapeWriter
from scheduler_core.simulate import RunInputs, RunSession
from tests.bench.calibration import REFERENCE_CPYTHON_S, calibration_cpython_s
from tests.bench.workloads import WORKLOADS, objects_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VERBS: tuple[dict[str, Any], ...] = (
    {"filter_verb": "filter", "prioritize_verb": "scores", "weight": 2},
    {"filter_verb": "filter"},
    {"prioritize_verb": "scores", "weight": 1},
)


class ByName:
    """Refuses a node in twenty and scores the others, by a checksum of their names."""

    def ask(self, calls: Sequence[ExtenderCall]) -> list[ExtenderReply]:
        """See ExtenderSource."""
        return [ExtenderReply(200, json.dumps(_answer(call)).encode()) for call in calls]


def _answer(call: ExtenderCall) -> Any:
    names = call.request["NodeNames"]
    if names is None:
        names = [one["metadata"]["name"] for one in call.request["Nodes"]["items"]]
    draws = {name: crc32(f"{name}{call.extender}".encode()) for name in names}
    if call.verb == "prioritize":
        return [{"Host": name, "Score": draw % 11} for name, draw in draws.items()]
    failed = {name: "is not for this pod" for name, draw in draws.items() if draw % 20 == 0}
    return {"NodeNames": [name for name in names if name not in failed], "FailedNodes": failed}


def lines(nodes: int, cycles: int) -> Iterator[dict[str, Any]]:
    """A line per number of nodes and form of the third extender's requests. Raises ValueError where a repetition from
    the tape leaves another recording."""
    for n_nodes in (nodes // 5, nodes):
        plain = _inputs(n_nodes, cycles, ())
        without = _rate(plain, None)[0]
        for whole in (False, True):
            extenders = tuple(
                Extender(url_prefix=f"http://{i}.example", node_cache_capable=not (whole and i == 2), **verbs)
                for i, verbs in enumerate(VERBS)
            )
            yield {
                "workload": "extenders, the third with whole nodes" if whole else "extenders by name",
                "nodes": n_nodes,
                "cycles": cycles,
                "without": without,
                **_with(_inputs(n_nodes, cycles, extenders), without),
            }


def _with(inputs: RunInputs, without: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.tape"
        header = header_for(inputs.configuration.extenders, inputs.objects.nodes)
        with TapeWriter(path, header, ByName()) as writer:
            recording, recording_hash = _rate(inputs, writer)
        with Tape(path) as tape:
            rate, repeated_hash = _rate(inputs, TapeSource(tape))
        if repeated_hash != recording_hash:
            raise ValueError("extenders: the repetition from the tape leaves another recording")
        cpython = calibration_cpython_s()
        return {
            "cycles_per_second": rate,
            "cycles_per_second_scaled": rate * cpython / REFERENCE_CPYTHON_S,
            "recording": recording,
            "times_slower": without / rate,
            "tape_bytes_per_cycle": path.stat().st_size / inputs.max_cycles,
        }


def _inputs(n_nodes: int, cycles: int, extenders: tuple[Extender, ...]) -> RunInputs:
    workload = WORKLOADS["mix"]
    return RunInputs(
        objects=objects_of(workload, n_nodes, cycles),
        configuration=msgspec.structs.replace(SchedulerConfiguration(), extenders=extenders),
        seed=3,
        max_cycles=cycles,
        policies=workload.policies,
    )


def _rate(inputs: RunInputs, source: ExtenderSource | None) -> tuple[float, str]:
    """Cycles per second of CPU time, and the recording's hash."""
    session = RunSession.start(inputs, extenders=source)
    started = time.process_time()
    while not session.advance(max_cycles=100):
        session.cut_chunk(keyframe=False)
    session.cut_chunk()
    return session.cycle / (time.process_time() - started), session.recording_hash()
