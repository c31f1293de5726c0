"""Settings of a workspace: what is saved, what is refused."""

from __future__ import annotations

import pytest


def test_settings_are_saved(owner, workspace):
    data = {"name": "Team B", "max_storage_gib": "1.5", "retention_days": "30"}
    assert owner.post("/w/team/settings/", data).status_code == 302
    workspace.refresh_from_db()
    assert (workspace.name, workspace.max_storage_bytes, workspace.retention_days) == ("Team B", 3 * 2**29, 30)
    assert 'value="1.5"' in owner.get("/w/team/settings/").content.decode()


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "x" * 121},
        {"max_storage_gib": "0"},
        {"max_storage_gib": "lots"},
        {"max_storage_gib": "NaN"},
        {"retention_days": "0"},
        {"retention_days": "4000"},
    ],
)
def test_settings_refuse_what_cannot_be(owner, workspace, change):
    data = {"name": "Team", "max_storage_gib": "1", "retention_days": "", **change}
    assert owner.post("/w/team/settings/", data).status_code == 422
    before = workspace.max_storage_bytes
    workspace.refresh_from_db()
    assert workspace.max_storage_bytes == before
