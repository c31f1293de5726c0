"""What a profile has otherwise than another one: of the defaults, or of a saved revision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.documents.configurations.table.arguments import default_arguments
from dashboard.documents.configurations.table.effective import SCORE, Effective, EffectiveProfile
from dashboard.documents.configurations.table.values import merged
from scheduler_core.api.config import EXTENSION_POINTS


@dataclass(frozen=True)
class ProfileDifference:
    """One thing that differs: of which plugin ("" for the profile), where, and both values as text."""

    plugin: str
    place: str
    was: str
    now: str


def counterpart(profile: EffectiveProfile, base: Effective) -> EffectiveProfile:
    """Return the profile of the same name, or the first where there is none."""
    return next((one for one in base.profiles if one.name == profile.name), base.profiles[0])


def differences(profile: EffectiveProfile, base: EffectiveProfile) -> list[ProfileDifference]:
    """Return the differences: those of each point, then of the arguments, then the percentage of nodes to score."""
    out = [one for point in EXTENSION_POINTS for one in _at_point(point, profile, base)]
    out += _weights(profile, base)
    for plugin in dict.fromkeys((*base.arguments, *profile.arguments)):
        default = default_arguments(plugin)
        given, before = (merged(default, one.arguments.get(plugin, {})) for one in (profile, base))
        out += _arguments(plugin, given, before)
    if profile.percentage != base.percentage:
        was, now = (_text(one.percentage) for one in (base, profile))
        out.append(ProfileDifference("", "percentageOfNodesToScore", was, now))
    return out


def settings_differences(now: Effective, base: Effective) -> list[ProfileDifference]:
    """Return what differs in the settings of all profiles."""
    return [
        ProfileDifference("", name, _text(base.settings[name]), _text(value))
        for name, value in now.settings.items()
        if value != base.settings[name]
    ]


def _at_point(point: str, profile: EffectiveProfile, base: EffectiveProfile) -> Iterator[ProfileDifference]:
    now, was = profile.points[point], base.points[point]
    for name in was:
        if name not in now:
            yield ProfileDifference(name, point, "on", "off")
    for name in now:
        if name not in was:
            yield ProfileDifference(name, point, "off", "on")
    common_now, common_was = [name for name in now if name in was], [name for name in was if name in now]
    if common_now != common_was:
        yield ProfileDifference("", f"{point}, order", ", ".join(common_was), ", ".join(common_now))


def _weights(profile: EffectiveProfile, base: EffectiveProfile) -> Iterator[ProfileDifference]:
    for name, weight in profile.weights.items():
        if name in base.weights and base.weights[name] != weight:
            yield ProfileDifference(name, f"{SCORE}, weight", str(base.weights[name]), str(weight))


def _arguments(plugin: str, now: Any, was: Any, before: str = "") -> Iterator[ProfileDifference]:
    """Yield the paths at which arguments differ."""
    if isinstance(now, Mapping) and isinstance(was, Mapping):
        for key in dict.fromkeys((*was, *now)):
            yield from _arguments(plugin, now.get(key), was.get(key), f"{before}.{key}" if before else str(key))
    elif isinstance(now, Mapping) or isinstance(was, Mapping):
        yield from _arguments(plugin, now or {}, was or {}, before)
    elif now != was:
        yield ProfileDifference(plugin, before, _text(was), _text(now))


def _text(value: Any) -> str:
    if value is None:
        return "default"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "; ".join(
            ", ".join(f"{k} {v}" for k, v in one.items()) if isinstance(one, dict) else str(one) for one in value
        )
    return str(value)
