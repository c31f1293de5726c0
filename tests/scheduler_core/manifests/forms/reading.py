"""What a rewritten file holds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster, rewritten
from scheduler_core.manifests.forms.model import RECORD
from scheduler_core.manifests.model import LoadError


def items(data: bytes | str, name: str = "f") -> list[dict[str, Any]]:
    """The objects that the loader takes without an error, but for the record of the form."""
    source = rewritten(_source(data, name))
    assert load_cluster([source]).errors == []
    whole = json.loads(source.data)
    assert whole["kind"] == "List"
    return [one for one in whole["items"] if one["kind"] != RECORD]


def names(data: bytes | str, name: str = "f") -> list[str]:
    """The names of the objects."""
    return [one["metadata"]["name"] for one in items(data, name)]


def loaded(data: bytes | str, name: str = "f") -> LoadResult:
    """What the loader makes of a file as it came."""
    return load_cluster([_source(data, name)])


def gaps(data: bytes | str, name: str = "f") -> list[str]:
    """The codes of what the form lacks."""
    return [gap.code for gap in loaded(data, name).unplayed.gaps]


def refusal(data: bytes | str, name: str = "f") -> LoadError:
    """The error with which a file is refused."""
    with pytest.raises(LoadError) as refused:
        rewritten(_source(data, name))
    return refused.value


def requests(pod: dict[str, Any]) -> dict[str, str]:
    """What a pod of one container requests."""
    amounts: dict[str, str] = pod["spec"]["containers"][0]["resources"]["requests"]
    return amounts


def node(name: str, **metadata: Any) -> dict[str, Any]:
    """A node that offers little."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, **metadata},
        "status": {"allocatable": {"cpu": "1", "pods": "5"}},
    }


def _source(data: bytes | str, name: str) -> ManifestSource:
    return ManifestSource(name, data.encode() if isinstance(data, str) else data)
