"""Arguments of NodeResourcesFit that upstream refuses are refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from scheduler_core.plugins.node_resources.fit_args import NodeResourcesFitArgs, ScoringStrategy


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"ignored_resource_groups": ["a/b"]}, "can't contain '/'"),
        ({"scoring_strategy": {"type": "Best"}}, "not supported"),
        ({"scoring_strategy": {"resources": [{"name": "cpu", "weight": 101}]}}, "weight of cpu"),
        ({"scoring_strategy": {"type": "RequestedToCapacityRatio"}}, "shape is missing"),
        ({"scoring_strategy": {"requested_to_capacity_ratio": {"shape": []}}}, "at least one point"),
    ],
)
def test_bad_arguments_are_refused(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(raw, NodeResourcesFitArgs)


def test_no_resources_mean_the_default_ones() -> None:
    assert msgspec.convert({"scoring_strategy": {"resources": []}}, NodeResourcesFitArgs).scoring_strategy == (
        ScoringStrategy(resources=())
    )
