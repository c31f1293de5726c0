"""The rows of kubectl get events are events of their objects."""

from __future__ import annotations

import pytest

from scheduler_core.explain.agreement import raw_pods, scheduler_events, scheduler_reports
from scheduler_core.manifests import ManifestSource, load_cluster
from tests.scheduler_core.manifests.forms.reading import gaps, items, loaded, refusal

SAID = "0/3 nodes are available: 3 Insufficient cpu."
PLAIN = f"""LAST SEEN   TYPE      REASON             OBJECT                       MESSAGE
5m          Warning   FailedScheduling   pod/web-0                    {SAID}
2m3s        Normal    SuccessfulCreate   replicaset.apps/web          Created pod: web-0

10s         Warning   FailedCreate       statefulset/db               create Pod db-0 failed
"""
ALL = (
    "NAMESPACE   LAST SEEN   TYPE      REASON             OBJECT      SUBOBJECT   SOURCE                  MESSAGE"
    f"{' ' * 40}FIRST SEEN   COUNT   NAME\n"
    f"shop        5m          Warning   FailedScheduling   pod/web-0               default-scheduler, cp   {SAID}   "
    "5m           3       web-0.17\n"
)
SQUEEZED = f"LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n5m  Warning  FailedScheduling  pod/web-0  {SAID}\n"


def test_rows_are_events_about_their_objects() -> None:
    first, _, last = items(PLAIN)
    assert (first["involvedObject"], first["message"], first["type"]) == (
        {"kind": "Pod", "namespace": "default", "name": "web-0"},
        SAID,
        "Warning",
    )
    assert (last["involvedObject"]["kind"], last["reason"]) == ("StatefulSet", "FailedCreate")
    assert gaps(PLAIN) == ["EVENTS_AS_TABLE", "NO_NAMESPACE"]
    (wide,) = items(ALL)
    assert (wide["metadata"]["namespace"], wide["message"], wide["count"]) == ("shop", SAID, 3)
    assert wide["source"] == {"component": "default-scheduler"}
    assert gaps(ALL) == ["EVENTS_AS_TABLE"]


@pytest.mark.parametrize("table", [PLAIN, SQUEEZED], ids=["aligned", "squeezed"])
def test_the_message_is_that_of_a_pod_beside_it(table: str) -> None:
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: web-0}, spec: {containers: [{name: c, image: i}]}}"
    result = load_cluster([ManifestSource("pods", pod.encode()), ManifestSource("events", table.encode())])
    reports = scheduler_reports(raw_pods(result.manifests), scheduler_events(result.events))
    assert reports["default/web-0"].message == SAID


def test_a_table_alone_leads_to_explain_message() -> None:
    (warning,) = loaded(PLAIN).warnings
    assert "explain-message" in warning.message
    assert loaded(PLAIN).passed_over == {"Event": 1}


def test_another_row_is_refused_by_its_line() -> None:
    assert refusal(PLAIN + "oops\n").line == 6
