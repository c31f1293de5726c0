"""Arguments of NodeResourcesFit, checked as upstream does (apis/config/validation/validation_pluginargs.go)."""

from __future__ import annotations

import msgspec

from scheduler_core.plugins.node_resources.allocation import DEFAULT_RESOURCES, ResourceSpec
from scheduler_core.plugins.node_resources.strategies import (
    LeastAllocated,
    MostAllocated,
    RequestedToCapacityRatio,
    ShapePoint,
    Strategy,
    shape_problem,
)

_MAX_WEIGHT = 100


class RequestedToCapacityRatioParam(msgspec.Struct, frozen=True):
    """Arguments of the strategy of that name."""

    shape: tuple[ShapePoint, ...] = ()

    def __post_init__(self) -> None:
        if problem := shape_problem(self.shape):
            raise ValueError(f"shape: {problem}")


class ScoringStrategy(msgspec.Struct, frozen=True):
    """Which strategy scores, over which resources (none means cpu and memory)."""

    type: str = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None

    def __post_init__(self) -> None:
        for resource in self.resources:
            if not 0 <= resource.weight <= _MAX_WEIGHT:
                raise ValueError(f"resource weight of {resource.name} not in valid range (0, {_MAX_WEIGHT}]")
        self.scorer()

    def scorer(self) -> Strategy:
        """The strategy's arithmetic. Raises ValueError for an unknown type or a missing shape."""
        if self.type == "LeastAllocated":
            return LeastAllocated()
        if self.type == "MostAllocated":
            return MostAllocated()
        if self.type != "RequestedToCapacityRatio":
            raise ValueError(
                f'type "{self.type}" is not supported. Use LeastAllocated, MostAllocated or RequestedToCapacityRatio'
            )
        if self.requested_to_capacity_ratio is None:
            raise ValueError("requestedToCapacityRatio: the shape is missing")
        return RequestedToCapacityRatio(self.requested_to_capacity_ratio.shape)


class NodeResourcesFitArgs(msgspec.Struct, frozen=True):
    """Extended resources that the filter ignores, by name or by the part before the slash; and how to score."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy()

    def __post_init__(self) -> None:
        for group in self.ignored_resource_groups:
            if "/" in group:
                raise ValueError(f"ignoredResourceGroups: resource group name can't contain '/': {group}")
