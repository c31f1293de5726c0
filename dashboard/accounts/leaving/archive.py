"""Archives of what belongs to a workspace or a person: a zip with one file of JSON lines for each model.

A line is a row, as {field: value}: moments in ISO 8601, binary fields (recordings, manifests, tapes) in base64, in the
formats that the models document. Hashes of secrets and passwords stay out.
"""

from __future__ import annotations

import json
from base64 import b64encode
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

from dashboard.accounts.leaving.belongings import label, rows_of_person, rows_of_workspace, ways_to_workspace
from dashboard.accounts.models import User, Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from django.db.models import QuerySet

    from dashboard.accounts.leaving.belongings import Model

SECRET_FIELDS = frozenset({"password", "secret_hash", "site_hash"})
PEOPLE_FIELDS = ("id", "email", "name", "is_active", "created_at")
ROWS = 200
"""How many rows are in memory at a time: a chunk of a recording may take megabytes."""


def export_workspace(workspace: Workspace, path: Path) -> dict[str, int]:
    """Write the archive of a workspace; return {model: rows}. Raises FileExistsError, OSError."""
    own: list[tuple[Model, QuerySet[Any]]] = [
        (Workspace, rows_of_workspace(Workspace, workspace)),
        (User, User.objects.filter(memberships__workspace=workspace)),
    ]
    return _write(path, [*own, *((model, rows_of_workspace(model, workspace)) for model in ways_to_workspace())])


def export_person(user: User, path: Path) -> dict[str, int]:
    """Write the archive of a person: their row and all rows that refer to them; return {model: rows}."""
    return _write(path, rows_of_person(user))


def _write(path: Path, parts: Iterable[tuple[Model, QuerySet[Any]]]) -> dict[str, int]:
    file = path.open("xb")
    try:
        with file:
            path.chmod(0o600)
            return _write_parts(file, parts)
    except BaseException:
        # Half an archive looks like a whole one, and would be in the way of the next try.
        path.unlink(missing_ok=True)
        raise


def _write_parts(file: IO[bytes], parts: Iterable[tuple[Model, QuerySet[Any]]]) -> dict[str, int]:
    counts = {}
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for model, rows in parts:
            with archive.open(f"{label(model)}.jsonl", "w", force_zip64=True) as lines:
                counts[label(model)] = _write_rows(model, rows, lines)
    return counts


def _write_rows(model: Model, rows: QuerySet[Any], lines: IO[bytes]) -> int:
    fields = [field.attname for field in model._meta.concrete_fields if field.name not in SECRET_FIELDS]
    chosen = PEOPLE_FIELDS if model is User else fields
    count = 0
    for row in rows.values(*chosen).iterator(chunk_size=ROWS):
        lines.write(json.dumps(row, default=_plain, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def _plain(value: object) -> str:
    """Return a value that JSON has no form of; raises TypeError for a kind that no model has."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview | bytearray):
        return b64encode(bytes(value)).decode()
    raise TypeError(f"a field of {type(value).__name__}")
