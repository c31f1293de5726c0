"""Creations that admission refused, as the events of a run say, and what its quotas hold at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scheduler_core.admission.ledger import QuotaLedger
from scheduler_core.api.objects import Pod
from scheduler_core.api.quotas import ResourceQuota
from scheduler_core.api.unplayed import RefusedCreation
from scheduler_core.explain.outcomes.making.model import QuotaUse, Short
from scheduler_core.recording import events as ev

_MADE_BY = "made by "


class _Row(msgspec.Struct):
    """RefusalTally since the last pod that was made."""

    last: ev.CreationRefused
    since: int
    seq: int = 0
    count: int = 0


class RefusalTally:
    """Who was refused since its last success: a workload by kind and namespace/name, or "Pod namespace/name"."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}

    def take(self, seq: int, event: ev.CreationRefused) -> None:
        """A creation was refused."""
        row = self._rows.setdefault(event.maker or f"Pod {event.key}", _Row(event, event.at))
        row.last, row.seq = event, seq + 1
        row.count += 1

    def pod_came(self, event: ev.ObjectChanged) -> None:
        """A pod was made, or an input brought it."""
        if self._rows:
            is_made = event.cause.startswith(_MADE_BY)
            self._rows.pop(event.cause.removeprefix(_MADE_BY) if is_made else f"Pod {event.key}", None)

    def short(
        self, finished: ev.RunFinished | None, titles: Mapping[str, str], given: Mapping[str, RefusedCreation]
    ) -> list[Short]:
        """The workloads that lack pods at the run's end, with who refuses them. ``titles`` are those of owners by kind
        and namespace/name of what they own, ``given`` what the input itself says of owners by title."""
        rows = {titles.get(maker, maker): row for maker, row in self._rows.items()}
        missing = finished.missing if finished is not None else ()
        return [_short(one, rows.get(one.workload), given.get(one.workload)) for one in missing]


def _short(one: ev.Missing, row: _Row | None, given: RefusedCreation | None) -> Short:
    short = Short(one.workload, one.desired, one.bound, one.unmade, one.why)
    if not one.unmade or (row is None and given is None):
        return short
    if row is None:
        assert given is not None
        quota = f"ResourceQuota/{short.key.partition('/')[0]}/{given.quota}" if given.quota else ""
        return msgspec.structs.replace(short, code=given.code, by=quota, message=given.message)
    last = row.last
    return msgspec.structs.replace(
        short,
        code=last.code,
        by=last.by,
        message=last.message,
        maker=last.maker,
        refused=row.count,
        since=row.since,
        seq=row.seq,
    )


def quota_uses(quotas: Iterable[ResourceQuota], pods: Iterable[Pod], short: Iterable[Short]) -> list[QuotaUse]:
    """What is used of each quota by the pods that exist; by namespace, name and resource."""
    ledger, there = QuotaLedger(), list(pods)
    unmade: dict[str, int] = {}
    for one in short:
        unmade[one.by] = unmade.get(one.by, 0) + one.unmade
    quotas = sorted(quotas, key=lambda quota: quota.key)
    for quota in quotas:
        ledger.put(quota, there)
    return [
        QuotaUse(book.quota.key, resource, book.used[resource], hard, unmade.get(f"ResourceQuota/{book.quota.key}", 0))
        for namespace in dict.fromkeys(quota.namespace for quota in quotas)
        for book in ledger.of(namespace)
        for resource, hard in sorted(book.quota.hard.items())
    ]
