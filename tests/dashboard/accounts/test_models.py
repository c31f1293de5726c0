"""Roles in their order."""

from __future__ import annotations

from dashboard.accounts.models import Role


def test_roles_cover_the_smaller_ones():
    order = [Role.VIEWER, Role.REVIEWER, Role.EDITOR, Role.ADMIN]
    for i, role in enumerate(order):
        assert [role.covers(other) for other in order] == [j <= i for j in range(4)]
