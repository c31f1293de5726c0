"""On generated clusters: vectorised == per node == a plain count over objects; add_pod/remove_pod == recompute."""

from __future__ import annotations

from random import Random

from scheduler_core.api.objects import Affinity
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.framework.contracts.status import Code
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.plugins.inter_pod_affinity.filtering import REASON_AFFINITY, REASON_ANTI_AFFINITY, REASON_EXISTING
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.following import exchanged, verdicts
from tests.scheduler_core.plugins.generated import random_cluster, random_pod
from tests.seeds import each_seed, how_many

SEEDS = range(how_many(40, 80))


def means(cluster, owner, term, other, *, owner_is_incoming):
    """Whether a term of ``owner`` matches ``other``, straight from the objects."""
    if term.label_selector is None or not term.label_selector.matches(other.labels):
        return False
    if not term.namespaces and term.namespace_selector is None:
        return other.namespace == owner.namespace
    if other.namespace in term.namespaces:
        return True
    if term.namespace_selector is None:
        return False
    labels = cluster.listers.namespaces[other.namespace].labels
    # the incoming pod's selector is also held against no labels at all, as upstream does it in v1.34
    return term.namespace_selector.matches(labels) or (owner_is_incoming and term.namespace_selector.matches({}))


def placed(cluster):
    """(pod, its affinity, its node) of all placed pods."""
    for row in cluster.table.order.tolist():
        for info in cluster.pods_on(row).values():
            yield info.pod, info.pod.affinity or Affinity(), cluster.table.nodes[row]


def near(term, one, other):
    """Whether two nodes are in one domain of the term."""
    value = one.labels.get(term.topology_key)
    return value is not None and other.labels.get(term.topology_key) == value


def plain_verdict(cluster, pod, node):
    own = pod.affinity or Affinity()

    def matches_all(other):
        return all(means(cluster, pod, t, other, owner_is_incoming=True) for t in own.pod_required)

    matching = [(other, at) for other, _, at in placed(cluster) if own.pod_required and matches_all(other)]
    satisfied = all(any(near(t, at, node) for _, at in matching) for t in own.pod_required)
    somewhere = any(t.topology_key in at.labels for t in own.pod_required for _, at in matching)
    if any(t.topology_key not in node.labels for t in own.pod_required) or not (
        satisfied or (not somewhere and matches_all(pod))
    ):
        return REASON_AFFINITY
    for term in own.anti_required:
        if any(
            means(cluster, pod, term, o, owner_is_incoming=True) and near(term, at, node)
            for o, _, at in placed(cluster)
        ):
            return REASON_ANTI_AFFINITY
    for other, theirs, at in placed(cluster):
        for term in theirs.anti_required:
            if means(cluster, other, term, pod, owner_is_incoming=False) and near(term, at, node):
                return REASON_EXISTING
    return ""


@each_seed(SEEDS, together=20)
def test_both_forms_of_filter_say_what_a_plain_count_says(seed):
    random = Random(seed)
    cluster = random_cluster(random, n_pods=random.choice((4, 12)))
    plugin = InterPodAffinity(InterPodAffinityArgs(), FakeHandle(cluster))
    for i in range(4):
        pod = cluster.info(random_pod(random, f"pod-{i}"))
        nodes = {node.name: node for node in cluster.table.nodes if node is not None}
        expected = {name: plain_verdict(cluster, pod.pod, node) for name, node in nodes.items()}
        result = plugin.pre_filter(CycleState(), pod)
        if result.status.is_skip:
            assert set(expected.values()) == {""}
        else:
            verdict_of = verdicts(plugin, result.state, pod)
            assert {name: "".join(reasons) for name, (_, reasons) in verdict_of.items()} == expected


