"""Handles of members: short, distinct, from names."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Member, User
from dashboard.review.writing.people import people_of

pytestmark = pytest.mark.django_db


def test_handles_come_from_names_or_addresses_and_are_distinct(owner, workspace):
    people = [
        ("asha.r@example.org", "Asha"),
        ("jonas@example.org", "Jonas  Stein"),
        ("mueller@example.org", "Jürgen Müller"),
        ("li.wei@example.org", "李伟"),
        ("a_b@example.org", ""),
        ("李@example.org", "李"),
        ("long@example.org", "x" * 100),
    ]
    for email, name in people:
        Member.objects.create(workspace=workspace, user=User.objects.create_user(email, name))
    handles = people_of(workspace)
    assert list(handles) == [
        *("asha", "asha-2", "jonas-stein", "jurgen-muller", "liwei", "a-b", "somebody", "x" * 40),
    ]
    assert handles["asha"].user == owner.user


def test_people_of_other_workspaces_have_none_here(owner, stranger, workspace):
    assert [one.user for one in people_of(workspace).values()] == [owner.user]
