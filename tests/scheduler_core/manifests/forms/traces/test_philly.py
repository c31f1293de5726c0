"""The trace of Philly gives pods that request GPUs, and nodes that offer them."""

from __future__ import annotations

import json

from tests.scheduler_core.manifests.forms.reading import gaps, items, loaded, requests


def test_jobs_of_philly_are_pods_by_machine_and_machines_nodes() -> None:
    attempt = {
        "start_time": "2017-10-09 07:37:01",
        "end_time": "2017-10-09 08:37:01",
        "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu3"]}],
    }
    job = {"status": "Pass", "vc": "ee", "jobid": "application_1", "submitted_time": "2017-10-09 07:02:28", "user": "c"}
    log = json.dumps([{**job, "attempts": [attempt]}, {**job, "jobid": "b", "attempts": []}])
    made = items(log)
    assert [requests(pod) for pod in made] == [{"nvidia.com/gpu": "2"}, {"nvidia.com/gpu": "1"}]
    assert made[0]["metadata"]["annotations"]["philly/submitted-time"] == "2017-10-09 07:02:28"
    assert gaps(log) == ["TIMES_NOT_PLAYED", "GPUS_ALONE"]
    assert ["(1)" in one.message for one in loaded(log).warnings] == [True]
    (machine,) = items("machineId,number of GPUs, single GPU mem\nm1,2,12GB\n")
    assert machine["status"]["allocatable"] == {"nvidia.com/gpu": "2", "pods": "110"}
