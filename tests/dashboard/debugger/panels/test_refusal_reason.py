"""What one plugin has against a node, in words."""

from __future__ import annotations

from dashboard.debugger.panels.refusal_reason import RefusalReason


def test_facts_go_before_the_raw_reason():
    assert RefusalReason("Fit", "unsched", "3 cpu missing", "Insufficient cpu").text == "3 cpu missing"
    assert RefusalReason("Fit", "unsched", "", "Insufficient cpu").text == "Insufficient cpu"
