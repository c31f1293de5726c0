"""An example of each form of input, made for these tests: (name of the file, its content)."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from scheduler_core.manifests import dump_yaml
from tests.scheduler_core.manifests.forms.reading import node

_POD = {"metadata": {"name": "p", "namespace": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
_TYPED_POD = {"apiVersion": "v1", "kind": "Pod", **_POD}
_HEAD = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}}
_LOG = "==== START logs for container c of pod a/p ====\nready\n==== END logs for container c of pod a/p ====\n"
_DESCRIBED = """Name:         p
Namespace:    a
Node:         <none>
Labels:       <none>
Annotations:  <none>
Status:       Pending
Containers:
  c:
    Image:      i
Events:         <none>
"""
_PATCH = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      nodeSelector: {pool: gpu}
"""
_TRACE = {"version": 2, "config": {}, "events": [{"ts": 1, "applied_objs": [_TYPED_POD], "deleted_objs": []}]}
_JOB = {"status": "Pass", "vc": "v", "jobid": "j", "attempts": [{"detail": [{"ip": "m", "gpus": ["gpu0"]}]}]}


def _row(*values: Any) -> str:
    return "\n".join(json.dumps(value) for value in values)


EXAMPLES: dict[str, tuple[str, bytes]] = {
    name: (file, text if isinstance(text, bytes) else text.encode())
    for name, file, text in (
        ("a file of a bundle alone", "changes.jsonl", json.dumps({"t": 1.5, "type": "ADDED", "object": _TYPED_POD})),
        ("trace of SimKube", "a.sktrace", msgspec.msgpack.encode(_TRACE | {"index": {"é" * 3: 2**40}})),
        ("export of kube-scheduler-simulator", "a.json", json.dumps({"pods": [_POD], "nodes": [node("n")]})),
        (
            "recording of kube-scheduler-simulator",
            "a.jsonl",
            json.dumps({"time": "2024-01-01T00:00:00Z", "event": "Add", "resource": node("n")}),
        ),
        (
            "tables of the trace openb",
            "a.csv",
            "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos\np,1,2,1,500,T4,LS\n",
        ),
        ("tasks of the trace of PAI", "a.csv", "4f2a,worker,2,Terminated,10.0,20.5,600.0,29.3,50.0,T4\n"),
        ("machines of the trace of PAI", "a.csv", "machine,gpu_type,cap_cpu,cap_mem,cap_gpu\nm1,T4,96,512,2\n"),
        ("other tables of the trace of PAI", "a.csv", "job_name,inst_id,user,status,start_time,end_time\n"),
        ("log of jobs of the trace of Philly", "cluster_job_log", json.dumps([_JOB])),
        ("machines of the trace of Philly", "a.csv", "machineId,number of GPUs, single GPU mem\nm1,2,12GB\n"),
        ("vmtable of Azure", "a.csv", "x/y=,s,d,0,2591700,99.3,3.4,91.7,Delay-insensitive,4,32\n"),
        ("packing trace of Azure", "a.csv", "vmId,tenantId,vmTypeId,priority,starttime,endtime\n"),
        (
            "watch events of kubectl",
            "a.json",
            _row({"type": "ADDED", "object": node("n")}, {"type": "DELETED", "object": node("m")}),
        ),
        ("kubectl cluster-info dump", "a.txt", f"{json.dumps({**_HEAD, 'items': [_POD]}, indent=4)}\n{_LOG}"),
        ("kubectl describe", "a.txt", _DESCRIBED),
        (
            "table of kubectl get events",
            "a.txt",
            "LAST SEEN   TYPE      REASON             OBJECT    MESSAGE\n"
            "5m          Warning   FailedScheduling   pod/p     0/1 nodes are available: 1 Insufficient cpu.\n",
        ),
        ("objects whose folder says their kind", "x/pods/p.json", json.dumps(_POD)),
        ("kustomization", "kustomization.yaml", "resources: [a.yaml]\n"),
        ("JSON patch", "a.yaml", "- op: replace\n  path: /spec/replicas\n  value: 3\n"),
        ("strategic merge patch", "a.yaml", _PATCH),
        ("Chart.yaml of Helm", "Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("values of Helm", "values.yaml", "replicaCount: 1\nimage: {tag: x}\n"),
        ("configuration of open-simulator", "a.yaml", "apiVersion: simon/v1alpha1\nkind: Config\n"),
        (
            "table of kubectl get",
            "a.txt",
            "NAME   READY   STATUS    RESTARTS   AGE\np      0/1     Pending   0          5m\n",
        ),
        ("JSON that was cut off", "a.json", _row(node("n"), node("m"))[:-20]),
    )
}
IN_YAML = {"watch events of kubectl": dump_yaml([{"object": node("n"), "type": "ADDED"}]).encode()}
"""Examples of the same in YAML."""
