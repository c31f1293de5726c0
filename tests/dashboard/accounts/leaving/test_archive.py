"""Archives hold each row of a workspace or of a person, and no secret."""

from __future__ import annotations

import errno
import json
from io import StringIO
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from dashboard.accounts import audit
from dashboard.accounts.leaving import archive as archives
from dashboard.accounts.leaving.archive import export_person, export_workspace
from dashboard.accounts.leaving.belongings import label, ways_to_workspace
from dashboard.clusters.models import Cluster, ObjectBlob
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from tests.dashboard.run_helpers import cluster_of


def rows(path, name):
    """Return the rows of one file of an archive."""
    with ZipFile(path) as archive:
        return [json.loads(line) for line in archive.read(f"{name}.jsonl").splitlines()]


@pytest.fixture
def cluster(workspace, editor):
    """A cluster with a revision by Edda, and a line in the log."""
    cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod", created_by=editor.user)
    object_store.save_revision(cluster, cluster_of(2, 3), Saving(editor.user))
    audit.record(workspace, editor.user, "cluster.made", "Prod")
    return cluster


def test_a_workspace_has_a_file_of_each_model_with_its_rows_alone(cluster, workspace, stranger, tmp_path):
    counts = export_workspace(workspace, tmp_path / "team.zip")
    with ZipFile(tmp_path / "team.zip") as archive:
        files = {name.removesuffix(".jsonl") for name in archive.namelist()}
    assert files == {label(model) for model in ways_to_workspace()} | {"accounts.Workspace", "accounts.User"}
    assert {row["email"] for row in rows(tmp_path / "team.zip", "accounts.User")} == {
        "asha@example.org",
        "edda@example.org",
    }
    (row,) = rows(tmp_path / "team.zip", "clusters.Cluster")
    assert (row["slug"], row["workspace_id"]) == ("prod", workspace.pk)
    blobs = ObjectBlob.objects.filter(workspace=workspace).count()
    assert counts["clusters.ObjectBlob"] == len(rows(tmp_path / "team.zip", "clusters.ObjectBlob")) == blobs > 0


def test_a_person_has_the_rows_that_refer_to_them_and_no_password(cluster, editor, owner, tmp_path):
    export_person(editor.user, tmp_path / "edda.zip")
    (person,) = rows(tmp_path / "edda.zip", "accounts.User")
    assert set(person) == {"id", "email", "name", "is_active", "created_at"}
    assert [row["slug"] for row in rows(tmp_path / "edda.zip", "clusters.Cluster")] == ["prod"]
    assert {row["actor_id"] for row in rows(tmp_path / "edda.zip", "accounts.AuditEntry")} == {editor.user.pk}
    assert (tmp_path / "edda.zip").stat().st_mode & 0o077 == 0


def test_commands_write_them_and_refuse_what_is_not_there(cluster, tmp_path):
    out = StringIO()
    call_command("export_workspace", "team", tmp_path / "team.zip", stdout=out)
    call_command("export_person", "EDDA@example.org", tmp_path / "edda.zip", stdout=out)
    assert [name for name in ("team.zip", "edda.zip") if name not in out.getvalue()] == []
    with pytest.raises(CommandError, match=r"team\.zip cannot be written"):
        call_command("export_workspace", "team", tmp_path / "team.zip")
    with pytest.raises(CommandError, match="no workspace elsewhere"):
        call_command("export_workspace", "elsewhere", tmp_path / "x.zip")
    with pytest.raises(CommandError, match="nobody has the e-mail address"):
        call_command("export_person", "no@example.org", tmp_path / "x.zip")


def test_an_archive_that_cannot_be_written_to_its_end_leaves_no_file(owner, tmp_path, monkeypatch):
    def fail(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(archives, "_write_rows", fail)
    with pytest.raises(OSError, match="No space left"):
        export_person(owner.user, tmp_path / "person.zip")
    assert list(tmp_path.iterdir()) == []
