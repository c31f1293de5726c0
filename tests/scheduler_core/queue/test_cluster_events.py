from __future__ import annotations

import pytest

from scheduler_core.framework.contracts.events import ActionType, ClusterEvent, Resource
from scheduler_core.queue import cluster_events as events

A, R = ActionType, Resource


@pytest.mark.parametrize(
    ("event", "label"),
    [
        (ClusterEvent(R.NODE, A.ADD), "NodeAdd"),
        (ClusterEvent(R.NODE, A.UPDATE_NODE_TAINT), "NodeUpdateNodeTaint"),
        (events.ASSIGNED_POD_DELETE, "AssignedPodDelete"),
        (events.UNSCHEDULED_POD_UPDATE, "UnschedulablePodUpdate"),
        (ClusterEvent(R.STORAGE_CLASS, A.ADD), "storage.k8s.io/StorageClassAdd"),
        (events.FORCE_ACTIVATE, "ForceActivate"),
        (events.UNSCHEDULABLE_TIMEOUT, "UnschedulableTimeout"),
    ],
)
def test_labels_are_those_of_the_reference(event, label):
    assert events.event_label(event) == label


@pytest.mark.parametrize(
    ("registered", "incoming", "expected"),
    [
        pytest.param((R.NODE, A.ADD), (R.NODE, A.ADD), True, id="same"),
        pytest.param((R.NODE, A.ADD), (R.NODE, A.DELETE), False, id="another action"),
        pytest.param((R.NODE, A.ADD), (R.POD, A.ADD), False, id="another resource"),
        pytest.param((R.NODE, A.UPDATE), (R.NODE, A.UPDATE_NODE_LABEL), True, id="more specific reaches general"),
        pytest.param((R.NODE, A.UPDATE_NODE_LABEL), (R.NODE, A.UPDATE), False, id="general misses specific"),
        pytest.param((R.NODE, A.ADD | A.UPDATE_NODE_LABEL), (R.NODE, A.UPDATE_NODE_LABEL), True, id="one of several"),
        pytest.param((R.POD, A.ADD), (R.ASSIGNED_POD, A.ADD), True, id="Pod stands for assigned pods"),
        pytest.param((R.POD, A.ALL), (R.UNSCHEDULED_POD, A.UPDATE), True, id="Pod stands for unscheduled pods"),
        pytest.param((R.ASSIGNED_POD, A.ADD), (R.POD, A.ADD), False, id="assigned pods do not stand for Pod"),
        pytest.param((R.WILDCARD, A.ADD), (R.NODE, A.ADD), True, id="any resource"),
        pytest.param((R.WILDCARD, A.ALL), (R.NODE, A.DELETE), True, id="wildcard hears all"),
        pytest.param((R.NODE, A.ALL), (R.WILDCARD, A.ALL), False, id="incoming wildcard reaches wildcards only"),
    ],
)
def test_matching(registered, incoming, expected):
    assert events.matches(ClusterEvent(*registered), ClusterEvent(*incoming)) is expected


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (events.UNSCHEDULED_POD_ADD, "PodAdd"),
        (ClusterEvent(R.UNSCHEDULED_POD, A.UPDATE_POD_LABEL), "PodUpdate"),
        (ClusterEvent(R.ASSIGNED_POD, A.UPDATE_POD_SCALE_DOWN), "AssignedPodUpdate"),
        (events.ASSIGNED_POD_ADD, "AssignedPodAdd"),
        (ClusterEvent(R.NODE, A.ADD), "NodeAdd"),
        (ClusterEvent(R.NODE, A.UPDATE_NODE_TAINT), "NodeTaintChange"),
        (ClusterEvent(R.STORAGE_CLASS, A.ADD), "StorageClassAdd"),
        (events.UNSCHEDULABLE_TIMEOUT, "UnschedulableTimeout"),
    ],
)
def test_the_queue_of_2021_had_names_of_its_own(event, name):
    assert events.name_of_2021(events.event_label(event)) == name