@each_seed(SEEDS, together=20)
def test_adding_and_removing_pods_equals_counting_again(seed):
    random = Random(1000 + seed)
    cluster = random_cluster(random, n_pods=12)
    plugin = InterPodAffinity(InterPodAffinityArgs(), FakeHandle(cluster))
    pod, result = pod_that_is_not_skipped(random, cluster, plugin)
    row = random.choice(cluster.table.order.tolist())
    view = cluster.view(row)
    leaving = list(cluster.pods_on(row).values())[:2]
    arriving = [cluster.info(random_pod(random, f"new-{i}")) for i in range(3)]
    state, _ = exchanged(plugin, result.state, pod, view, leaving, arriving)
    again = plugin.pre_filter(CycleState(), pod)
    if again.status.is_skip:
        assert {code for code, _ in verdicts(plugin, state, pod).values()} == {Code.SUCCESS}
    else:
        assert verdicts(plugin, state, pod) == verdicts(plugin, again.state, pod)


def pod_that_is_not_skipped(random, cluster, plugin):
    """A random pod and its PreFilterResult."""
    for i in range(1000):
        pod = cluster.info(random_pod(random, f"pod-{i}"))
        result = plugin.pre_filter(CycleState(), pod)
        if not result.status.is_skip:
            return pod, result
    raise AssertionError("no pod with required terms among a thousand")


def plain_scores(cluster, pod, hard_weight):
    """(raw score by row, whether any term matched anything)."""
    own = pod.affinity or Affinity()
    score_of = dict.fromkeys(cluster.table.order.tolist(), 0)
    matched = False

    def pull(term, weight, at):
        nonlocal matched
        for row in score_of:
            if near(term, at, cluster.table.nodes[row]):
                score_of[row] += weight
                matched = True

    for other, theirs, at in placed(cluster):
        for sign, mine in ((1, own.pod_preferred), (-1, own.anti_preferred)):
            for w in mine:
                if means(cluster, pod, w.term, other, owner_is_incoming=True):
                    pull(w.term, sign * w.weight, at)
        for sign, terms in ((1, theirs.pod_preferred), (-1, theirs.anti_preferred)):
            for w in terms:
                if means(cluster, other, w.term, pod, owner_is_incoming=False):
                    pull(w.term, sign * w.weight, at)
        for term in theirs.pod_required if hard_weight else ():
            if means(cluster, other, term, pod, owner_is_incoming=False):
                pull(term, hard_weight, at)
    return list(score_of.values()), matched


@each_seed(SEEDS, together=20)
def test_both_forms_of_score_say_what_a_plain_count_says(seed):
    random = Random(2000 + seed)
    cluster = random_cluster(random, n_pods=random.choice((1, 4, 12)))
    args = InterPodAffinityArgs(random.choice((0, 1, 50)), random.random() < 0.3)
    plugin = InterPodAffinity(args, FakeHandle(cluster))
    rows = cluster.table.order
    for i in range(4):
        pod = cluster.info(random_pod(random, f"pod-{i}"))
        affinity = pod.pod.affinity or Affinity()
        expected, matched = plain_scores(cluster, pod.pod, args.hard_pod_affinity_weight)
        ignored = args.ignore_preferred_terms_of_existing_pods and not (
            affinity.pod_preferred or affinity.anti_preferred
        )
        result = plugin.pre_score(CycleState(), pod, rows)
        assert result.status.is_skip == (ignored or not matched)
        if not result.status.is_skip:
            raw = plugin.score(result.state, pod, rows)
            assert raw.tolist() == expected
            assert expected == [plugin.score_node(result.state, pod, cluster.view(row)) for row in rows.tolist()]


def test_two_profiles_share_tallies_without_missing_classes_that_came_later():
    random = Random(7)
    cluster = random_cluster(random, n_pods=4)
    first, second = (InterPodAffinity(InterPodAffinityArgs(), FakeHandle(cluster)) for _ in range(2))
    pod, _ = pod_that_is_not_skipped(random, cluster, first)
    for i in range(10):
        name = cluster.name_of(random.choice(cluster.table.order.tolist()))
        cluster.put_pod(cluster.info(random_pod(random, f"late-{i}")), name)
    state = second.pre_filter(CycleState(), pod).state
    nodes = {node.name: node for node in cluster.table.nodes if node is not None}
    expected = {name: plain_verdict(cluster, pod.pod, node) for name, node in nodes.items()}
    assert {name: "".join(r) for name, (_, r) in verdicts(second, state, pod).items()} == expected
