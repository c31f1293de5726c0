"""An import is proposed as a revision of the cluster that it is of, else as a cluster with a free name."""

from __future__ import annotations

from dashboard.clusters.importing.same_cluster import free_name_like, node_sample, same_cluster
from scheduler_core.manifests import dump_yaml
from tests.dashboard.clusters.conftest import node
from tests.dashboard.clusters.importing.import_helpers import send


def saved(editor, name, nodes):
    url = send(editor, (f"{name}.yaml", dump_yaml([node(one) for one in nodes]).encode()))
    assert editor.post(url + "save", {"name": name}).status_code == 302


def test_a_file_of_the_same_name_is_proposed_as_a_revision(editor):
    saved(editor, "prod", ["a"])
    url = send(editor, ("prod.yaml", dump_yaml([node("b")]).encode()))
    page = editor.get(url).content.decode()
    assert 'id="same"' in page
    assert 'value="prod 2"' in page
    assert editor.post(url + "save", {"name": "prod 2", "into": "prod"}).headers["Location"].endswith("/clusters/prod/")


def test_clusters_are_told_by_the_names_of_their_nodes(editor):
    workspace = editor.member.workspace
    names = [f"n{i}" for i in range(20)]
    saved(editor, "eu", names)
    alike = same_cluster(workspace, "other", node_sample([*names[1:], "new"]))
    assert alike is not None
    assert alike.cluster.name == "eu"
    assert same_cluster(workspace, "other", node_sample([f"m{i}" for i in range(20)])) is None
    assert same_cluster(workspace, "other", node_sample(names[:10])) is None
    assert same_cluster(workspace, "other", node_sample(["n0"])) is None
    assert free_name_like(workspace, "eu") == "eu 2"
    assert free_name_like(workspace, "us") == "us"
