"""What the kubelets of a run do: when pods become Ready, succeed, fail, and are gone after a deletion."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from scheduler_core.api.objects import Pod
from scheduler_core.controllers.jobs import completion_index
from scheduler_core.controllers.templates import POD_INDEX_LABEL

SECOND_US = 1_000_000
MOST_RULES = 100
MOST_SECONDS = 1_000_000
_SECONDS = ("ready_after", "succeed_after", "fail_after", "grace", "ready_gap")


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

    def __post_init__(self) -> None:
        for name in _SECONDS:
            value = getattr(self, name)
            if not (value is None or value == "never" or 0 <= value <= MOST_SECONDS):
                raise ValueError(f"{name} must be from 0 to {MOST_SECONDS:,} seconds, not {value:g}")

    @property
    def text(self) -> str:
        """The rule in a few words: "app=web: ready after 30 s, grace 5 s"."""
        pods = [
            *([f"image {self.image}"] if self.image else []),
            *(f"{key}={value}" for key, value in self.labels.items()),
            *([f"on {self.node}"] if self.node else []),
            *([f"index {self.index}"] if self.index is not None else []),
        ]
        does = [
            f"{name.replace('_', ' ')} {value if value == 'never' else f'{value:g} s'}"
            for name in _SECONDS
            if (value := getattr(self, name)) is not None
        ]
        return f"{', '.join(pods) or 'every pod'}: {', '.join(does) or 'as usual'}"

    def matches(self, pod: Pod) -> bool:
        """Whether the rule is for the pod."""
        return (
            (not self.image or any(one.image == self.image for one in pod.containers))
            and all(pod.labels.get(key) == value for key, value in self.labels.items())
            and (not self.node or pod.node_name == self.node)
            and (self.index is None or _index(pod) == self.index)
        )


def read_rules(text: str) -> tuple[KubeletRule, ...]:
    """The rules of a JSON list, none of an empty text. Raises ValueError that names the rule and its field."""
    if not text.strip():
        return ()
    try:
        raw = msgspec.json.decode(text)
    except msgspec.DecodeError as problem:
        raise ValueError(f'"{text.strip()[:80]}" is no JSON; write [{{"ready_after": 30}}]') from problem
    if not isinstance(raw, list) or len(raw) > MOST_RULES:
        raise ValueError(f'it must be a list of at most {MOST_RULES} rules; write [{{"ready_after": 30}}]')
    return tuple(_rule(number, one) for number, one in enumerate(raw, start=1))


def _rule(number: int, raw: Any) -> KubeletRule:
    try:
        return msgspec.convert(raw, KubeletRule)
    except msgspec.ValidationError as problem:
        fields = ", ".join(KubeletRule.__struct_fields__)
        said = f"{problem}".replace(" - at `$.", ", in `").removeprefix("Object contains ")
        raise ValueError(f"rule {number}: {said[:1].lower()}{said[1:]}; its fields are {fields}") from problem


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
