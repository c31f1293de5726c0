"""Which version of Kubernetes runs follow: what a cluster runs, and the versions that people choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.models import FollowedRevision
from dashboard.clusters.revisions.contents import read_contents
from scheduler_core.versions.detecting import ClusterVersion, detect
from scheduler_core.versions.trains import NAMES, TRAINS, VersionError, find_train

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents

FIELDS = ("kubernetes", "gates")
"""The policies that say what is followed, and their fields in forms."""
BEFORE = "1.34, as before versions were named"
CHOICES = [(name, f"{TRAINS[name].label}, {TRAINS[name].evidence}") for name in reversed(NAMES)]
"""(value, words) of the versions that can be followed, newest first."""


def cluster_version(revision: Revision) -> ClusterVersion:
    """Return what the revision's cluster runs; reads its objects."""
    said = FollowedRevision.objects.filter(revision=revision).exclude(server_version="").order_by("-moment")
    server = said.values_list("server_version", flat=True).first() if revision.pk else None
    return version_in(read_contents(revision), server or "")


def version_in(contents: Contents, server: str = "") -> ClusterVersion:
    """Return what a cluster with these objects runs; `server` is what its API server said."""
    loaded = contents.loaded
    return detect(loaded.objects.pods, loaded.unplayed.versions, server)


def train_name(version: str) -> str:
    """Return the name of a version's train as forms have it; other texts, "" among them, stay as they are."""
    try:
        return find_train(version).name
    except VersionError:
        return version


def version_words(policies: Mapping[str, Any]) -> str:
    """Return what a run follows: "1.36, measured against 1.36.2, with NodeDeclaredFeatures=false"."""
    version, gates = str(policies.get("kubernetes", "")), str(policies.get("gates", ""))
    if not version:
        return BEFORE
    return f"{dict(CHOICES).get(train_name(version), version)}{f', with {gates}' if gates else ''}"
