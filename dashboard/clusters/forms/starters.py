"""Texts to start a new object from, one for each kind with a form."""

from __future__ import annotations

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
