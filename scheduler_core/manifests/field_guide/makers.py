"""Custom kinds that make pods (``expansion/custom_kinds.py``)."""

from __future__ import annotations

from scheduler_core.manifests.field_guide.model import Part, choice, flag, labels, many, one, text, unread, whole

_META = one("Metadata", "Name, namespace and labels.")
_TEMPLATE = one("PodTemplate", "What its pods are like.")
_CONF = ("spark.executor.instances", "spark.executor.memory", "spark.executor.cores", "spark.driver.memory")

KINDS: dict[str, Part] = {
    "Rollout": {
        "metadata": _META,
        "spec": one("RolloutSpec", "How many pods, and what they are like."),
        **unread("status"),
    },
    "RayCluster": {
        "metadata": _META,
        "spec": one("RayClusterSpec", "The head and the groups of workers."),
        **unread("status"),
    },
    "SparkApplication": {
        "metadata": _META,
        "spec": one("SparkApplicationSpec", "The driver and the executors."),
        "status": one("SparkApplicationStatus", "How far the application is."),
    },
}

_SPARK_POD: Part = {
    "cores": whole("Cores that the pod requests.", "1"),
    "coreRequest": text("What it requests instead, such as 500m."),
    "coreLimit": text("The most cpu that it may use."),
    "memory": text("Memory of the process, such as 512m or 4g.", "1g"),
    "memoryOverhead": text("Memory beside it; without it a share of memory, and at least 384m."),
    "gpu": one("SparkGpu", "Devices that the pod asks for."),
    "image": text("Its image, in place of the application's."),
    "labels": labels("Labels of the pod.", ()),
    "annotations": labels("Notes for programs.", ()),
    "nodeSelector": labels("Labels that the node must have."),
    "affinity": one("Affinity", "Nodes and pods that it wants to be near, or not."),
    "tolerations": many("Toleration", "Taints that it bears."),
    "schedulerName": text("The scheduler that decides it."),
    "priorityClassName": text("Its priority class."),
    "hostNetwork": flag("Whether its ports are those of the node."),
    "volumeMounts": many("SparkMount", "Which of the application's volumes it has."),
    "sidecars": many("Container", "Further containers."),
    "initContainers": many("Container", "Containers that end before the others begin."),
    "ports": many("SparkPort", "Further ports."),
    "terminationGracePeriodSeconds": whole("How many seconds it has to end."),
    "template": one("PodTemplate", "What the pod is like, in place of the fields from nodeSelector on."),
    **unread("memoryLimit", "env", "envVars", "envFrom", "envSecretKeyRefs", "configMaps", "secrets", "javaOptions"),
    **unread("serviceAccount", "securityContext", "podSecurityContext", "lifecycle", "dnsConfig", "hostAliases"),
}

