"""The versions of a control plane, and which one comparisons keep."""

from __future__ import annotations

import pytest

from dashboard.accounts.models import AuditEntry
from dashboard.clusters.models import Following
from dashboard.common.problems import Conflict, Forbidden
from dashboard.following.moments.versions import changes_of_version, follow_version, server_version


def with_versions(began, first, *later):
    return Following(meta={"began": began, "server_version": first, "versions": [list(one) for one in later]})


def test_versions_come_in_the_order_of_their_times_each_once():
    following = with_versions(10.0, "v1.34.1", (30.0, "v1.36.2"), (20.0, "v1.35.0"), (40.0, "v1.36.2"))
    assert changes_of_version(following) == [(10.0, "v1.34.1"), (20.0, "v1.35.0"), (30.0, "v1.36.2")]
    assert [server_version(following, at) for at in (5.0, 10.0, 25.0, None)] == [
        *("v1.34.1", "v1.34.1", "v1.35.0", "v1.36.2")
    ]
    assert server_version(Following()) == ""


def test_comparisons_keep_their_version_until_somebody_follows_the_new_one(followed, following, clock, editor, viewer):
    clock.on(minutes=5)
    at = clock.seconds
    followed.send(meta=followed.meta(versions=((at, "v1.36.2"),)))
    following.refresh_from_db()
    assert following.followed_version == "v1.34.1"
    with pytest.raises(Forbidden):
        follow_version(viewer.member, following, "v1.36.2")
    with pytest.raises(Conflict):
        follow_version(editor.member, following, "v1.35.0")
    follow_version(editor.member, following, "v1.36.2")
    following.refresh_from_db()
    assert (following.followed_version, following.followed_since.timestamp()) == ("v1.36.2", at)
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.details) == ("cluster.version_followed", {"before": "v1.34.1", "after": "v1.36.2"})
