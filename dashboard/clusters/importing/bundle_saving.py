"""A bundle handed on when its import is saved: the objects as the collection began, and the record itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dashboard.clusters.importing import saving
from dashboard.clusters.models import ImportBundle, Revision
from dashboard.clusters.revisions import actions
from dashboard.common.problems import Problem
from dashboard.common.registering import Registered
from scheduler_core.manifests import Limits, ManifestSource, load_cluster
from scheduler_core.manifests.bundle.reading import Bundle, open_bundle
from scheduler_core.manifests.forms.model import FormReading, as_source
from scheduler_core.manifests.model import LoadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.accounts.models import Member
    from dashboard.clusters.importing.saving import ImportedContents
    from dashboard.clusters.models import ImportDraft

    Keep = Callable[[Revision, Revision], None]
    PrepareKeeping = Callable[[Member, Bundle, bytes], Keep]

_keepers: Registered[PrepareKeeping] = Registered()


def register_keeper(prepare: PrepareKeeping) -> None:
    """Register what keeps a bundle once its import is saved: called with the member, the bundle, and the same packed;
    what it returns is called in the transaction that saves, with the revisions as the collection began and ended."""
    _keepers.add("", prepare)


class SavedBundle(NamedTuple):
    """What is saved besides the objects as of the end: those of the beginning, and the bundle itself."""

    beginning: ImportedContents
    keep: Keep


def prepare(member: Member, draft: ImportDraft) -> SavedBundle | None:
    """Read the draft's bundle and store the objects of its beginning ahead; None where the import is of none.

    Raises Problem for one that cannot be read."""
    row = ImportBundle.objects.filter(draft=draft).first()
    if row is None:
        return None
    data = bytes(row.data)
    try:
        bundle = open_bundle(ManifestSource(row.name, data))
        objects = as_source(row.name, FormReading([listed.object for listed in bundle.objects()]))
        loaded = load_cluster([objects], Limits())
    except LoadError as problem:
        raise Problem(f"{problem.message}.", title="This bundle cannot be read") from None
    contents, left_out = saving.valid_contents(loaded)
    actions.store_ahead(member.workspace_id, contents)
    return SavedBundle(saving.ImportedContents(contents, left_out), _keepers.all()[""](member, bundle, data))
