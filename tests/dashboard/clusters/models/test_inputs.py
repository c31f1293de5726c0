"""What a cluster and its revisions call themselves in messages."""

from __future__ import annotations

import pytest

from dashboard.clusters.models import Cluster, Revision

pytestmark = pytest.mark.django_db


def test_the_objects_of_a_revision_are_summed_over_their_kinds():
    assert Revision(counts={"Node": 3, "Pod": 40}).n_objects == 43
    assert Revision(counts={}).n_objects == 0


def test_a_cluster_is_called_by_its_name(workspace):
    assert str(Cluster(workspace=workspace, name="Prod EU", slug="prod-eu")) == "Prod EU"
