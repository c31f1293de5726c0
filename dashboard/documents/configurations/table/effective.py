"""What a configuration means, as plain values: what the table shows, and what an edit of it may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from dashboard.documents.configurations.checking import implements
from scheduler_core.api.config import EXTENSION_POINTS, Profile, SchedulerConfiguration
from scheduler_core.profiles.plugin_sets import plugins_by_point, score_weights

QUEUE_SORT = "queueSort"
SCORE = "score"

SETTINGS = {
    "percentageOfNodesToScore": "percentage_of_nodes_to_score",
    "podInitialBackoffSeconds": "pod_initial_backoff_seconds",
    "podMaxBackoffSeconds": "pod_max_backoff_seconds",
    "parallelism": "parallelism",
}
"""Settings of all profiles: the configuration's name -> the attribute."""


class EffectiveProfile(msgspec.Struct, frozen=True):
    """A profile with defaults merged and multiPoint expanded.

    `points` has every extension point with its plugins in the order of calls; `weights` the score plugins' weights;
    `arguments` what the text gives by plugin, in its words.
    """

    name: str
    percentage: int | None
    points: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, int]
    arguments: Mapping[str, Mapping[str, Any]]


class Effective(msgspec.Struct, frozen=True):
    """A configuration: `settings` by the names of SETTINGS, and its profiles."""

    settings: Mapping[str, int | None]
    profiles: tuple[EffectiveProfile, ...]


def effective(configuration: SchedulerConfiguration) -> Effective:
    """Return what a configuration means; raises ProfileError."""
    settings = {name: getattr(configuration, attribute) for name, attribute in SETTINGS.items()}
    return Effective(settings, tuple(map(_profile, configuration.profiles)))


def _profile(profile: Profile) -> EffectiveProfile:
    points = plugins_by_point(profile, implements)
    return EffectiveProfile(
        name=profile.scheduler_name,
        percentage=profile.percentage_of_nodes_to_score,
        points={point: tuple(ref.name for ref in points[point]) for point in EXTENSION_POINTS},
        weights=score_weights(profile, points),
        arguments={name: given for name, given in profile.plugin_config.items() if given},
    )
