"""What a configuration means: defaults merged, multiPoint expanded."""

from __future__ import annotations

from dashboard.documents.configurations.table.effective import effective
from dashboard.documents.yaml_templates import CONFIGURATION_TEMPLATES
from tests.dashboard.documents.configurations.table.random_edits import configuration_of


def test_profiles_are_as_the_scheduler_understands_them():
    first, second = effective(configuration_of(CONFIGURATION_TEMPLATES["two-profiles"].text)).profiles
    assert first.weights["TaintToleration"] == 3
    assert "NodeName" not in first.weights
    assert "NodeResourcesBalancedAllocation" not in second.points["score"]
    assert "NodeResourcesFit" in second.points["filter"]
    assert second.arguments["NodeResourcesFit"]["scoringStrategy"]["type"] == "MostAllocated"
    assert first.arguments == {}
