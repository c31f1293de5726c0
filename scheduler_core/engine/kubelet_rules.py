"""What the kubelets of a run do: when pods become Ready, succeed, fail, and are gone after a deletion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.jobs import completion_index
from scheduler_core.controllers.templates import POD_INDEX_LABEL

SECOND_US = 1_000_000


class KubeletRule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A rule for the pods that match: by ``image`` of a container, ``labels``, ``node`` and ``index`` (of a Job's
    pod or the ordinal of a StatefulSet's; not given: every pod). Of several rules that match, each field
    counts where it is given last.

    In seconds: ``ready_after`` from binding until Ready, or "never"; ``succeed_after`` and ``fail_after`` (exit code 1)
    from binding until the end; ``grace`` from a deletion until the pod is gone; ``ready_gap``: pods become Ready at
    least that far apart, in the order of binding.
    """

    image: str = ""
    labels: dict[str, str] = {}
    node: str = ""
    index: int | None = None
    ready_after: float | Literal["never"] | None = None
    succeed_after: float | None = None
    fail_after: float | None = None
    grace: float | None = None
    ready_gap: float | None = None

    def matches(self, pod: Pod) -> bool:
        """Whether the rule is for the pod."""
        return (
            (not self.image or any(one.image == self.image for one in pod.containers))
            and all(pod.labels.get(key) == value for key, value in self.labels.items())
            and (not self.node or pod.node_name == self.node)
            and (self.index is None or _index(pod) == self.index)
        )


class KubeletBehaviour(msgspec.Struct, frozen=True):
    """What the rules say of one pod, in microseconds; ``ready`` None: never. None elsewhere: the rules do not say."""

    ready: int | None = 0
    succeed: int | None = None
    fail: int | None = None
    grace: int | None = None
    gap: int = 0


def behaviour(rules: Iterable[KubeletRule], pod: Pod) -> KubeletBehaviour:
    """What the kubelet does with the pod. One that fails does not succeed, whatever an earlier rule says."""
    ready: float | Literal["never"] = 0
    succeed = fail = grace = None
    gap = 0.0
    for rule in rules:
        if not rule.matches(pod):
            continue
        ready = rule.ready_after if rule.ready_after is not None else ready
        succeed = rule.succeed_after if rule.succeed_after is not None else succeed
        fail = rule.fail_after if rule.fail_after is not None else fail
        grace = rule.grace if rule.grace is not None else grace
        gap = rule.ready_gap if rule.ready_gap is not None else gap
    return KubeletBehaviour(
        None if ready == "never" else _us(ready),
        None if succeed is None or fail is not None else _us(succeed),
        None if fail is None else _us(fail),
        None if grace is None else _us(grace),
        _us(gap),
    )


def _index(pod: Pod) -> int:
    """The completion index or the ordinal of the pod, -1 without one."""
    text = pod.labels.get(POD_INDEX_LABEL, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else completion_index(pod)


def _us(seconds: float) -> int:
    return round(seconds * SECOND_US)
