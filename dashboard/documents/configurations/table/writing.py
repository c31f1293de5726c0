"""An edit of the table written into the YAML text that the table was made of.

The idea: a text says a configuration in many ways (defaults, multiPoint, a point's own lists), and what an entry
brings about depends on the others. So the small ways of writing an edit are tried in turn, the one a person would
take first, and each result is read again as a run reads it: it counts only where the configuration is the one before
with this edit and nothing else. The last way writes the whole point out: `disabled: "*"`, then its plugins in order.
A way changes plain values; the editor's writer (texts/changes.py) writes the difference into the text.

    before                         edit: NodeResourcesFit weighs 5     after
    profiles:                                                          profiles:
    - schedulerName: batch                                             - schedulerName: batch
                                                                         plugins:
                                                                           multiPoint:
                                                                             enabled:
                                                                             - name: NodeResourcesFit
                                                                               weight: 5

Cost: three readings of the text for each way, about 2 ms for a text of 50 lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.texts.changes import read_document, rewritten
from dashboard.common.problems import Problem
from dashboard.documents.configurations.checking import read_configuration
from dashboard.documents.configurations.table import ways
from dashboard.documents.configurations.table.arguments import completed
from dashboard.documents.configurations.table.edits import SetArgument, TableEdit
from dashboard.documents.configurations.table.effective import Effective, effective
from scheduler_core.manifests import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_TABLE_TEXT = 128 << 10
"""Longer texts are edited as YAML only: each edit reads and writes the whole text a few times."""


def edited(text: str, edit: TableEdit) -> str:
    """Return the text with the edit; raises Problem where there is no table or the edit makes no configuration."""
    if len(text) > MAX_TABLE_TEXT:
        raise Problem(f"The text is longer than {MAX_TABLE_TEXT >> 10} KiB, so only its YAML can be edited.")
    reading = read_configuration(text, UNKNOWN)
    if reading.configuration is None:
        raise Problem("The YAML has errors. Correct them first; the table shows the last text without one.")
    before = effective(reading.configuration)
    if edit.profile >= len(before.profiles):
        raise Problem("This profile is gone.")
    if isinstance(edit, SetArgument):
        edit = completed(edit, before.profiles[edit.profile].arguments.get(edit.plugin, {}))
    if edit.holds(before, before):
        return text
    if why := edit.impossible(before):
        raise Problem(f"Not changed: {edit.field}: {why}.")
    reasons: list[str] = []
    for candidate in _candidates(text, edit, before):
        reading = read_configuration(candidate, UNKNOWN)
        if reading.configuration is None:
            reasons += [finding.message for finding in reading.findings if finding.severity == "error"]
        elif edit.holds(before, effective(reading.configuration)):
            return candidate
    reason = reasons[0] if reasons else f"{edit.field}: the YAML cannot have this with nothing else changed."
    raise Problem(f"Not changed: {reason}")


def _candidates(text: str, edit: TableEdit, before: Effective) -> Iterator[str]:
    for way in ways.ways_to_write(edit, before):
        root = read_document(text) or {}
        way(root)
        yield rewritten(text, root).text
