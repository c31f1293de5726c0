"""What quotas count."""

from __future__ import annotations

from scheduler_core.admission.ledger import QuotaLedger
from scheduler_core.api.objects import Container
from scheduler_core.api.quotas import QuotaScope, ResourceQuota
from scheduler_core.testing.builders import make_pod


def quota(*scopes: QuotaScope, **hard: int) -> ResourceQuota:
    names = {name.replace("_", ".").replace("of.", "count/"): value for name, value in hard.items()}
    return ResourceQuota(name="q", namespace="a", hard=names, scopes=scopes)


def pod(name: str, **fields):
    return make_pod(name, namespace="a", **fields)


def test_a_lowered_quota_keeps_what_is_used_and_lets_nothing_in():
    ledger, pods = QuotaLedger(), [pod("p"), pod("q")]
    ledger.put(quota(pods=2), pods)
    assert ledger.refusal(pod("r")) is not None
    ledger.put(quota(pods=1), pods)
    (book,) = ledger.of("a")
    assert book.used == {"pods": 2}
    assert ledger.release(pods[0].namespace, pods[0].key)
    assert ledger.refusal(pod("r")) is not None
    assert ledger.release(pods[1].namespace, pods[1].key)
    assert ledger.refusal(pod("r")) is None
    assert not ledger.release(pods[1].namespace, pods[1].key), "what is given back is given back once"


def test_a_version_of_a_pod_replaces_the_one_before():
    ledger = QuotaLedger()
    ledger.put(quota(requests_cpu=1000), [])
    ledger.book(pod("p", cpu="300m"))
    ledger.book(pod("p", cpu="500m"))
    assert ledger.of("a")[0].used == {"requests.cpu": 500}


def test_ended_pods_and_those_out_of_scope_count_for_nothing():
    ledger = QuotaLedger()
    ended, late = pod("e", phase="Succeeded"), pod("l", active_deadline_seconds=5)
    ledger.put(quota(QuotaScope("Terminating"), pods=1), [ended, late, pod("p")])
    assert ledger.of("a")[0].used == {"pods": 1}
    assert ledger.refusal(pod("q")) is None
    assert ledger.refusal(pod("q", active_deadline_seconds=5)) is not None


def test_objects_that_are_no_pods_are_counted_by_resource_and_start_at_what_the_status_says():
    ledger = QuotaLedger()
    ledger.count("a", "replicasets.apps", 1)
    given = ResourceQuota(
        name="q", namespace="a", hard={"count/replicasets.apps": 1, "secrets": 2}, used={"secrets": 1, "pods": 7}
    )
    ledger.put(given, [])
    refusal = ledger.refusal_of("a", "replicasets.apps", "web-2")
    assert refusal is not None
    assert refusal.text == (
        'replicasets.apps "web-2" is forbidden: exceeded quota: q, requested: count/replicasets.apps=1, '
        "used: count/replicasets.apps=1, limited: count/replicasets.apps=1"
    )
    assert ledger.refusal_of("a", "secrets", "s") is None
    ledger.count("a", "secrets", 1)
    assert ledger.refusal_of("a", "secrets", "s") is not None
    ledger.count("a", "replicasets.apps", -1)
    assert ledger.refusal_of("a", "replicasets.apps", "web-2") is None


def test_each_container_must_give_what_a_quota_counts_unless_the_pod_does():
    ledger = QuotaLedger()
    ledger.put(quota(limits_cpu=1000, requests_memory=10), [])
    bare = pod("p", containers=(Container("b"), Container("a")))
    refusal = ledger.refusal(bare)
    assert refusal is not None
    assert refusal.text.endswith("failed quota: q: must specify limits.cpu for: a,b; requests.memory for: a,b")
    whole = pod("p", containers=bare.containers, pod_limits={"cpu": 10}, pod_requests={"memory": 5})
    assert ledger.refusal(whole) is None
