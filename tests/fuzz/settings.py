"""One run in the three settings of the engine, which must tell one history: kernel, none, and nothing cached."""

from __future__ import annotations

from contextlib import nullcontext

from scheduler_core.compiled import kernel, without_kernel
from scheduler_core.simulate import RunInputs, RunSession

MAX_STEPS = 20_000


def settings() -> tuple[str, ...]:
    """The names of the settings that can be had: "kernel" only where it was built."""
    return ("kernel", "without kernel", "uncached") if kernel() is not None else ("without kernel", "uncached")


def run_to_its_end(inputs: RunInputs, setting: str) -> tuple[str, str]:
    """(recording hash, why the run ended). Raises whatever the engine raises, AssertionError where it does not end."""
    with nullcontext() if setting == "kernel" else without_kernel():
        session = RunSession.start(inputs, cached=setting != "uncached")
        session.advance(max_cycles=MAX_STEPS)
        assert session.finish_reason, f"the run is not over after {MAX_STEPS} cycles"
        chunk = session.cut_chunk()
        assert chunk is not None
        assert chunk.end_seq == session.head_seq
        return session.recording_hash(), session.finish_reason


def histories(inputs: RunInputs) -> dict[str, tuple[str, str]]:
    """{setting: (hash, ending)} of the inputs in all settings."""
    return {setting: run_to_its_end(inputs, setting) for setting in settings()}
