"""The files that a form of uploads sent: under unique names, archives opened, text pasted beside them as one more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import SuspiciousFileOperation
from django.utils.text import get_valid_filename

from dashboard.clusters.importing.actions import PASTED
from dashboard.clusters.importing.intake import Upload, opened
from dashboard.clusters.yaml_text import text_in
from scheduler_core.manifests import is_manifest_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest

SHOWN_NAME = 200


def sent_files(request: HttpRequest, taken: Iterable[str] = ()) -> list[Upload]:
    """Return the uploaded files under unique names, since findings name files; archives are opened.

    Of a folder come only the files that are manifests by their names.
    """
    sent = request.FILES.getlist("files")
    sent += [file for file in request.FILES.getlist("folder") if is_manifest_name(file.name or "")]
    files = [Upload(_clean(file.name or ""), file.read()) for file in sent]
    text = text_in(request)
    if text.strip():
        files.append(Upload(PASTED, text.encode()))
    names = set(taken)
    return [up._replace(name=_free(_end(up.name), names)) for up in opened(files)]


def _end(name: str) -> str:
    """Return the name, of a long one its end, which tells it from others of its folder."""
    return name if len(name) <= SHOWN_NAME else f"…{name[-SHOWN_NAME:]}"


def _clean(name: str) -> str:
    try:
        return get_valid_filename(name)[:200]
    except SuspiciousFileOperation:
        return "file"


def _free(name: str, taken: set[str]) -> str:
    free = next(word for n in range(len(taken) + 1) if (word := name if n == 0 else f"{n + 1}-{name}") not in taken)
    taken.add(free)
    return free
