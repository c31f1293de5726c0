"""Feature gates are read as kube-scheduler's flag has them."""

from __future__ import annotations

import pytest

from scheduler_core.versions.gates import Gate, GateError, gates_text, read_gates


def test_a_flag_is_read_in_any_spelling_and_written_in_one():
    assert read_gates(" B=false, A=True,,") == {"B": False, "A": True}
    assert gates_text(read_gates("B=false,A=True")) == "A=true,B=false"
    assert read_gates("A=true,A=false") == {"A": False}
    assert read_gates("") == {}


@pytest.mark.parametrize("text", ["A", "A=", "A=yes", "=true", "A B=true", "A=true;B=false"])
def test_anything_else_is_refused_by_name(text):
    with pytest.raises(GateError, match="is no feature gate"):
        read_gates(text)


def test_a_gate_of_a_version_has_stage_default_and_lock():
    assert Gate.from_text("alpha off") == Gate("alpha", is_on=False)
    assert Gate.from_text("ga on locked") == Gate("ga", is_on=True, is_locked=True)
    for text in ("", "beta", "gamma on", "beta maybe", "ga locked on"):
        with pytest.raises(ValueError, match="is no gate"):
            Gate.from_text(text)
