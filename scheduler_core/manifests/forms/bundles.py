"""A bundle of a live cluster as a List: the objects and events as of its end, and its gaps as gaps of an input."""

from __future__ import annotations

import re
from typing import NoReturn

from scheduler_core.api.unplayed import InputGap
from scheduler_core.manifests.bundle.folding import FoldedObjects
from scheduler_core.manifests.bundle.model import BundleGap, GapCode
from scheduler_core.manifests.bundle.reading import Bundle
from scheduler_core.manifests.forms.model import FileHead, FormReading, InputForm, as_source
from scheduler_core.manifests.model import Limits, LoadError, ManifestSource

_LACKING: tuple[GapCode, ...] = ("NO_RIGHTS", "NOT_SERVED", "LIST_FAILED")
_MOST = 200
_AGAIN = "python -m scheduler_core collect"
_LINE = re.compile(r'\s*\{"t":\s*[0-9.eE+]+,.{0,200}?"object":', re.DOTALL)
_META = re.compile(r'\s*\{\s*"kind":\s*"Bundle"')


def objects_at_end(bundle: Bundle) -> ManifestSource:
    """The bundle as a file of its name that holds a List. Raises LoadError for a line that cannot be read."""
    events = FoldedObjects()
    for change in bundle.events():
        events.apply(change)
    items = [*bundle.at_end().objects.values(), *events.objects.values()]
    gaps = tuple(input_gap(gap) for gap in bundle.gaps[:_MOST] if gap.until is None and gap.code != "NO_CONFIGURATION")
    reading = FormReading(items, tuple(dict.fromkeys(gaps)), tuple(_notes(bundle)))
    return as_source(bundle.name, reading, "bundle")


def input_gap(gap: BundleGap) -> InputGap:
    """The gap of the objects as of the end that a gap of the bundle leaves, one that lasts to the end: after any other,
    all was listed again."""
    if gap.code in _LACKING:
        return InputGap(code="BUNDLE_KIND_MISSING", text=gap.text, kind=gap.kind or "Pod", command=_AGAIN)
    if gap.code == "CUT":
        return InputGap(code="CUT_OFF", text=gap.text, command=_AGAIN)
    return InputGap(code="BUNDLE_ENDS_EARLY", text=gap.text, kind=gap.kind or "Pod", command=_AGAIN)


def _notes(bundle: Bundle) -> list[str]:
    cuts = [gap.text for gap in bundle.gaps if gap.code == "CUT"]
    notes = [f"{text}. What came before is read" for text in cuts]
    if bundle.meta.configuration:
        source = f" (of {bundle.meta.configuration_of})" if bundle.meta.configuration_of else ""
        notes.append(
            f"the bundle holds the scheduler's configuration{source}: agree uses it; give it to other commands by "
            "--config"
        )
    if bundle.meta.pseudonyms:
        notes.append("names are pseudonyms: the same name has the same one everywhere in this bundle")
    return notes


def _refused(_source: ManifestSource, _limits: Limits) -> NoReturn:
    raise LoadError("this is one file of a bundle. Give the bundle whole: its folder, or the .tar.gz")


def _is_part(head: FileHead) -> bool:
    return _LINE.match(head.text) is not None or _META.match(head.text) is not None


PART = InputForm("a file of a bundle alone", _is_part, _refused)
