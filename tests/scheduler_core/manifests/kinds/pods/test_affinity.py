"""Affinity and spread constraints of a pod, with what admission adds to them."""

from __future__ import annotations

from scheduler_core.api.labels import Requirement
from tests.scheduler_core.manifests.manifest_helpers import objects, pod_text


def test_match_label_keys_are_merged_for_labels_that_the_pod_has():
    spec = """
        topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}},
           matchLabelKeys: [rev, absent]}
        affinity:
          podAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 5
              podAffinityTerm: {topologyKey: z, labelSelector: {}, matchLabelKeys: [rev], mismatchLabelKeys: [team]}
        """
    text = pod_text(spec).replace("name: web-0", "name: web-0\n  labels: {app: a, rev: r1, team: t}")
    (pod,) = objects(text).pods
    constraint = pod.topology_spread_constraints[0]
    assert constraint.label_selector.requirements == (
        Requirement("app", "In", ("a",)),
        Requirement("rev", "In", ("r1",)),
    )
    term = pod.affinity.pod_preferred[0]
    assert term.weight == 5
    assert term.term.label_selector.requirements == (
        Requirement("rev", "In", ("r1",)),
        Requirement("team", "NotIn", ("t",)),
    )


def test_selectors_absent_and_empty_differ():
    spec = """
        affinity:
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}, {topologyKey: z, labelSelector: {}}]
        """
    absent, empty = objects(pod_text(spec)).pods[0].affinity.anti_required
    assert absent.label_selector is None
    assert empty.label_selector.matches({"any": "thing"})
