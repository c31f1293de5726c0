"""Texts that are no objects of Kubernetes: timelines, and the configuration of the scheduler with its plugins."""

from __future__ import annotations

from scheduler_core.api.config import EXTENSION_POINTS
from scheduler_core.manifests.configuration.plugin_args import DEFAULT_PLUGINS, KNOWN_PLUGINS, STRATEGIES, V1
from scheduler_core.manifests.field_guide.model import (
    GuideField,
    Part,
    choice,
    flag,
    many,
    one,
    text,
    texts,
    unread,
    whole,
)

TIMELINE, CONFIGURATION = "Timeline", "KubeSchedulerConfiguration"

_TIMES = ("0s", "10s", "1m", "1h")
_POINTS = {
    "preEnqueue": "May the pod enter the queue at all?",
    "queueSort": "In which order the queue hands out pods: exactly one plugin, the same in all profiles.",
    "preFilter": "What a filter prepares once per pod.",
    "filter": "Which nodes cannot take the pod.",
    "postFilter": "What is tried where no node is left: preemption.",
    "preScore": "What a score prepares once per pod.",
    "score": "How good each node is; the weight multiplies its points.",
    "reserve": "What is held for the pod once a node is chosen.",
    "permit": "May the pod be bound now, or has it to wait?",
    "preBind": "What has to be ready before the pod is bound.",
    "bind": "Who binds the pod: the first plugin that does.",
    "postBind": "What follows once the pod is bound.",
    "multiPoint": "Plugins at all extension points that they have; lists of a point win over it.",
}
_SHAPE = many("ShapePoint", "Points of a line: what a node scores at which utilization, in rising order.")
_WEIGHED = "Resources that count, with their weights; cpu and memory with 1 where it is left out."


def _args(plugin: str, fields: Part) -> Part:
    return {
        **fields,
        "apiVersion": choice((V1,), "The version of the arguments. It may be left out."),
        "kind": choice((f"{plugin}Args",), "The kind of the arguments. It may be left out."),
    }


ARGUMENTS: dict[str, Part] = {
    "DefaultPreemption": {
        "minCandidateNodesPercentage": whole("How many of 100 nodes are tried as candidates, at least.", "10"),
        "minCandidateNodesAbsolute": whole("How many nodes are tried as candidates, at least.", "100"),
    },
    "InterPodAffinity": {
        "hardPodAffinityWeight": whole("What a required affinity of a running pod counts in scores, 0 to 100.", "1"),
        "ignorePreferredTermsOfExistingPods": flag("Leave preferred terms of pods that are there out of scores."),
    },
    "NodeAffinity": {"addedAffinity": one("NodeAffinity", "Node affinity that every pod of the profile has besides.")},
    "NodeResourcesBalancedAllocation": {
        "resources": many("WeighedResource", "Resources whose shares are balanced; each has the weight 1."),
    },
    "NodeResourcesFit": {
        "ignoredResources": texts("Extended resources that the filter passes over."),
        "ignoredResourceGroups": texts("Groups (what stands before the slash) that the filter passes over."),
        "scoringStrategy": one("ScoringStrategy", "How full nodes score."),
    },
    "PodTopologySpread": {
        "defaultConstraints": many("DefaultConstraint", "Constraints of pods without any; needs defaultingType: List."),
        "defaultingType": choice(("System", "List"), "Where default constraints come from.", "System"),
    },
    "VolumeBinding": {
        "bindTimeoutSeconds": whole("How long binding of volumes may take, in seconds.", "600"),
        **unread("shape"),
    },
    "DynamicResources": {
        "bindingTimeout": text("How long binding waits for drivers to make devices ready.", "600s"),
        **unread("filterTimeout"),
    },
    "Coscheduling": {
        "permitWaitingTimeSeconds": whole("How long pods of a group wait for the others, in seconds.", "60"),
        "podGroupBackoffSeconds": whole("How long a group that failed is left alone, in seconds.", "3"),
    },
}

DOCUMENTS: dict[str, Part] = {
    TIMELINE: {"entries": many("TimelineEntry", "What happens when; entries of one time come in this order.")},
    CONFIGURATION: {
        "apiVersion": choice((V1,), "The version of the configuration."),
        "kind": choice((CONFIGURATION,), "The kind of the text."),
        "profiles": many("SchedulerProfile", "Schedulers that share one queue; pods choose one by schedulerName."),
        "extenders": many("Extender", "HTTP extenders, called in this order. A run needs answers for them."),
        "percentageOfNodesToScore": whole("How many of 100 nodes are scored; 0 goes by the size of the cluster."),
        "parallelism": whole("How many nodes kube-scheduler looks at at once.", "16"),
        "podInitialBackoffSeconds": whole("How long a pod waits after its first failed attempt, in seconds.", "1"),
        "podMaxBackoffSeconds": whole("The longest wait between attempts, in seconds.", "10"),
        **unread("leaderElection", "clientConnection", "enableProfiling", "enableContentionProfiling"),
        **unread("delayCacheUntilActive"),
    },
}

