"""Drafts for tests: made, changed and looked at in a few words."""

from __future__ import annotations

from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import Edit, put_in
from dashboard.clusters.models import Draft
from dashboard.clusters.revisions.actions import newest_revision
from dashboard.clusters.revisions.object_keys import Key, object_key
from scheduler_core.manifests import dump_yaml
from tests.dashboard.helpers import assert_strict_csp

JOB = Key("Pod", "default", "job-1")
NODE_A = Key("Node", "", "node-a")
HERE = "/w/team/clusters/prod/"


def new_draft(person, cluster, *invited, name="More nodes"):
    """Return a draft of the person on the newest revision."""
    made = Draft.objects.create(cluster=cluster, author=person.user, base=newest_revision(cluster), name=name)
    made.invited.set([one.user for one in invited])
    return made


def fresh(draft):
    """Return the draft as the database has it."""
    return Draft.objects.select_related("base__cluster", "cluster").get(pk=draft.pk)


def seen(draft, key):
    """Return the address of an object, as somebody who opens it now sees it."""
    return OpenedDraft(fresh(draft)).addresses.get(key)


def change(person, draft, manifest, name="", key=None):
    """Put one object into the draft, in place of what it holds."""
    key = key or object_key(manifest)
    return put_in(
        person.user, fresh(draft), name or f"Change {key.label}", [Edit.over(seen(draft, key), key, manifest)]
    )


def remove(person, draft, key):
    """Delete one object in the draft."""
    return put_in(person.user, fresh(draft), f"Delete {key.label}", [Edit.over(seen(draft, key), key, None)])


def manifest_of(draft, key):
    """Return the object as the draft holds it, None where it does not."""
    stored = OpenedDraft(fresh(draft)).objects([key]).get(key)
    return stored and stored.manifest


def cpu_of(draft, key=JOB):
    """Return what a pod of the draft requests."""
    return manifest_of(draft, key)["spec"]["containers"][0]["resources"]["requests"]["cpu"]


def page_of(person, path):
    """Return a page of the cluster."""
    response = person.get(HERE + path)
    assert response.status_code == 200
    page = response.content.decode()
    assert_strict_csp(page)
    return page


def text_form(draft, raw, **more):
    """Return the editor's form with an object of the draft."""
    name = raw["metadata"]["name"]
    place = {"kind": "Pod", "ns": "default", "name": name, "draft": draft.pk}
    return {**place, "text": dump_yaml([raw]), **more}
