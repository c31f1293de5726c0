"""JSON that was cut off (a full disk, a broken connection, a stream that was ended): what came before is read."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource, Raw
from scheduler_core.manifests.parsing.cut_json import CutJson, before_cut
from scheduler_core.manifests.parsing.json_values import read_json
from scheduler_core.manifests.parsing.sources import decoded, read_data

_TAIL = 1_024
_LEAD, _LEAD_OF_THREE, _LEAD_OF_FOUR = 0xC0, 0xE0, 0xF0
"""The first byte of a character of several begins here."""


def cut_gap(line: int) -> InputGap:
    """The gap of a text that was cut in this line."""
    text = f"the text is cut off in line {line}: what came after is missing, and so is what was begun there"
    return InputGap(code="CUT_OFF", text=text, command="kubectl get ... -o json > FILE, once more")


def cut_note(line: int) -> str:
    """The warning about a text that was cut in this line."""
    return f"the text is cut off in line {line}. What came before is read; send the whole of it where you can"


def values_before(cut: CutJson, limits: Limits) -> Iterator[Raw]:
    """The documents before a cut. Raises LoadError as reading JSON does."""
    try:
        documents = read_json(cut.text, limits)
    except ValueError as problem:
        raise LoadError(f"this is no JSON: {problem}") from None
    for number, document in enumerate(documents, start=1):
        value = document.value
        if cut.is_within_list and number == len(documents) and not value.get("kind"):
            value = {**value, "apiVersion": "v1", "kind": "List"}  # kubectl writes the kind after the entries
        yield value


def _may_be_cut(head: FileHead) -> bool:
    return head.text.lstrip()[:1] == "{"


def _read(source: ManifestSource, limits: Limits) -> FormReading | None:
    data = read_data(source, limits)
    if (data[-_TAIL:].rstrip() or data.rstrip())[-1:] == b"}":
        return None
    cut = before_cut(decoded(data[: _last_whole_character(data)]))
    if cut is None:
        return None
    if not cut.text.strip():
        raise LoadError("the text is cut off here, before its first object is whole. Send the whole of it", cut.line)
    return FormReading(list(values_before(cut, limits)), (cut_gap(cut.line),), (cut_note(cut.line),))


def _last_whole_character(data: bytes) -> int:
    """Where UTF-8 text ends without the part of a character that a cut left."""
    for length in range(1, 4):
        lead = data[-length : len(data) - length + 1]
        if lead and lead[0] >= _LEAD:
            needed = 2 + (lead[0] >= _LEAD_OF_THREE) + (lead[0] >= _LEAD_OF_FOUR)
            return len(data) - length if length < needed else len(data)
    return len(data)


CUT = InputForm("JSON that was cut off", _may_be_cut, _read)