PARTS: dict[str, Part] = {
    "TimelineEntry": {
        "at": GuideField("When it happens: seconds, or a number with us, ms, s, m or h.", "time", (), _TIMES),
        "action": choice(("add", "update", "delete"), "What happens to the object.", "add"),
        "object": GuideField(
            "One object; to delete it, kind and metadata are enough.", "mapping of an object", is_object=True
        ),
    },
    "SchedulerProfile": {
        "schedulerName": text("The name by which pods choose the profile.", "default-scheduler"),
        "percentageOfNodesToScore": whole("How many of 100 nodes are scored, for pods of this profile."),
        "plugins": one("ProfilePlugins", "Which plugins work at which extension point."),
        "pluginConfig": many("PluginConfig", "Arguments of plugins."),
    },
    "ProfilePlugins": {point: one("PluginsOfPoint", _POINTS[point]) for point in ("multiPoint", *EXTENSION_POINTS)},
    "PluginsOfPoint": {
        "enabled": many("EnabledPlugin", "Plugins that are added, in this order."),
        "disabled": many("DisabledPlugin", 'Plugins that are taken out; "*" takes out all.'),
    },
    "EnabledPlugin": {
        "name": text("The plugin.", ideas=KNOWN_PLUGINS),
        "weight": whole("What its points are multiplied by, at score.", "1"),
    },
    "DisabledPlugin": {
        "name": text('The plugin, or "*" for all.', ideas=('"*"', *DEFAULT_PLUGINS)),
        **unread("weight"),
    },
    "PluginConfig": {
        "name": text("The plugin.", ideas=tuple(ARGUMENTS)),
        "args": GuideField(
            "Its arguments.", "mapping of arguments", by_name={plugin: f"{plugin}Args" for plugin in ARGUMENTS}
        ),
    },
    **{f"{plugin}Args": _args(plugin, fields) for plugin, fields in ARGUMENTS.items()},
    "ScoringStrategy": {
        "type": choice(STRATEGIES, "Score empty nodes best, full ones, or by a line?", STRATEGIES[0]),
        "resources": many("WeighedResource", _WEIGHED),
        "requestedToCapacityRatio": one("CapacityRatio", "The line, for RequestedToCapacityRatio."),
    },
    "WeighedResource": {
        "name": text("The resource.", ideas=("cpu", "memory", "nvidia.com/gpu")),
        "weight": whole("Its weight, 1 to 100.", "1"),
    },
    "CapacityRatio": {"shape": _SHAPE},
    "ShapePoint": {
        "utilization": whole("How full the node is, 0 to 100."),
        "score": whole("What it scores there, 0 to 10."),
    },
    "DefaultConstraint": {
        "topologyKey": text("The node label whose values are the domains.", ideas=("topology.kubernetes.io/zone",)),
        "maxSkew": whole("How many more pods one domain may have than another."),
        "whenUnsatisfiable": choice(
            ("DoNotSchedule", "ScheduleAnyway"), "Does it keep the pod off a node, or only score?", "DoNotSchedule"
        ),
    },
    "Extender": {
        "urlPrefix": text("The address that the verbs are appended to."),
        "filterVerb": text("Where nodes are filtered; without it the extender filters none."),
        "prioritizeVerb": text("Where nodes are scored; without it the extender scores none."),
        "preemptVerb": text("Where candidates of a preemption are looked at."),
        "bindVerb": text("Where pods are bound; one extender may do so."),
        "weight": whole("What its points are multiplied by; needed with prioritizeVerb."),
        "enableHTTPS": flag("Call it by HTTPS."),
        "tlsConfig": one("ExtenderTLS", "How its server is trusted."),
        "httpTimeout": text("How long it may take to answer, such as 5s.", "5s", ("5s", "500ms")),
        "nodeCacheCapable": flag("It has the nodes itself, so it is sent their names only."),
        "managedResources": many("ManagedResource", "Ask it only about pods that request one of these."),
        "ignorable": flag("Go on without it where it fails."),
    },
    "ExtenderTLS": {
        "insecure": flag("Trust any certificate."),
        "serverName": text("The name that its certificate is for."),
        **{name: text("A file that the scheduler reads.") for name in ("certFile", "keyFile", "caFile")},
        **{name: text("The same as base64 text.") for name in ("certData", "keyData", "caData")},
    },
    "ManagedResource": {
        "name": text("An extended resource.", ideas=("example.com/gpu",)),
        "ignoredByScheduler": flag("NodeResourcesFit passes over it."),
    },
}
