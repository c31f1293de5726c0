"""Descriptions to begin with."""

from __future__ import annotations

from typing import NamedTuple


class StartingDescription(NamedTuple):
    """A description that the page offers: its name in the address, its title, and its text."""

    name: str
    title: str
    text: str


_WEB = """\
seed: 1
pools:
- name: web
  nodes: 12
  shape: m5.2xlarge
  zones: 3
- name: batch
  nodes: 4
  shape: c5.9xlarge
  zones: 3
  taints: [{key: dedicated, value: batch, effect: NoSchedule}]
workloads:
- name: shop
  pods: 120
  sizes: online-boutique
  priority: 1000
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway}
- name: gateway
  pods: 6
  sizes: {cpu: 600m, memory: 512Mi}
  priority: 1000
  apartBy: kubernetes.io/hostname
- name: etl
  pods: 60
  sizes:
    cpu: {median: 2, sigma: 0.8, maximum: 16}
    memory: {perCpu: 4Gi}
  priority: 100
  tolerations: [{key: dedicated, operator: Equal, value: batch, effect: NoSchedule}]
  lifetime: {exponential: 5m}
arrivals: {process: bursts, over: 30m, pods: 20, every: 5m}
"""
_GPU = """\
# Shapes and sizes of the Alibaba trace cluster-trace-gpu-v2023, at a tenth of its nodes.
seed: 1
pools:
- {name: g2, nodes: 55, shape: openb-g2-8-96, zones: 3}
- {name: t4, nodes: 39, shape: openb-t4-2-104, zones: 3}
- {name: cpu, nodes: 27, shape: openb-cpu-32, zones: 3}
- {name: p100, nodes: 13, shape: openb-p100-2-16, zones: 3}
- {name: v100, nodes: 4, shape: openb-v100m32-8-96, zones: [zone-a]}
workloads:
- name: train
  pods: 520
  sizes: openb-whole-gpu
  priority: 100
  variants:
  - percent: 33
    nodeSelector: {alibabacloud.com/gpu-card-model: T4}
- {name: infer, pods: 190, sizes: openb-shared-gpu, priority: 1000}
- {name: etl, pods: 100, sizes: openb-cpu, priority: 500}
arrivals: {process: daily, over: 24h, peak: 15h, trough: 0.2}
lifetime: {lognormal: 9m, sigma: 2}
"""
_PERF = """\
# Nodes and pods as in the benchmark scheduler_perf of Kubernetes, all pods pending at the start.
seed: 1
pools:
- {name: node, nodes: 500, shape: scheduler-perf, zones: 3}
workloads:
- {name: pod, pods: 1500, sizes: scheduler-perf}
arrivals: at-once
"""

RECIPES = {
    one.name: one
    for one in (
        StartingDescription("web", "Services and batch", _WEB),
        StartingDescription("gpu", "GPU cluster as in openb", _GPU),
        StartingDescription("perf", "As in scheduler_perf", _PERF),
    )
}
FIRST = "web"
