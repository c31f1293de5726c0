"""What each page knows of its reader: workspaces to switch to, colours of members."""

from __future__ import annotations

import re

from dashboard.accounts import actions


def test_switcher_lists_only_my_workspaces(viewer, stranger):
    actions.create_workspace(viewer.user, "Second")
    page = viewer.get("/w/team/members/").content.decode()
    assert "/w/second/" in page
    assert "/w/elsewhere/" not in page


def test_people_of_a_small_team_have_avatars_of_their_own_colour(owner, editor, reviewer, viewer):
    page = owner.get("/w/team/members/").content.decode()
    colours = {
        name: re.search(rf'<span class="avatar (avatar-\w)[^"]*" title="{name}"', page)[1]
        for name in ("Asha", "Edda", "Ravi", "Vera")
    }
    assert len(set(colours.values())) == 4
