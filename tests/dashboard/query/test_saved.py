"""Saved searches: who sees, shares, changes and deletes them, and what may be saved."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry, Workspace
from dashboard.common.problems import Conflict, Forbidden, NotFound, Problem
from dashboard.query import saved
from dashboard.query.models import SavedSearch, SearchLink
from dashboard.query.saved import (
    change_search,
    delete_search,
    find_link,
    find_search,
    make_link,
    save_search,
    searches_of,
    short_code,
)

pytestmark = pytest.mark.django_db


def test_private_searches_are_seen_by_their_owner_alone(viewer, editor):
    made = save_search(viewer.member, " ties ", " tie ", False)
    assert (made.name, made.query) == ("ties", "tie")
    assert list(searches_of(viewer.member)) == [made]
    assert list(searches_of(editor.member)) == []
    with pytest.raises(NotFound):
        find_search(editor.member, made.pk)


def test_shared_ones_are_seen_by_all_members_of_the_workspace(viewer, editor, stranger):
    made = save_search(editor.member, "ties", "tie", True)
    assert list(searches_of(viewer.member)) == [made]


def test_editors_share_and_others_do_not(viewer, editor):
    with pytest.raises(Forbidden):
        save_search(viewer.member, "ties", "tie", True)
    made = save_search(viewer.member, "ties", "tie", False)
    with pytest.raises(Forbidden):
        change_search(viewer.member, made, "ties", True)
    assert not SavedSearch.objects.get().is_shared


def test_a_name_is_used_once_by_one_member(viewer, editor):
    save_search(viewer.member, "ties", "tie", False)
    with pytest.raises(Conflict):
        save_search(viewer.member, "TIES", "move", False)
    save_search(editor.member, "ties", "tie", False)


@pytest.mark.parametrize(("name", "query"), [("", "tie"), ("x" * 81, "tie"), ("a\nb", "tie"), ("a", "("), ("a", "")])
def test_what_is_written_wrongly_is_refused(viewer, name, query):
    with pytest.raises(Problem):
        save_search(viewer.member, name, query, False)


def test_there_is_a_limit(viewer, monkeypatch):
    monkeypatch.setattr(saved, "MAX_OF_MEMBER", 1)
    save_search(viewer.member, "a", "tie", False)
    with pytest.raises(Problem):
        save_search(viewer.member, "b", "tie", False)


def test_owners_and_admins_change_shared_ones(people):
    made = save_search(people["editor"].member, "a", "tie", True)
    with pytest.raises(Forbidden):
        delete_search(people["viewer"].member, made)
    assert change_search(people["admin"].member, made, "b", True).name == "b"
    delete_search(people["editor"].member, made)
    with pytest.raises(NotFound):
        delete_search(people["editor"].member, made)


def test_the_audit_log_names_shared_ones_only(viewer, editor):
    save_search(viewer.member, "secret", "pod:secret", False)
    save_search(editor.member, "open", "tie", True)
    entries = AuditEntry.objects.filter(action="search.saved").order_by("pk")
    assert [(one.object, one.details) for one in entries] == [("a private search", {}), ("open", {"query": "tie"})]


def test_the_same_search_has_one_link_whoever_copies_it(viewer, editor):
    link = make_link(viewer.member, 3, "q=tie")
    assert make_link(editor.member, 3, "q=tie") == link
    assert find_link(viewer.member.workspace, link.code) == link
    assert (link.run, link.query, link.made_by) == (3, "q=tie", viewer.member.user)
    assert SearchLink.objects.count() == 1


def test_codes_never_change():
    assert short_code(None, "q=tie") == "2azxkpp77p"
    assert len({short_code(None, "q=tie"), short_code(3, "q=tie"), short_code(3, "q=ties")}) == 3


def test_a_link_is_of_its_workspace(viewer):
    link = make_link(viewer.member, None, "q=tie")
    with pytest.raises(NotFound):
        find_link(Workspace.objects.create(slug="other", name="Other"), link.code)


def test_what_is_too_long_or_too_many_has_none(viewer, editor, monkeypatch):
    with pytest.raises(Problem):
        make_link(viewer.member, None, "q=" + "a" * saved.LONGEST_QUERY)
    monkeypatch.setattr(saved, "LINKS_OF_A_MEMBER", 1)
    link = make_link(viewer.member, None, "q=tie")
    with pytest.raises(Conflict):
        make_link(viewer.member, None, "q=ties")
    assert make_link(viewer.member, None, "q=tie") == link
    make_link(editor.member, None, "q=ties")
