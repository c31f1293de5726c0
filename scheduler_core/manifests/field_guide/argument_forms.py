"""How a form shows arguments of plugins: choices in words, hints, and which fields are shown when.

Keys are (plugin, path of the argument); documents.py says what each argument is.
"""

from __future__ import annotations

from collections.abc import Mapping

CHOICES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("NodeResourcesFit", "scoringStrategy.type"): {
        "LeastAllocated": "Prefers nodes that have much left, so that load spreads.",
        "MostAllocated": "Prefers nodes that are full already, so that others stay empty.",
        "RequestedToCapacityRatio": "Scores by the points of the shape: utilization in percent, score from 0 to 10.",
    },
    ("PodTopologySpread", "defaultingType"): {
        "System": "Pods without constraints spread over hostnames and zones, softly.",
        "List": "Pods without constraints get defaultConstraints.",
    },
}
REFUSED = {("VolumeBinding", "shape")}
"""Fields that v1.34 refuses."""
COLUMNS = {("NodeResourcesBalancedAllocation", "resources"): ("name",)}
"""The columns of lists of objects that show fewer than all: the plugin must not have weights."""
SHOWN_WITH = {
    ("NodeResourcesFit", "scoringStrategy.requestedToCapacityRatio.shape"): (
        "scoringStrategy.type",
        "RequestedToCapacityRatio",
    ),
}
"""Fields that count with one value of another field only: (plugin, path) -> (path, value)."""
HINTS = {
    (
        "InterPodAffinity",
        "hardPodAffinityWeight",
    ): "What a placed pod's required affinity to the new pod is worth, 0 to 100.",
    ("InterPodAffinity", "ignorePreferredTermsOfExistingPods"): "Counts only what the new pod itself prefers.",
    ("NodeResourcesFit", "ignoredResources"): "Extended resources that Filter passes over, a name per line.",
    ("NodeResourcesFit", "ignoredResourceGroups"): "Groups of them: what stands before the slash, one per line.",
    ("NodeAffinity", "addedAffinity"): "Node affinity that holds for all pods of the profile besides their own.",
    ("PodTopologySpread", "defaultConstraints"): "Constraints for pods that have none; sets defaultingType to List.",
    ("DefaultPreemption", "minCandidateNodesPercentage"): "Share of the nodes that a dry run looks at, in percent.",
    ("DefaultPreemption", "minCandidateNodesAbsolute"): "It looks at this many at least.",
    ("VolumeBinding", "bindTimeoutSeconds"): "Checked, but nothing is waited for in a simulation.",
}
