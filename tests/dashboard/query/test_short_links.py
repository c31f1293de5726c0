"""Short links of searches: the same code for the same search, in one's own workspace alone, and so many of them."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import Workspace
from dashboard.common.problems import Conflict, NotFound, Problem
from dashboard.query import short_links
from dashboard.query.models import SearchLink
from dashboard.query.short_links import find_link, make_link, short_code

pytestmark = pytest.mark.django_db


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
        make_link(viewer.member, None, "q=" + "a" * short_links.LONGEST_QUERY)
    monkeypatch.setattr(short_links, "LINKS_OF_A_MEMBER", 1)
    link = make_link(viewer.member, None, "q=tie")
    with pytest.raises(Conflict):
        make_link(viewer.member, None, "q=ties")
    assert make_link(viewer.member, None, "q=tie") == link
    make_link(editor.member, None, "q=ties")
