"""Since when pods are Ready: what the kubelets of a run say, by its rules. State beside the pods, as no pod's object
has it here; kept only where rollouts are played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.rollouts.pods_seen import SECOND_US, SeenPod
from scheduler_core.engine.consequences.evictions import grace_us
from scheduler_core.engine.kubelet_rules import KubeletRule, behaviour
from scheduler_core.engine.world import World


class Life(msgspec.Struct):
    """A pod's course: its uid, its number in order of arrival, and since when it is Ready (a whole second in
    microseconds of virtual time; None: it is not). ``seen`` is the pod as controllers saw it last."""

    uid: str
    number: int
    ready: int | None = None
    seen: SeenPod | None = None


class Readiness:
    """The courses of all pods by key. ``schedule`` puts "ready", "fail" and "complete" of a pod on the clock."""

    def __init__(self, world: World, schedule: Callable[..., None]) -> None:
        self.world = world
        self.schedule = schedule
        self.rules: tuple[KubeletRule, ...] = ()
        self.lives: dict[str, Life] = {}
        self.on_ready: Callable[[str], None] = lambda key: None
        self._number = 0
        self._last_ready = -1 << 62

    def whole_second(self, at: int) -> int:
        """The begin of the second of the wall clock that the moment lies in, as time stamps have it."""
        epoch = round(self.world.epoch * SECOND_US)
        return (epoch + at) // SECOND_US * SECOND_US - epoch

    def start(self, pods: Iterable[Pod]) -> None:
        """Take pods that are there: those on a node are Ready since they started."""
        for pod in pods:
            life = self._new(pod)
            if pod.node_name:
                life.ready = self._wall(pod.start_time or pod.creation_timestamp)

    def _wall(self, seconds: float | None) -> int:
        moment = self.world.epoch if seconds is None else seconds
        return self.whole_second(round((moment - self.world.epoch) * SECOND_US))

    def _new(self, pod: Pod) -> Life:
        self._number += 1
        life = self.lives[pod.key] = Life(pod.uid, self._number)
        return life

    def came(self, pod: Pod) -> None:
        """A pod was made, or brought by an input."""
        self._new(pod)

    def went(self, pod: Pod) -> Life | None:
        """A pod is gone; what is known of it."""
        return self.lives.pop(pod.key, None)

    def bound(self, pod: Pod, seq: int, running: int | None) -> bool:
        """The kubelet has the pod; whether it is Ready at once. ``running``: when pods of Jobs succeed where no rule
        says so (microseconds; None: never)."""
        does, now = behaviour(self.rules, pod), self.world.now()
        if does.fail is not None:
            self.schedule(now + does.fail, "fail", pod.key, uid=pod.uid, origin=seq)
        elif (succeeds := does.succeed if does.succeed is not None else running) is not None:
            self.schedule(now + succeeds, "complete", pod.key, uid=pod.uid, origin=seq)
        if does.ready is None:
            return False
        at = max(now + does.ready, self._last_ready + does.gap)
        self._last_ready = at
        if at > now:
            self.schedule(at, "ready", pod.key, uid=pod.uid, origin=seq)
            return False
        self._is_ready(pod.key, self.lives[pod.key])
        return True

    def _is_ready(self, key: str, life: Life) -> None:
        life.ready = self.whole_second(self.world.now())
        self.on_ready(key)

    def becomes_ready(self, key: str, uid: str) -> bool:
        """The time has come for a pod to be Ready; False where it is gone or terminates."""
        pod, life = self.world.pods.get(key), self.lives.get(key)
        if pod is None or life is None or life.uid != uid or pod.deletion_timestamp is not None:
            return False
        self._is_ready(key, life)
        return True

    def grace_us(self, pod: Pod) -> int:
        """How long after a deletion the pod is gone, in microseconds."""
        grace = behaviour(self.rules, pod).grace if self.rules else None
        return grace_us(pod) if grace is None else grace

    def seen(self, keys: Iterable[str]) -> list[SeenPod]:
        """The pods as a controller sees them, in order of arrival."""
        seen = []
        for key in keys:
            pod, life = self.world.pods[key], self.lives[key]
            one = life.seen
            if one is None or one.pod is not pod or one.ready != life.ready:
                one = life.seen = SeenPod(pod, self._wall(pod.creation_timestamp), life.ready, life.number)
            seen.append(one)
        return seen

    def dump(self) -> dict[str, Any]:
        """What does not follow from inputs and pods."""
        lives = {key: [life.uid, life.number, life.ready] for key, life in self.lives.items()}
        return {"lives": lives, "number": self._number, "last_ready": self._last_ready}

    def load(self, data: Mapping[str, Any]) -> None:
        """Take over what ``dump`` gave."""
        self.lives = {key: Life(*life) for key, life in data["lives"].items()}
        self._number, self._last_ready = data["number"], data["last_ready"]
