"""The work queue of a controller: what failed is tried again after a wait that doubles with each failure (workqueue's
ItemExponentialFailureRateLimiter), whatever woke it in between; a success ends that."""

from __future__ import annotations

import msgspec

from scheduler_core.controllers.retries import delay_us


class Retry(msgspec.Struct):
    """Failures of an owner since its last success, and what the first one said: the condition ReplicaFailure keeps that
    (replica_set_utils.go calculateStatus)."""

    failures: int = 0
    text: str = ""


class Retries:
    """The owners whose last try failed, by key."""

    def __init__(self) -> None:
        self.by_key: dict[str, Retry] = {}

    def failed(self, key: str, text: str) -> int:
        """Note a failure; how long to wait, in microseconds."""
        retry = self.by_key.setdefault(key, Retry(text=text))
        retry.failures += 1
        return delay_us(key.partition("/")[0], retry.failures)

    def succeeded(self, key: str) -> bool:
        """Note a success; whether there were failures before."""
        return self.by_key.pop(key, None) is not None

    def text(self, key: str) -> str:
        """What the first failure said, "" without one."""
        retry = self.by_key.get(key)
        return "" if retry is None else retry.text
