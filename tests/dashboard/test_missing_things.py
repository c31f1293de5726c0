"""Every address below a workspace that names a thing, with the names of things that are not there."""

from __future__ import annotations

import pytest
from django.urls import URLResolver, get_resolver, reverse

# They lead on to the page that says what is missing, or are read before anything is looked for.
UNREADABLE = {"debugger:short_cycle_part", "debugger:short_seq_part", "compare:note"}
NAMES = {"slug": "team", "kind": "Pod", "verb": "pause", "direction": "next"}


def addresses(resolver, namespace=""):
    """Yield (name, address) of what names more than a workspace; numbers are 4711, and other names "gone"."""
    for one in resolver.url_patterns:
        if isinstance(one, URLResolver):
            yield from addresses(one, one.namespace or namespace)
        elif one.name and {"slug"} < set(one.pattern.converters):
            named = {
                key: 4711 if type(converter).__name__.endswith("IntConverter") else NAMES.get(key, "gone")
                for key, converter in one.pattern.converters.items()
            }
            yield f"{namespace}:{one.name}", reverse(f"{namespace}:{one.name}", kwargs=named)


@pytest.mark.slow
def test_what_is_not_there_is_not_found(owner):
    statuses = {name: owner.get(address).status_code for name, address in addresses(get_resolver())}
    assert len(statuses) > 100
    others = {name for name, status in statuses.items() if status not in (404, 405)}
    assert others == UNREADABLE
