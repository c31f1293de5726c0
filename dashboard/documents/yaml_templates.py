"""Texts to start from: scheduler configurations, a timeline, declared extenders."""

from __future__ import annotations

from dashboard.clusters.yaml_templates import YamlTemplate

_HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

DEFAULT_CONFIGURATION = YamlTemplate("Default configuration", _HEAD + """\
# The default profile of kube-scheduler v1.34: every default plugin with its default weight.
profiles:
- schedulerName: default-scheduler
""")  # fmt: skip

_PACKING = """\
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: cpu
          weight: 1
        - name: memory
          weight: 1
"""

CONFIGURATION_TEMPLATES: dict[str, YamlTemplate] = {
    "default": DEFAULT_CONFIGURATION,
    "most-allocated": YamlTemplate("Pack nodes (MostAllocated)", _HEAD + """\
# Prefers nodes that are already full, so that others stay empty.
profiles:
- schedulerName: default-scheduler
  pluginConfig:
""" + _PACKING),
    "two-profiles": YamlTemplate("Two profiles (services and batch)", _HEAD + """\
# Pods choose by spec.schedulerName: services spread out, batch jobs pack.
profiles:
- schedulerName: default-scheduler
- schedulerName: batch-scheduler
  plugins:
    score:
      disabled:
      - name: NodeResourcesBalancedAllocation
  pluginConfig:
""" + _PACKING),
    "all-nodes": YamlTemplate("Look at all nodes", _HEAD + """\
# Filters and scores every node instead of stopping at enough feasible ones.
percentageOfNodesToScore: 100
profiles:
- schedulerName: default-scheduler
"""),
}  # fmt: skip

TIMELINE_TEMPLATE = """\
# What happens when: at is virtual time (us, ms, s, m, h), action is add, update or delete.
entries:
- at: 0s
  action: add
  object:
    apiVersion: v1
    kind: Pod
    metadata:
      name: web-1
      namespace: default
    spec:
      containers:
      - name: main
        image: nginx
        resources:
          requests:
            cpu: 500m
            memory: 256Mi
- at: 10s
  action: delete
  object:
    apiVersion: v1
    kind: Pod
    metadata:
      name: web-1
      namespace: default
    spec:
      containers:
      - name: main
        image: nginx
"""

DECLARED_TEMPLATE = """\
# The first entry answers for the first extender of the configuration, and so on.
extenders:
- filter:
  - {nodes: {matchLabels: {disk: hdd}}, refuse: the disk is too slow}
  prioritize:
  - {nodes: {matchLabels: {topology.kubernetes.io/zone: zone-a}}, score: 10}
"""
