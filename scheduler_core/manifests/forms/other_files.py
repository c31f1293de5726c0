"""Files of an archive or a folder that hold no objects (logs, pages, versions): passed over, with one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from scheduler_core.manifests.bundle.model import FILES, META
from scheduler_core.manifests.bundle.reading import BundleLimits, is_bundle, is_meta, open_bundle, open_files
from scheduler_core.manifests.forms.bundles import objects_at_end
from scheduler_core.manifests.forms.model import FormReading, as_source
from scheduler_core.manifests.forms.recognising import file_head, form_of
from scheduler_core.manifests.model import ManifestSource, shortened
from scheduler_core.manifests.parsing.archives import ArchiveContents, ArchiveLimits
from scheduler_core.manifests.parsing.archives import unpacked as unpacked_archive

_OBJECT = re.compile(r"""^[ \t"'{,\[-]*["']?(?:kind|apiVersion)["']?[ \t]*:""", re.MULTILINE)
_TEXTS = (".txt", ".csv")
_SHOWN = 5
_LONGEST = 80


def unpacked(source: ManifestSource, limits: ArchiveLimits | None = None) -> ArchiveContents:
    """The manifests of an archive, as those of archives in it; what else it holds is counted, and named in a file of
    its own. Raises LoadError, whose message names the archive and the entry that is wrong."""
    if is_bundle(source.data):
        return ArchiveContents([objects_at_end(open_bundle(source, _bundle_limits(limits)))], 0)
    contents = unpacked_archive(source, limits)
    files, n_others = without_others(source.name, contents.files, contents.n_others)
    return ArchiveContents(files, n_others)


def without_others(name: str, files: Sequence[ManifestSource], n_others: int = 0) -> tuple[list[ManifestSource], int]:
    """The files of a folder or archive that hold objects, or that are wrong, and how many do not; where some that could
    have been objects by their names do not, one more file says so."""
    bundle = _as_bundle(name, files)
    if bundle is not None:
        return [bundle], n_others
    taken = [file for file in files if _is_taken(file)]
    if len(taken) == len(files) or not taken:
        return list(files), n_others
    with_objects = {file.name for file in taken}
    others = [file.name.removeprefix(f"{name}/") for file in files if file.name not in with_objects]
    return [*taken, as_source(f"{name}/(other files)", FormReading([], notes=(_said(others),)))], n_others + len(others)


def _bundle_limits(limits: ArchiveLimits | None) -> BundleLimits:
    return BundleLimits() if limits is None else BundleLimits(max_bytes=min(limits.max_bytes, BundleLimits().max_bytes))


def _as_bundle(name: str, files: Sequence[ManifestSource]) -> ManifestSource | None:
    """The objects of a folder that is a bundle, while it is written or after that; None where it is none."""
    at_top = {file.name: file.data for file in files if file.name in [f"{name}/{one}" for one in FILES]}
    meta = at_top.get(f"{name}/{META}")
    if meta is None or not is_meta(meta):
        return None
    return objects_at_end(open_files(name, at_top))


def _is_taken(file: ManifestSource) -> bool:
    head = file_head(file)
    if form_of(head) is not None:
        return True
    if not head.text.strip():
        return False
    lower = file.name.lower().removesuffix(".gz")
    if _OBJECT.search(head.text) is not None:
        return not lower.endswith(_TEXTS) or _OBJECT.match(head.text) is not None
    return False


def _said(others: Iterable[str]) -> str:
    names = [shortened(name, _LONGEST) for name in others]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    count, verb = ("1 file", "is") if len(names) == 1 else (f"{len(names)} files", "are")
    return f"{count} without Kubernetes objects {verb} passed over: {', '.join(names[:_SHOWN])}{more}"