PARTS: dict[str, Part] = {
    "RolloutSpec": {
        "replicas": whole("How many pods there should be.", "1"),
        "selector": one("LabelSelector", "Which pods are its own. It must match the labels of the template."),
        "template": _TEMPLATE,
        "workloadRef": one("WorkloadReference", "The workload whose template it uses."),
        "minReadySeconds": whole("How many seconds a pod is Ready before it counts as available.", "0"),
        **unread("strategy", "paused", "progressDeadlineSeconds", "progressDeadlineAbort", "revisionHistoryLimit"),
        **unread("restartAt", "analysis", "rollbackWindow"),
    },
    "WorkloadReference": {
        "kind": choice(("Deployment", "ReplicaSet"), "The kind of the workload."),
        "name": text("Its name, in the same namespace."),
        **unread("apiVersion", "scaleDown"),
    },
    "RayClusterSpec": {
        "headGroupSpec": one("RayHeadGroup", "The head, one pod."),
        "workerGroupSpecs": many("RayWorkerGroup", "Groups of workers."),
        "suspend": flag("The cluster has no pods while this is true."),
        "managedBy": text("Who makes its pods.", "ray.io/kuberay-operator"),
        "enableInTreeAutoscaling": flag("The head has a container that changes how many workers there are."),
        "autoscalerOptions": one("RayAutoscaler", "What that container is like."),
        **unread("rayVersion", "gcsFaultToleranceOptions", "headServiceAnnotations", "upgradeStrategy", "authOptions"),
    },
    "RayAutoscaler": {
        "resources": one("Resources", "What it requests; without it 500m cpu and 512Mi memory."),
        **unread("image", "imagePullPolicy", "idleTimeoutSeconds", "upscalingMode", "version", "env", "envFrom"),
    },
    "RayHeadGroup": {
        "template": _TEMPLATE,
        "labels": labels("Further labels of the pod.", ()),
        **unread("rayStartParams", "resources", "headService", "serviceType", "enableIngress"),
    },
    "RayWorkerGroup": {
        "groupName": text("The name of the group."),
        "replicas": whole("How many workers there should be, between the two bounds.", "0"),
        "minReplicas": whole("The fewest.", "0"),
        "maxReplicas": whole("The most."),
        "numOfHosts": whole("How many pods each of them has.", "1"),
        "suspend": flag("The group has no pods while this is true."),
        "template": _TEMPLATE,
        "labels": labels("Further labels of the pods.", ()),
        **unread("rayStartParams", "resources", "scaleStrategy", "idleTimeoutSeconds", "priority"),
    },
    "SparkApplicationSpec": {
        "type": choice(("Java", "Scala", "Python", "R"), "Its language: the overhead of memory depends on it."),
        "mode": choice(("cluster", "client", "in-cluster-client"), "Whether the operator makes the driver.", "cluster"),
        "suspend": flag("It has no pods while this is true."),
        "driver": one("SparkDriver", "The driver, one pod."),
        "executor": one("SparkExecutor", "The executors."),
        "dynamicAllocation": one("SparkAllocation", "Spark changes how many executors there are."),
        "image": text("The image of its pods."),
        "nodeSelector": labels("Labels that the nodes of all its pods must have."),
        "volumes": many("Volume", "Volumes that driver or executors name."),
        "memoryOverheadFactor": text("Which share of memory is added, 0.1 or 0.4 without it."),
        "batchScheduler": text("The scheduler that decides its pods."),
        "sparkConf": labels("Settings of Spark; fields beside count more.", _CONF),
        **unread("sparkVersion", "mainClass", "mainApplicationFile", "arguments", "hadoopConf", "deps", "monitoring"),
        **unread("restartPolicy", "imagePullPolicy", "imagePullSecrets", "timeToLiveSeconds", "batchSchedulerOptions"),
    },
    "SparkAllocation": {
        "enabled": flag("Whether Spark does."),
        "initialExecutors": whole("How many there are at first."),
        "minExecutors": whole("The fewest."),
        **unread("maxExecutors", "shuffleTrackingEnabled", "shuffleTrackingTimeout"),
    },
    "SparkDriver": {"podName": text("The name of the pod, the application's and -driver without it."), **_SPARK_POD},
    "SparkExecutor": {"instances": whole("How many there are.", "1"), **_SPARK_POD, **unread("deleteOnTermination")},
    "SparkGpu": {"name": text("The resource, such as nvidia.com/gpu."), "quantity": whole("How many.")},
    "SparkMount": {"name": text("The volume."), **unread("mountPath", "readOnly", "subPath")},
    "SparkPort": {"containerPort": whole("The port."), **unread("name", "protocol")},
    "SparkApplicationStatus": {
        "applicationState": one("SparkState", "Its state."),
        **unread("driverInfo", "executorState", "sparkApplicationId", "submissionID", "executionAttempts"),
    },
    "SparkState": {"state": text("The state: COMPLETED, FAILED and SUSPENDED have no pods."), **unread("errorMessage")},
}
