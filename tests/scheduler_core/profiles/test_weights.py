"""Other weights of score plugins, in every way that a profile can name them; all else of the profile stays."""

from __future__ import annotations

import msgspec
import pytest

from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.profiles.build import takes_part
from scheduler_core.profiles.plugin_sets import ProfileError, plugins_by_point, score_weights
from scheduler_core.profiles.registry import installed
from scheduler_core.profiles.weights import MOST, with_weights

REGISTRY = installed()
PROFILES = {
    "default": Profile(),
    "own entry": Profile(plugins={"score": PluginSet(enabled=(PluginRef("NodeAffinity", 7),))}),
    "in multiPoint": Profile(plugins={"multiPoint": PluginSet(enabled=(PluginRef("NodeAffinity", 9),))}),
    "alone": Profile(
        plugins={
            "multiPoint": PluginSet(
                enabled=(PluginRef("NodeAffinity"), PluginRef("NodeResourcesFit"), PluginRef("PrioritySort")),
                disabled=(PluginRef("*"),),
            )
        }
    ),
}


def points(profile):
    return plugins_by_point(profile, lambda name, point: takes_part(REGISTRY, name, point))


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize(
    "weights", [{"NodeAffinity": 5}, {"NodeAffinity": 1, "NodeResourcesFit": 40}, {"NodeAffinity": 0}]
)
def test_named_plugins_have_their_weight_and_the_others_theirs(name, weights):
    before = PROFILES[name]
    (after,) = with_weights(SchedulerConfiguration(profiles=(before,)), "default-scheduler", weights, REGISTRY).profiles
    old, new = score_weights(before, points(before)), score_weights(after, points(after))
    assert new == {plugin: weight for plugin, weight in (old | weights).items() if weight}
    assert [ref.name for ref in points(after)["score"]] == [one for one in old if (old | weights)[one]]
    others = {point: refs for point, refs in points(after).items() if point != "score"}
    assert {point: [ref.name for ref in refs] for point, refs in others.items()} == {
        point: [ref.name for ref in refs] for point, refs in points(before).items() if point != "score"
    }


def test_other_profiles_and_settings_stay():
    other = Profile(scheduler_name="batch")
    before = SchedulerConfiguration(profiles=(Profile(), other), pod_max_backoff_seconds=33)
    after = with_weights(before, "default-scheduler", {"NodeAffinity": 5}, REGISTRY)
    assert after.profiles[1] == other
    assert msgspec.structs.replace(after, profiles=before.profiles) == before


@pytest.mark.parametrize(
    ("profile", "weights", "message"),
    [
        ("nobody", {}, "no profile nobody"),
        ("default-scheduler", {"NodeName": 3}, "NodeName is no score plugin"),
        ("default-scheduler", {"NodeAffinity": -1}, "not between 0 and"),
        ("default-scheduler", {"NodeAffinity": MOST + 1}, "not between 0 and"),
    ],
)
def test_what_is_not_there_is_refused(profile, weights, message):
    with pytest.raises(ProfileError, match=message):
        with_weights(SchedulerConfiguration(), profile, weights, REGISTRY)
