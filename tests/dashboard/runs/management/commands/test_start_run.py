"""manage.py start_run reads what the import page, simulate and validate read."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dashboard.clusters.revisions.contents import contents_of
from dashboard.runs.lifecycle import waiting
from dashboard.runs.models import Run


@pytest.fixture(autouse=True)
def _silent(monkeypatch):
    """No message is sent: nobody works here."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)


@pytest.fixture
def start_run(owner, tmp_path):
    """A function that writes an object as JSON and starts a run of it with the options."""

    def start(raw, *options):
        path = tmp_path / "cluster.json"
        path.write_text(raw if isinstance(raw, str) else json.dumps(raw))
        out = StringIO()
        call_command("start_run", str(path), *options, stdout=out)
        return Run.objects.select_related("revision__cluster").get(pk=json.loads(out.getvalue())["id"])

    return start


def test_items_of_a_typed_list_need_no_kind(start_run):
    items = [{"metadata": {"name": f"n{i}"}, "status": {"allocatable": {"cpu": "4"}}} for i in range(2)]
    run = start_run({"apiVersion": "v1", "kind": "NodeList", "items": items})
    assert run.revision.counts == {"Node": 2}
    assert [key.label for key in contents_of(run.revision).by_key] == ["Node n0", "Node n1"]


def test_a_second_run_adds_a_revision_to_the_cluster(start_run):
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in "ab"]
    assert start_run(nodes[0]).revision.number == 1
    assert start_run(nodes[1]).revision.number == 2


def test_policies_are_named_one_by_one(start_run):
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}
    assert start_run(node, "--policy", "owners=ignore", "--policy", "job_running_us=none").policies == {
        "owners": "ignore",
        "job_running_us": None,
    }
    with pytest.raises(CommandError, match=r"--policy: .* is no policy"):
        start_run(node, "--policy", "owner=keep")


def test_a_file_with_errors_starts_nothing(start_run):
    with pytest.raises(CommandError, match=r"cluster.json:\d+: Node n: status.allocatable.cpu"):
        start_run(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "x"}}}
        )
    assert not Run.objects.exists()
