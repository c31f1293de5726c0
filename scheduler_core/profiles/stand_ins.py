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
    waiting = (pod for pod in pods if (all_wait or not pod.node_name) and pod.scheduler_name not in served)
    return Counter(pod.scheduler_name for pod in waiting)


def with_stand_ins(configuration: SchedulerConfiguration, stand_ins: Mapping[str, str]) -> SchedulerConfiguration:
    """The configuration with a copy of a profile for each other scheduler: {its name: the profile's}.

    Raises ProfileError for a profile that is not there, and for a scheduler that a profile serves already.
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
