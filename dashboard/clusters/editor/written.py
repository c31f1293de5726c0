"""The text in which an object is shown and edited: as people wrote it, where that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.revisions.object_keys import canonical, key_of, text_of
from dashboard.clusters.texts import store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dashboard.clusters.models import Cluster
    from dashboard.clusters.revisions.object_keys import Key, Raw
    from dashboard.clusters.revisions.page_context import PageContext
    from dashboard.clusters.texts.changes import Rewritten


def written_text(page: PageContext, key: Key, raw: Mapping[str, Any]) -> Rewritten:
    """Return the text of an object of the page."""
    address = store.address_of(text_of(page.contents.by_key.stored[key]))
    return store.shown(page.cluster, key, address, raw)


def keep_text(cluster: Cluster, manifests: Sequence[Raw], text: str) -> None:
    """Keep a text that somebody wrote, where it holds just one object."""
    if len(manifests) == 1:
        address = store.address_of(canonical(manifests[0]))
        store.keep(cluster, {key_of(manifests[0]): store.WrittenText(address, text)})
