"""A cluster on which a text changes where a pod goes; answers are computed by whoever asks."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard.run_helpers import node, pod

PACKING = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  plugins:
    score:
      disabled:
      - name: "*"
      enabled:
      - name: NodeResourcesFit
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources:
        - name: cpu
          weight: 1
"""


@pytest.fixture
def revision(workspace):
    """Two nodes, a pod on the first, and a pod that waits."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
    bound = pod("held", "2", nodeName="a") | {"status": {"phase": "Running"}}
    return object_store.save_revision(cluster, [node("a", "8"), node("b", "8"), bound, pod("new", "1")], Saving(None))
