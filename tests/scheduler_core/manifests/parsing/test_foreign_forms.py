"""Files of other programs become a List of the objects that they hold; all other files stay as they are."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from scheduler_core.manifests import ManifestSource, load_cluster, rewritten
from scheduler_core.manifests.model import LoadError

SHARED = Path(__file__).parents[5] / "shared" / "data"
POD = {"metadata": {"name": "p", "namespace": "default"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
NODE = {"metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "pods": "110"}}}


def items(data: bytes) -> list[dict]:
    source = rewritten(ManifestSource("f", data))
    assert load_cluster([source]).errors == []
    whole = json.loads(source.data)
    assert whole["kind"] == "List"
    return whole["items"]


def test_an_export_of_the_simulator_gives_its_objects_with_their_kinds() -> None:
    export = {
        "pods": [POD],
        "nodes": [NODE],
        "pvs": [],
        "pvcs": None,
        "storageClasses": [{"metadata": {"name": "s"}, "provisioner": "x.example.com"}],
        "priorityClasses": [{"metadata": {"name": "high"}, "value": 10, "kind": "PriorityClass"}],
        "schedulerConfig": {"kind": "KubeSchedulerConfiguration"},
        "namespaces": [{"metadata": {"name": "a"}}],
    }
    for data in (json.dumps(export).encode(), gzip.compress(json.dumps(export, indent=2).encode())):
        made = items(data)
        assert [one["kind"] for one in made] == ["Pod", "Node", "StorageClass", "PriorityClass", "Namespace"]
        assert made[0] == {"apiVersion": "v1", "kind": "Pod", **POD}


def test_a_record_of_the_simulator_gives_what_is_there_at_its_end() -> None:
    def line(event: str, name: str, **more: object) -> str:
        resource = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, **more}
        return json.dumps({"time": "2024-01-01T00:00:00Z", "event": event, "resource": resource})

    spec = {"unschedulable": True}
    text = "\n".join([line("Add", "a"), line("Add", "b"), line("Update", "a", spec=spec), line("Delete", "b")])
    (node,) = items(text.encode())
    assert (node["metadata"]["name"], node["spec"]) == ("a", spec)
    with pytest.raises(LoadError, match="no event") as refused:
        rewritten(ManifestSource("f", line("Move", "a").encode()))
    assert (refused.value.line, refused.value.field) == (1, "event")


def test_tables_of_the_trace_give_nodes_and_pods() -> None:
    table = b"sn,cpu_milli,memory_mib,gpu,model\nopenb-node-0,96000,393216,8,G2\nopenb-node-1,32000,1,0,\n"
    (node, plain) = items(table)
    assert node["metadata"]["labels"]["alibabacloud.com/gpu-card-model"] == "G2"
    assert node["status"]["allocatable"]["alibabacloud.com/gpu-milli"] == "8000"
    assert "alibabacloud.com/gpu-count" not in plain["status"]["allocatable"]
    header = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time"
    rows = ["a,6000,12288,1,460,T4|G2,LS,Running,427061", "b,100,10,2,1000,,BE,Failed,1", "c,1,1,0,0,,,,"]
    first, second, a, b, c = items("\n".join([header, *rows]).encode())
    assert {one["metadata"]["name"]: one["value"] for one in (first, second)} == {"openb-ls": 1000, "openb-be": 100}
    assert a["spec"]["priorityClassName"] == "openb-ls"
    assert a["metadata"]["annotations"]["openb/creation-time"] == "427061"
    assert '"values": ["T4", "G2"]' in json.dumps(a["spec"]["affinity"])
    assert a["spec"]["containers"][0]["resources"]["limits"] == {"alibabacloud.com/gpu-milli": "460"}
    assert b["spec"]["containers"][0]["resources"]["limits"]["alibabacloud.com/gpu-count"] == "2"
    assert "annotations" not in c["metadata"]


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("sn,cpu_milli,memory_mib,gpu,model\nn,-1,2,3,\n", 2, "cpu_milli"),
        ("name,cpu_milli,memory_mib,num_gpu,gpu_milli,qos\np,1,1,0,0,BEST\n", 2, "qos"),
    ],
)
def test_a_wrong_table_names_line_and_field(text: str, line: int, field: str) -> None:
    with pytest.raises(LoadError) as refused:
        rewritten(ManifestSource("f", text.encode()))
    assert (refused.value.line, refused.value.field) == (line, field)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"apiVersion: v1\nkind: Pod\n",
        b'{"apiVersion": "v1", "kind": "List", "items": []}',
        b'{"pods": [], "other": []}',
        b'{"pods": [',
        b'{"time": "x", "event": "y"}',
        b"\x1f\x8bx",
        b"name,size\n",
        b"\xff\xfe",
    ],
    ids=range(9),
)
def test_all_other_files_stay_as_they_are(data: bytes) -> None:
    source = ManifestSource("f", data)
    assert rewritten(source) is source


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_the_published_tables_are_read_whole() -> None:
    for name, n in (("openb_node_list_all_node", 1_523), ("openb_pod_list_gpuspec33", 8_152)):
        made = items((SHARED / "openb" / "csv" / f"{name}.csv.gz").read_bytes())
        assert sum(one["kind"] != "PriorityClass" for one in made) == n
