"""The objects that an action is for: named one by one, or all that a filter finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dashboard.clusters.revisions.object_keys import Key, normal_key
from dashboard.clusters.workbench.filtering import BadFilter, parse_filter
from dashboard.clusters.workbench.tree import found_by
from dashboard.common.http.params import INT32_MAX, int_param, text_param
from dashboard.common.pages.numbers import grouped
from dashboard.common.problems import BadQuery, Conflict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dashboard.clusters.revisions.contents import Contents

TEXT_LIMIT = 4 << 20
FILTER_LIMIT = 600


class HasContents(Protocol):
    """Anything with the contents of a draft, which are read when they are asked for."""

    @property
    def contents(self) -> Contents:
        """Return the contents."""


def keys_in(text: str) -> list[Key]:
    """Return the keys of a text with a line `Kind/namespace/name` for each; raises BadQuery."""
    keys = []
    for line in text.split("\n"):
        kind, _, rest = line.strip().partition("/")
        namespace, slash, name = rest.partition("/")
        if not kind and not rest:
            continue
        if not kind or not slash or not name:
            raise BadQuery("Name each object as Kind/namespace/name.")
        keys.append(normal_key(kind, namespace, name))
    return keys


def picks_in(page: HasContents, form: Mapping[str, str]) -> list[Key]:
    """Return the objects that a form names: its `objects`, or what its `filter` finds.

    With a filter goes the number (`count`) that the reader saw; raises Conflict where it finds another one by now.
    """
    q = text_param(form, "filter", FILTER_LIMIT)
    if not q:
        return keys_in(text_param(form, "objects", TEXT_LIMIT))
    keys = filtered(page.contents, q)
    count = int_param(form, "count", 0, low=0, high=INT32_MAX)
    if len(keys) != count:
        raise Conflict(
            f"The filter finds {grouped(len(keys))} objects by now, not the {grouped(count)} that you selected. "
            "Look at them, then select them again."
        )
    return keys


def filtered(contents: Contents, q: str) -> list[Key]:
    """Return the keys of what a filter finds; raises BadQuery for one that cannot be read."""
    try:
        asked = parse_filter(q)
    except BadFilter as bad:
        raise BadQuery(str(bad)) from None
    return [Key(one.kind, one.namespace, one.name) for one in found_by(contents, asked)]
