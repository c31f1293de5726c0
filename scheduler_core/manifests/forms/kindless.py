"""Objects without a kind in archives whose folders say it: pods.yaml, pods/NAME.json, config/node/NAME.json.

Support bundles, must-gather and Insights write such files. The kind is that of the nearest folder, or of the file's own
name, that is a resource of the API.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

from scheduler_core.api.kinds import bare_kind
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.kinds.registry import KINDS, served_version
from scheduler_core.manifests.model import Limits, ManifestSource, Raw
from scheduler_core.manifests.parsing.sources import read_documents, read_text

_EVENT = "Event"
_OTHER_NAMES = {
    "pv": "PersistentVolume",
    "pvs": "PersistentVolume",
    "pvc": "PersistentVolumeClaim",
    "pvcs": "PersistentVolumeClaim",
    "pdb": "PodDisruptionBudget",
    "pdbs": "PodDisruptionBudget",
    "event": _EVENT,
    "events": _EVENT,
}
_ENDS = (".gz", ".json", ".yaml", ".yml", ".jsonl")
_TYPED = re.compile(r'\A\s*\{\s*"(?:apiVersion|kind)"|^(?:apiVersion|kind):', re.MULTILINE)
_PARTS = {"spec", "status", "value", "provisioner", "involvedObject", "capacity"}


def _names() -> dict[str, str]:
    """{folder: kind}: resources in the plural and the singular, with and without dashes between their parts."""
    names = dict(_OTHER_NAMES)
    for kind in KINDS:
        plural = f"{kind}es" if kind.endswith("s") else f"{kind}s"
        for word in (kind, plural):
            names[word.lower()] = kind
            names[re.sub(r"(?<=[a-z])(?=[A-Z])", "-", word).lower()] = kind
    return names


_KINDS = _names()


def kind_of_folder(name: str) -> str:
    """The kind of the objects in a file of this name, "" where nothing says it."""
    *folders, file = posixpath.normpath(name).lower().split("/")
    for end in _ENDS:
        file = file.removesuffix(end)
    return next((_KINDS[part] for part in (file, *reversed(folders)) if part in _KINDS), "")


def is_kindless(head: FileHead) -> bool:
    """Whether a file of such a folder may hold objects without a kind."""
    text = head.text.lstrip()
    is_candidate = "/" in head.name and head.name.lower().endswith(_ENDS) and "metadata" in text
    return is_candidate and not _TYPED.search(text) and kind_of_folder(head.name) != ""


def _read(source: ManifestSource, limits: Limits) -> FormReading | None:
    kind = kind_of_folder(source.name)
    items: list[Raw] = []
    for document in read_documents(read_text(source, limits), limits):
        value: Any = document.value
        if isinstance(value, dict) and isinstance(value.get("items"), list) and not value.get("kind"):
            value = value["items"]
        entries = value if isinstance(value, list) else [value]
        items += [one for one in entries if one is not None]
    if not items or not all(_lacks_kind(one) for one in items):
        return None
    version = "v1" if kind == _EVENT else served_version(kind)
    return FormReading([{"apiVersion": version, **one, "kind": bare_kind(kind)} for one in items])


def _lacks_kind(raw: Any) -> bool:
    """Whether it looks like an object without its kind."""
    is_object = isinstance(raw, dict) and isinstance(raw.get("metadata"), dict) and bool(_PARTS & raw.keys())
    return is_object and not raw.get("kind")


KINDLESS = InputForm("objects whose folder says their kind", is_kindless, _read)
