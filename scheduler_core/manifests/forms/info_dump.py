"""What ``kubectl cluster-info dump`` writes: JSON lists one after another, then the logs of all containers, which are
passed over."""

from __future__ import annotations

import re

from scheduler_core.manifests.forms.cut import cut_gap, cut_note, values_before
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource
from scheduler_core.manifests.parsing.cut_json import CutJson, before_cut
from scheduler_core.manifests.parsing.sources import decoded, read_data

_BEGIN = re.compile(r'\s*\{\s*"kind": "\w+List",\s*"apiVersion"')
_LOGS = re.compile(r"^==== (START|END) logs for container [^\n]{1,1000} ====$", re.MULTILINE)
_MARK = b"==== START logs for container "


def _is_dump(head: FileHead) -> bool:
    return _BEGIN.match(head.text) is not None or head.text.startswith(_MARK.decode())


def _read(source: ManifestSource, limits: Limits) -> FormReading | None:
    data = read_data(source, limits)
    if _MARK not in data:
        return None
    text, n_logs, n_lines, is_whole = _without_logs(decoded(data))
    cut = before_cut(text)
    items = list(values_before(cut or CutJson(text, 0, False), limits))
    if not items:
        raise LoadError("there are logs of containers in it and no objects. Get those with kubectl cluster-info dump")
    logs = f"{n_logs} log{'' if n_logs == 1 else 's'} of containers"
    notes = [f"{logs} ({n_lines} lines) {'is' if n_logs == 1 else 'are'} passed over and not kept"]
    if cut is None and is_whole:
        return FormReading(items, notes=tuple(notes))
    line = decoded(data).rstrip().count("\n") + 1
    return FormReading(items, (cut_gap(line),), (*notes, cut_note(line)))


def _without_logs(text: str) -> tuple[str, int, int, bool]:
    """The text without its logs, how many there are, their lines, and whether the last of them has its end."""
    parts, at, n_logs, n_lines = [], 0, 0, 0
    begin: int | None = None
    for mark in _LOGS.finditer(text):
        if mark[1] == "START" and begin is None:
            parts.append(text[at : mark.start()])
            begin = mark.end()
        elif mark[1] == "END" and begin is not None:
            n_logs, n_lines = n_logs + 1, n_lines + text.count("\n", begin + 1, mark.start())
            at, begin = mark.end(), None
    if begin is None:
        return "".join([*parts, text[at:]]), n_logs, n_lines, True
    return "".join(parts), n_logs + 1, n_lines + text.count("\n", begin + 1), False


DUMP = InputForm("kubectl cluster-info dump", _is_dump, _read)
