"""Facts of scores equal an independent recount from the objects, and give the raw scores, on generated runs."""

from __future__ import annotations

import pytest

from tests.scheduler_core.explain.facts import recount, recount_scores


def _scored(cycles_with_facts, plugin: str):
    """(cycle, node, the plugin's score) wherever it scored, and what the oracle sees."""
    scored = [
        (met, cluster.nodes[node.node], cluster, one)
        for met, nodes, cluster in cycles_with_facts
        for node in nodes
        for one in node.scores
        if one.plugin == plugin
    ]
    assert scored, f"{plugin} scored"
    return scored


def test_shares_of_resources_are_recounted_and_average_to_the_raw_score(cycles_with_facts) -> None:
    for met, node, cluster, score in _scored(cycles_with_facts, "NodeResourcesFit"):
        facts = [told_fact.fact for told_fact in score.facts]
        assert score.raw == sum(fact.points for fact in facts) // len(facts)
        for fact in facts:
            assert fact.requested == recount_scores.share(met.pod, node, cluster, fact.resource, defaults=True)
            assert fact.points == max(0, (fact.allocatable - fact.requested) * 100 // fact.allocatable)


def test_the_deviation_of_shares_is_recounted_and_gives_the_raw_score(cycles_with_facts) -> None:
    for met, node, cluster, score in _scored(cycles_with_facts, "NodeResourcesBalancedAllocation"):
        *shares, last = [told_fact.fact for told_fact in score.facts]
        for fact in shares:
            assert fact.requested == recount_scores.share(met.pod, node, cluster, fact.resource, defaults=False)
        cpu, memory = (min(1.0, fact.requested / fact.allocatable) for fact in shares)
        assert last.deviation == abs(cpu - memory) / 2
        assert score.raw == int((1 - last.deviation) * 100)


def test_preferences_are_recounted_and_add_up_to_the_raw_score(cycles_with_facts) -> None:
    for met, node, _, score in _scored(cycles_with_facts, "NodeAffinity"):
        facts = [told_fact.fact for told_fact in score.facts]
        assert [(fact.weight, fact.met) for fact in facts] == recount_scores.preferences(met.pod, node)
        assert score.raw == sum(fact.weight for fact in facts if fact.met)


def test_taints_that_score_are_recounted(cycles_with_facts) -> None:
    for met, node, _, score in _scored(cycles_with_facts, "TaintToleration"):
        against = [fact.fact.key for fact in score.facts if fact.fact.by is None]
        expected = recount.untolerated(met.pod, node, ("PreferNoSchedule",))
        assert (against, score.raw) == ([key for key, _, _ in expected], len(expected))


def test_images_are_recounted_and_give_the_raw_score(cycles_with_facts) -> None:
    for met, node, cluster, score in _scored(cycles_with_facts, "ImageLocality"):
        facts = [told_fact.fact for told_fact in score.facts]
        assert [(f.image, f.here, f.nodes) for f in facts] == recount_scores.images(met.pod, node, cluster)
        assert ([f.counted for f in facts], score.raw) == recount_scores.image_bytes(met.pod, node, cluster)


def test_attraction_of_pods_is_recounted_and_is_the_raw_score(cycles_with_facts) -> None:
    for met, node, cluster, score in _scored(cycles_with_facts, "InterPodAffinity"):
        points = sum(told_fact.fact.points for told_fact in score.facts)
        assert points == score.raw == recount_scores.attraction(met.pod, node, cluster)


def test_soft_spread_is_recounted_and_gives_the_raw_score(cycles_with_facts) -> None:
    counted = 0
    for met, nodes, cluster in cycles_with_facts:
        scored = [cluster.nodes[node.node] for node in nodes if node.scores]
        for node in nodes:
            for score in (one for one in node.scores if one.plugin == "PodTopologySpread"):
                facts = [told_fact.fact for told_fact in score.facts]
                expected, raw = recount_scores.soft_spread(met.pod, cluster.nodes[node.node], cluster, scored)
                assert score.raw == raw
                if raw >= 0:
                    assert [(x.topology_key, x.domain, x.here) for x in facts] == [one[:3] for one in expected]
                    for fact, (*_, weight, term) in zip(facts, expected, strict=True):
                        assert (fact.weight, fact.term) == (pytest.approx(weight), pytest.approx(term))
                        counted += fact.here > 0
    assert counted


def test_normalised_scores_times_weights_are_the_totals(cycles_with_facts) -> None:
    for met, nodes, _ in cycles_with_facts:
        for node in nodes:
            if node.scores:
                row = met.simulation.context.cluster.table.row_of[node.node]
                assert node.total == int(met.frame.totals()[row])
