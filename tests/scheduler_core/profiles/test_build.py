"""Frameworks as a configuration has them."""

from __future__ import annotations

import pytest

from scheduler_core.manifests import config_from_raw
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.defaults import DEFAULT_MULTI_POINT
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point, score_weights
from scheduler_core.profiles.registry import in_tree
from tests.scheduler_core.decided import config, enabled


def merged(**plugins):
    """(names by extension point, weights) of a profile with these plugin sets."""
    configuration, findings = config_from_raw(config(plugins=plugins), known_plugins=list(in_tree().factories))
    assert configuration is not None, findings
    (profile,) = configuration.profiles
    points = plugins_by_point(profile, lambda name, point: takes_part(in_tree(), name, point))
    return {point: [ref.name for ref in refs] for point, refs in points.items()}, score_weights(profile, points)


@pytest.mark.parametrize(
    ("point", "plugin", "sentence"),
    [("score", "NodeName", "plugins.score.enabled: NodeName does not take part in score")],
)
def test_words(point, plugin, sentence):
    with pytest.raises(ProfileError) as refused:
        merged(**{point: enabled(plugin)})
    assert sentence in str(refused.value)


def test_every_default_plugin_runs_somewhere():
    points, _ = merged()
    assert {ref.name for ref in DEFAULT_MULTI_POINT} == {name for names in points.values() for name in names}
