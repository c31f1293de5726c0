"""Texts to start a new object from, one for each kind with a form."""

from __future__ import annotations

from textwrap import indent

from dashboard.clusters.yaml_templates import OBJECT_TEMPLATES
from scheduler_core.api.kinds import bare_kind
from scheduler_core.manifests.kinds.registry import KINDS, served_version

_TEMPLATE = """\
  template:
    metadata:
      labels:
        app: {name}
    spec:
      containers:
      - name: main
        image: nginx
        resources:
          requests:
            cpu: 500m
            memory: 256Mi
"""
_NEVER = _TEMPLATE.replace("      containers", "      restartPolicy: Never\n      containers")
_SELECTOR = "  selector:\n    matchLabels:\n      app: {name}\n"
_REQUESTS = """\
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
"""

# Kind: name, namespace (empty for none), and the rest.
_TEXTS = {
    "ReplicaSet": ("web", "spec:\n  replicas: 3\n" + _SELECTOR + _TEMPLATE),
    "StatefulSet": ("db", "spec:\n  replicas: 3\n  serviceName: db\n" + _SELECTOR + _TEMPLATE),
    "DaemonSet": ("agent", "spec:\n" + _SELECTOR + _TEMPLATE),
    "Job": (
        "batch",
        "spec:\n  parallelism: 4\n  completions: 8\n" + _NEVER,
    ),
    "Service": ("web", "spec:\n  selector:\n    app: web\n  ports:\n  - port: 80\n"),
    "PersistentVolume": (
        "disk-1",
        "spec:\n  capacity:\n    storage: 10Gi\n  accessModes:\n  - ReadWriteOnce\n  storageClassName: standard\n"
        "  local:\n    path: /disks/1\n"
        "  nodeAffinity:\n    required:\n      nodeSelectorTerms:\n      - matchExpressions:\n"
        "        - key: kubernetes.io/hostname\n          operator: In\n          values:\n          - node-1\n",
    ),
    "ResourceClaim": ("device", "spec:\n" + _REQUESTS),
    "ResourceClaimTemplate": ("device", "spec:\n  spec:\n" + indent(_REQUESTS, "  ")),
    "DeviceClass": (
        "gpu.example.com",
        'spec:\n  selectors:\n  - cel:\n      expression: device.driver == "gpu.example.com"\n',
    ),
    "ResourceSlice": (
        "node-1-gpus",
        "spec:\n  driver: gpu.example.com\n  pool:\n    name: node-1\n    generation: 1\n    resourceSliceCount: 1\n"
        "  nodeName: node-1\n  devices:\n  - name: gpu-0\n    attributes:\n      model:\n        string: A100\n"
        "    capacity:\n      memory:\n        value: 40Gi\n",
    ),
    "PodGroup": ("gang", "spec:\n  minMember: 3\n"),
    "ElasticQuota": (
        "team",
        'spec:\n  min:\n    cpu: "8"\n    memory: 32Gi\n  max:\n    cpu: "16"\n    memory: 64Gi\n',
    ),
}


def starter_text(kind: str) -> str:
    """Return the text of a new object; raises KeyError for a kind without one."""
    if kind in OBJECT_TEMPLATES:
        return OBJECT_TEMPLATES[kind].text
    name, rest = _TEXTS[kind]
    namespace = "  namespace: default\n" if KINDS[kind].namespaced else ""
    head = f"apiVersion: {served_version(kind)}\nkind: {bare_kind(kind)}\nmetadata:\n  name: {name}\n{namespace}"
    return head + rest.replace("{name}", name)
