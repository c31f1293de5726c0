"""What the audit log says of what happened."""

from __future__ import annotations

from dashboard.accounts import actions
from dashboard.accounts.models import AuditEntry, Role


def test_what_happened_stands_in_the_audit_log(owner, viewer, workspace):
    actions.rename_workspace(owner.member, "Team A")
    actions.invite(owner.member, "x@example.org", Role.VIEWER)
    actions.change_role(owner.member, viewer.member.pk, Role.EDITOR)
    actions.remove_member(owner.member, viewer.member.pk)
    entries = AuditEntry.objects.filter(workspace=workspace).order_by("id")
    assert [(entry.actor_label, entry.action, entry.object) for entry in entries] == [
        ("Asha", "workspace.created", "Team"),
        ("Asha", "workspace.renamed", "Team A"),
        ("Asha", "invitation.created", "x@example.org"),
        ("Asha", "member.role_changed", "vera@example.org"),
        ("Asha", "member.removed", "vera@example.org"),
    ]


def test_counts_in_details_are_grouped_and_numbers_of_runs_are_not():
    entry = AuditEntry(details={"entries": 9508, "run": 9508, "retention_days": None, "message": "12"})
    assert entry.details_text == [("entries", "9,508"), ("run", "9508"), ("retention days", "none"), ("message", "12")]
