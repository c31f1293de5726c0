"""Tables of the trace openb become nodes and pods."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scheduler_core.manifests import ManifestSource, rewritten
from scheduler_core.manifests.model import LoadError
from tests.scheduler_core.manifests.forms.reading import items

SHARED = Path(__file__).parents[6] / "shared" / "data"


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


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_the_published_tables_are_read_whole() -> None:
    for name, n in (("openb_node_list_all_node", 1_523), ("openb_pod_list_gpuspec33", 8_152)):
        made = items((SHARED / "openb" / "csv" / f"{name}.csv.gz").read_bytes())
        assert sum(one["kind"] != "PriorityClass" for one in made) == n
