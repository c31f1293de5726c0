"""Starting texts of the YAML editor: one object of each common kind."""

from __future__ import annotations

from typing import NamedTuple


class YamlTemplate(NamedTuple):
    """A text to start from and what it is."""

    label: str
    text: str


OBJECT_TEMPLATES: dict[str, YamlTemplate] = {
    "Node": YamlTemplate("Node", """\
apiVersion: v1
kind: Node
metadata:
  name: node-1
  labels:
    kubernetes.io/hostname: node-1
    topology.kubernetes.io/zone: zone-a
spec: {}
status:
  allocatable:
    cpu: "8"
    memory: 32Gi
    pods: "110"
"""),
    "Pod": YamlTemplate("Pod", """\
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: default
  labels:
    app: web
spec:
  containers:
  - name: main
    image: nginx
    resources:
      requests:
        cpu: 500m
        memory: 256Mi
"""),
    "Deployment": YamlTemplate("Deployment", """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: default
spec:
  replicas: 3
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: main
        image: nginx
        resources:
          requests:
            cpu: 500m
            memory: 256Mi
"""),
    "PodDisruptionBudget": YamlTemplate("PodDisruptionBudget", """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: web
  namespace: default
spec:
  minAvailable: 2
  selector:
    matchLabels:
      app: web
"""),
    "PriorityClass": YamlTemplate("PriorityClass", """\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: high
value: 1000
description: Goes before everything without a class.
"""),
    "Namespace": YamlTemplate("Namespace", """\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
"""),
    "PersistentVolumeClaim": YamlTemplate("PersistentVolumeClaim", """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: default
spec:
  accessModes:
  - ReadWriteOnce
  storageClassName: standard
  resources:
    requests:
      storage: 10Gi
"""),
    "StorageClass": YamlTemplate("StorageClass", """\
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: standard
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
"""),
}  # fmt: skip
