"""Why a quota refuses a pod, in numbers."""

from __future__ import annotations

from scheduler_core.api.quantity import format_quantity
from scheduler_core.framework.contracts.facts import Fact


class QuotaFact(Fact, frozen=True, kw_only=True):
    """One resource against the max of a namespace's quota, or against the mins of all quotas added up.

    ``quota`` is its namespace/name, "" for the sum. ``promised`` is what nominated pods request that are counted in.
    ``limit`` None is no limit. ``is_named``: the limits name the resource; where they do not, it counts as 0.
    """

    code: str = "QUOTA_ELASTIC"
    quota: str = ""
    resource: str
    request: int
    used: int
    promised: int = 0
    limit: int | None
    is_named: bool = True

    @property
    def subject(self) -> str:
        """The resource, of the quota or of all of them."""
        return f"{self.resource} of {self.quota or 'all quotas'}"

    def words(self) -> str:
        """The fact in one plain sentence part."""
        users = f"namespace {self.quota.partition('/')[0]} uses" if self.quota else "all namespaces with a quota use"
        promised = f" and {self._amount(self.promised)} is promised to nominated pods" if self.promised else ""
        request = f"requests {self._amount(self.request)} of {self.resource}"
        return f"{request}, {users} {self._amount(self.used)}{promised}; {self._bound()}"

    def _bound(self) -> str:
        limit = "unlimited" if self.limit is None else self._amount(self.limit)
        if self.quota and self.is_named:
            return f"max of ElasticQuota {self.quota} is {limit}"
        if self.quota:
            return (
                f"max of ElasticQuota {self.quota} does not name {self.resource}, and what a max leaves out counts as 0"
            )
        if self.is_named:
            return f"the mins of all quotas add up to {limit}"
        return f"no quota names {self.resource} in its min, and what a min leaves out counts as 0"

    def _amount(self, amount: int) -> str:
        return format_quantity(self.resource, amount)
