"""What each quota counts: used and hard by name, booked when a pod is admitted, given back when it is gone or ended.

    quota team/count of 2 pods, 2 pods: used 2 of 2
    one of them terminates:             used 2 of 2, until it is gone
    the quota is lowered to 1:          used 1 of 1 then; nothing new until a pod leaves

Only namespaces with quotas are held, so that others cost one look-up. A pod is booked under its key with what it
counted for, so that giving back never computes again. Cost: the quotas of the namespace for each pod that comes or
goes; a quota that is put during a run adds up the pods of its namespace once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scheduler_core.admission import amounts, usage
from scheduler_core.admission.verdicts import RefusedObject, refused
from scheduler_core.api.objects import Pod
from scheduler_core.api.quotas import ResourceQuota

_MOST_KEPT = 4_096


class Book:
    """A quota with what is used of its hard amounts; ``pods`` have what each pod counts for."""

    __slots__ = ("_by_containers", "_must_be_given", "_names", "pods", "quota", "used")

    def __init__(self, quota: ResourceQuota, used: dict[str, int]) -> None:
        self.quota = quota
        self.used = used
        self.pods: dict[str, dict[str, int]] = {}
        self._names = [amount for name in quota.hard if (amount := usage.pod_amount(name)) is not None]
        self._must_be_given = [amount for amount in self._names if amount.must_be_given]
        self._by_containers: dict[int, tuple[object, dict[str, int], str]] = {}

    def counted(self, pod: Pod) -> dict[str, int] | None:
        """What the pod counts for here; None where the quota is not for it."""
        scopes = self.quota.scopes
        if scopes and not all(usage.matches(pod, scope) for scope in scopes):
            return None
        return usage.counted(pod, self._names)

    def asked(self, pod: Pod) -> tuple[dict[str, int], str] | None:
        """``counted``, and what of it the pod does not give, as a text ("": nothing). Pods of one template have the
        same containers, so what plain ones count for is computed once."""
        is_plain = not (pod.init_containers or pod.overhead or pod.pod_requests or pod.pod_limits or pod.is_terminal)
        if self.quota.scopes or not is_plain or pod.allocated_requests is not None:
            counted = self.counted(pod)
            return None if counted is None else (counted, usage.not_given(pod, self._must_be_given))
        known_before = self._by_containers.get(id(pod.containers))
        if known_before is None or known_before[0] is not pod.containers:
            if len(self._by_containers) >= _MOST_KEPT:
                self._by_containers.clear()
            amounts_of_it = usage.counted(pod, self._names), usage.not_given(pod, self._must_be_given)
            known_before = self._by_containers[id(pod.containers)] = (pod.containers, *amounts_of_it)
        return known_before[1], known_before[2]

    def add(self, used: Mapping[str, int], sign: int = 1) -> None:
        """Add amounts to what is used, or take them off."""
        for name, value in used.items():
            self.used[name] += sign * value

    def exceeded(self, requested: Mapping[str, int]) -> tuple[str, ...]:
        """Names of which there is too little left."""
        hard, used = self.quota.hard, self.used
        for name, value in requested.items():
            if used[name] + value > hard[name]:
                return tuple(sorted([name for name, value in requested.items() if used[name] + value > hard[name]]))
        return ()


class QuotaLedger:
    """The quotas of all namespaces, with what is used of each."""

    def __init__(self) -> None:
        self._books: dict[str, dict[str, Book]] = {}
        self._counted: dict[tuple[str, str], int] = {}
        self._asked: tuple[Pod | None, list[tuple[Book, tuple[dict[str, int], str]]]] = None, []

    def put(self, quota: ResourceQuota, pods: Iterable[Pod]) -> None:
        """Take a quota over, or a new version of it; ``pods`` are all that exist."""
        books = self._books.setdefault(quota.namespace, {})
        before = books.get(quota.name)
        if before is not None and (quota.hard, quota.scopes) == (before.quota.hard, before.quota.scopes):
            before.quota = quota
            return
        books[quota.name] = book = Book(quota, {name: self._others(quota, name) for name in quota.hard})
        for pod in pods:
            if pod.namespace == quota.namespace and (used := book.counted(pod)):
                book.pods[pod.key] = used
                book.add(used)

    def drop(self, quota: ResourceQuota) -> None:
        """Forget a quota."""
        books = self._books.get(quota.namespace, {})
        books.pop(quota.name, None)
        if not books:
            self._books.pop(quota.namespace, None)

    def of(self, namespace: str) -> list[Book]:
        """The quotas of a namespace, by name."""
        books = self._books.get(namespace)
        if not books:
            return []
        return list(books.values()) if len(books) == 1 else [books[name] for name in sorted(books)]

    def has(self, namespace: str) -> bool:
        """Whether the namespace has quotas."""
        return namespace in self._books

    def refusal(self, pod: Pod) -> RefusedObject | None:
        """Which quota refuses the pod: the first by name that its containers say too little for, else the first that
        would be exceeded; None where all let it in (resourcequota/controller.go CheckRequest)."""
        asked = [
            (book, amounts_of_it) for book in self.of(pod.namespace) if (amounts_of_it := book.asked(pod)) is not None
        ]
        self._asked = pod, asked
        for book, (_, lacking) in asked:
            if lacking:
                return _refused("pods", pod.name, f"failed quota: {book.quota.name}: {lacking}", book)
        for book, (counted, _) in asked:
            if names := book.exceeded(counted):
                return _exceeded("pods", pod.name, book, counted, names)
        return None

    def book(self, pod: Pod) -> None:
        """Count a pod, whether there is room for it or not; one that is counted already counts as it is now."""
        asked, counts = self._asked
        if asked is None or asked.key != pod.key or asked.containers is not pod.containers:
            books = self._books.get(pod.namespace, {}).values()
            counts = [(book, amounts_of_it) for book in books if (amounts_of_it := book.asked(pod)) is not None]
        self._asked = None, []
        key = pod.key
        for book in self._books.get(pod.namespace, {}).values():
            if key in book.pods:
                self.release(pod.namespace, key)
        for book, (counted, _) in counts:
            if counted:
                book.pods[key] = counted
                book.add(counted)

    def release(self, namespace: str, key: str) -> bool:
        """Give back what a pod (namespace/name) counted for, as it is gone or has ended; whether it counted for
        something."""
        was_counted = False
        for book in self._books.get(namespace, {}).values():
            if (before := book.pods.pop(key, None)) is not None:
                book.add(before, -1)
                was_counted = True
        return was_counted

    # --- objects that are no pods ----------------------------------------------------------------------------------
    def refusal_of(self, namespace: str, resource: str, name: str) -> RefusedObject | None:
        """Which quota refuses one more object of a resource ("services", "replicasets.apps")."""
        for book in self.of(namespace):
            counted = {count: 1 for count in count_names(resource) if count in book.quota.hard}
            if names := book.exceeded(counted):
                return _exceeded(resource, name, book, counted, names)
        return None

    def count(self, namespace: str, resource: str, change: int) -> None:
        """Count objects of a resource that came or went."""
        key = namespace, resource
        self._counted[key] = self._counted.get(key, 0) + change
        for book in self._books.get(namespace, {}).values():
            book.add({name: change for name in count_names(resource) if name in book.quota.hard})

    def _others(self, quota: ResourceQuota, name: str) -> int:
        """What is used at the start, without pods: what was counted, else what the quota's status reports."""
        if usage.pod_amount(name) is not None:
            return 0
        return self._counted.get((quota.namespace, resource_of(name)), quota.used.get(name, 0))


def count_names(resource: str) -> tuple[str, ...]:
    """The names under which quotas count objects of a resource; core resources have a short one too."""
    return (f"count/{resource}",) if "." in resource else (f"count/{resource}", resource)


def resource_of(name: str) -> str:
    """The resource whose objects a quota's amount of this name counts."""
    return name.removeprefix("count/")


def _exceeded(what: str, name: str, book: Book, counted: Mapping[str, int], names: tuple[str, ...]) -> RefusedObject:
    said = [
        f"{word}: {amounts.listed({one: of[one] for one in names})}"
        for word, of in (("requested", counted), ("used", book.used), ("limited", book.quota.hard))
    ]
    return _refused(what, name, f"exceeded quota: {book.quota.name}, {', '.join(said)}", book, names)


def _refused(what: str, name: str, why: str, book: Book, names: tuple[str, ...] = ()) -> RefusedObject:
    return refused(what, name, why, "quota", f"ResourceQuota/{book.quota.key}", names)
