"""Profiles that stand in for other schedulers: pods that ask for one are decided as pods of a chosen profile are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Pod
from scheduler_core.profiles.plugin_sets import ProfileError


def other_schedulers(
    pods: Iterable[Pod], configuration: SchedulerConfiguration, *, all_wait: bool = False
) -> Counter[str]:
    """Pods that wait for a scheduler which no profile serves, by its name; ``all_wait``: as if none were bound."""
    served = {profile.scheduler_name for profile in configuration.profiles}
    waiting = (pod for pod in pods if (all_wait or not pod.node_name) and not pod.is_terminal)
    return Counter(pod.scheduler_name for pod in waiting if pod.scheduler_name not in served)


def with_stand_ins(configuration: SchedulerConfiguration, stand_ins: Mapping[str, str]) -> SchedulerConfiguration:
    """The configuration with a copy of a profile for each other scheduler: {its name: the profile's}.

    Raises ProfileError for a profile that is not there, and for a scheduler that a profile serves already.
    ``without_stand_ins`` is the way back.
    """
    by_name = {profile.scheduler_name: profile for profile in configuration.profiles}
    copies = []
    for scheduler, profile in stand_ins.items():
        if profile not in by_name:
            raise ProfileError(f"there is no profile {profile}; profiles are {', '.join(by_name)}")
        if scheduler in by_name:
            raise ProfileError(f"a profile is named {scheduler} already, so none can stand in for it")
        copies.append(msgspec.structs.replace(by_name[profile], scheduler_name=scheduler))
    return msgspec.structs.replace(configuration, profiles=(*configuration.profiles, *copies))


def without_stand_ins(configuration: SchedulerConfiguration, stand_ins: Mapping[str, str]) -> SchedulerConfiguration:
    """The configuration without the copies that ``with_stand_ins`` added."""
    own = tuple(profile for profile in configuration.profiles if profile.scheduler_name not in stand_ins)
    return msgspec.structs.replace(configuration, profiles=own)


def still_needed(configuration: SchedulerConfiguration, stand_ins: Mapping[str, str]) -> dict[str, str]:
    """The stand-ins for schedulers that no profile of another configuration serves."""
    served = {profile.scheduler_name for profile in configuration.profiles}
    return {scheduler: profile for scheduler, profile in stand_ins.items() if scheduler not in served}
