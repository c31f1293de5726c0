"""What the fragment of an object's form shows: its form, what that matches, findings, its YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.clusters.editor.object_text import Checked, check_text
from dashboard.clusters.forms.kinds import form_for
from dashboard.clusters.forms.matching import MatchNote, matching_notes, typed_pod
from dashboard.clusters.forms.mends import find_mends
from dashboard.clusters.forms.values import field_name, section_values
from dashboard.clusters.revisions.contents import known_fields
from dashboard.clusters.texts import store
from dashboard.clusters.texts.changes import read_document
from dashboard.common.problems import NotFound
from scheduler_core.manifests.kinds.registry import POD_MAKERS
from scheduler_core.manifests.model import LoadError, path_of_text, path_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dashboard.clusters.drafts.opened import OpenedDraft
    from dashboard.clusters.forms.mends import Mend
    from dashboard.clusters.forms.values import FormValue, PairValue, RowValue, SectionValue
    from dashboard.clusters.revisions.contents import Contents
    from dashboard.clusters.revisions.object_keys import Key
    from scheduler_core.manifests import Finding


def placed(values: Sequence[FormValue], findings: Iterable[Finding]) -> list[Finding]:
    """Put each finding's message at the nearest part of the form; return those that have no place in it."""
    parts = {_key(part.path): part for part in parts_of(values)}
    left: list[Finding] = []
    for one in findings:
        path = path_of_text(one.field)
        nearest = next((parts[key] for size in range(len(path), 1, -1) if (key := _key(path[:size])) in parts), None)
        if nearest is None:
            left.append(one)
        else:
            nearest.problems.append(one.message)
    return left


def _key(path: Sequence[str | int]) -> str:
    # Findings cut long keys, and write the others in their own way.
    return path_text(tuple(path))


def parts_of(values: Iterable[FormValue]) -> Iterator[FormValue | RowValue | PairValue]:
    """Yield fields and whatever is in them: pairs, rows, fields of rows."""
    for value in values:
        yield value
        yield from value.pairs
        for row in value.rows:
            yield row
            yield from parts_of(row.fields)


AT_ONCE = 3_000
"""In drafts of more objects the form comes first, and what it matches a moment later."""
PODS_SHOWN = 12


@dataclass
class ObjectForm:
    """The form of one object, as its text has it; `key` is None for one that is not in the draft yet."""

    draft: OpenedDraft
    kind: str
    key: Key | None
    text: str
    seen: str = ""
    lost: str = ""
    saved: str = ""
    checked: Checked = field(default_factory=lambda: Checked([]))
    sections: Sequence[SectionValue] | None = None
    loose: Sequence[Finding] = ()
    notes: dict[str, MatchNote] = field(default_factory=dict)
    mends: Sequence[Mend] = ()
    pods: Sequence[Any] | None = None
    is_counted: bool = True

    @property
    def name(self) -> str:
        """Return the object's name, what is new for one that is not in the draft yet."""
        return self.key.name if self.key else f"New {self.kind}"

    @property
    def errors(self) -> int:
        """Return how many errors keep the text out of the draft."""
        return len(self.checked.errors)

    @property
    def pods_shown(self) -> Sequence[Any]:
        """Return the first pods of a workload."""
        return (self.pods or ())[:PODS_SHOWN]

    @property
    def pods_more(self) -> int:
        """Return how many more pods there are."""
        return len(self.pods or ()) - len(self.pods_shown)

    @property
    def pods_pending(self) -> int:
        """Return how many of the workload's pods wait."""
        return sum(row.status == "pending" for row in self.pods or ())


def stored_form(draft: OpenedDraft, key: Key, *, counts: bool = False) -> ObjectForm:
    """Return the form of an object of the draft; raises NotFound."""
    stored = draft.objects([key]).get(key)
    if stored is None:
        raise NotFound(f"{key.label} is not in this draft (any more).")
    address, manifest = stored
    written = store.shown(draft.draft.cluster, key, address, manifest)
    made = form_from_text(draft, key.kind, key, written.text, counts=counts)
    made.seen, made.lost = address.hex(), written.lost
    return made


def form_from_text(draft: OpenedDraft, kind: str, key: Key | None, text: str, *, counts: bool = False) -> ObjectForm:
    """Return the form of a text, with its findings and what it matches in the draft."""
    made = ObjectForm(
        draft, kind, key, text, checked=check_text(text, draft.admission, key, fields=known_fields(draft.base))
    )
    made.loose = made.checked.findings
    form = form_for(kind, is_new=key is None)
    try:
        raw = read_document(text)
    except LoadError:
        raw = None
    if form is None or not isinstance(raw, dict):
        return made
    made.sections = section_values(raw, form)
    values = [one for section in made.sections for one in section.fields]
    made.loose = placed(values, made.checked.findings)
    made.is_counted = counts or len(draft.addresses) <= AT_ONCE
    if made.is_counted:
        objects = draft.contents.loaded.objects
        made.notes = {field_name(path): note for path, note in matching_notes(form, raw, objects).items()}
        pod = typed_pod(form, raw)
        made.mends = find_mends(pod, objects.nodes, draft.added_nodes) if pod is not None else ()
        made.pods = _pods(draft.contents, key)
    return made


def _pods(contents: Contents, key: Key | None) -> Sequence[Any] | None:
    """Return the rows of the pods that a workload of the draft expands to."""
    if key is None or key.kind not in POD_MAKERS:
        return None
    return [row for row in contents.rows.pods if row.source == key]
