"""A draft of a timeline as its pages show it: bar, editor, and the entries that it changes, before and after."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from django.urls import reverse

from dashboard.clusters.drafts.changes import MARKS, ChangeChip
from dashboard.clusters.drafts.page import BarUrls, ShownBar, chip_folds
from dashboard.common.pages.numbers import plural
from dashboard.common.pages.pagination import paginate
from dashboard.documents.kind import CheckedText
from dashboard.documents.timelines import kind
from dashboard.documents.timelines.arrivals.rows import arrival_rows
from dashboard.documents.timelines.drafts.named_changes import MOST_NAMED, named_changes
from dashboard.documents.views import Editor
from scheduler_core.simulate import time_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django.http import HttpRequest, HttpResponse

    from dashboard.accounts.access import Access
    from dashboard.clusters.revisions.diff import ObjectChange
    from dashboard.common.pages.pagination import Page
    from dashboard.documents.models import TimelineDraft
    from dashboard.documents.timelines.arrivals.hunks import EntryCounts
    from dashboard.documents.timelines.arrivals.rows import ArrivalRow
    from dashboard.documents.timelines.drafts.state import DraftedEntries, OpenedTimeline

WHATS = ("added", "changed", "removed")


def draft_address(draft: TimelineDraft, name: str = "timeline_draft") -> str:
    """Return the address of a page or action of a timeline's draft."""
    return reverse(f"clusters:{name}", args=[draft.timeline.workspace.slug, draft.timeline.slug])


def draft_bar(opened: OpenedTimeline) -> ShownBar:
    """Return the bar of a draft."""
    draft, counts = opened.draft, opened.counts
    names = ("timeline_changes", "timeline_draft_bar", "undo_timeline_draft", "redo_timeline_draft", "timeline")
    chips = entry_chips(counts)
    urls = BarUrls(*(draft_address(draft, name) for name in names))
    return ShownBar(urls, chips, chip_folds(()), sum(counts), opened.undoable, opened.redoable)


def entry_chips(counts: EntryCounts) -> list[ChangeChip]:
    """Return a chip for each sort of change that there is."""
    shown = [(what, count) for what, count in zip(WHATS, counts, strict=True) if count]
    return [
        ChangeChip(MARKS[what], what, 1, plural(count, "entry", "entries"), {"what": what}) for what, count in shown
    ]


def draft_editor(
    request: HttpRequest,
    access: Access,
    opened: OpenedTimeline,
    checked: CheckedText | None = None,
    /,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Return the editor of a draft, with a text that somebody sent, else with that of the draft."""
    draft, findings = opened.draft, checked.findings if checked else []
    is_long = len(opened.entries.now.entries) > kind.MAX_EDITABLE_ENTRIES
    text = "" if is_long else (checked.text if checked else "") or opened.text
    context = {"revision": draft.base, "draft": draft, "draft_bar": draft_bar(opened), "too_long": is_long}
    editor = Editor(request, access, kind.TIMELINE, draft.timeline, opened)
    return editor.page(CheckedText(text, findings), status=status, **context, **more)


class EntryChange(NamedTuple):
    """An entry before and after, None where there is none, and their times as text; its name, None without one."""

    before: ArrivalRow | None
    after: ArrivalRow | None
    named: ObjectChange | None = None

    @property
    def anchor(self) -> str:
        """Return the name by which threads know it, "" without one."""
        return self.named.anchor if self.named else ""

    @property
    def what(self) -> str:
        """Return "added", "changed" or "removed"."""
        return _what(self.before, self.after)

    @property
    def mark(self) -> str:
        """Return the sign of what happened."""
        return MARKS[self.what]

    @property
    def row(self) -> Any:
        """Return the entry as it is now, or as it was."""
        return self.after or self.before

    @property
    def times(self) -> list[str]:
        """Return when it was and is due, once where that is the same."""
        return list(dict.fromkeys(time_text(row.at) for row in (self.before, self.after) if row))


def changed_entries(held: DraftedEntries) -> list[tuple[Any, Any]]:
    """Return (entry before, entry after) of all changed entries; None where there is none."""
    return list(_pairs(held))


def changed_lines(held: DraftedEntries, what: str, query: Mapping[str, str], size: int) -> Page[EntryChange]:
    """Return one page of the changed entries as lines of the table; with names, where a draft may have threads."""
    pairs = changed_entries(held)
    changes: Sequence[Any] = named_changes(pairs) if len(pairs) <= MOST_NAMED else [(None, *pair) for pair in pairs]
    page = paginate([one for one in changes if what in ("", _what(*one[1:]))], query, size=size)
    return replace(page, items=[EntryChange(_row(before), _row(after), named) for named, before, after in page.items])


def _what(before: object, after: object) -> str:
    return "added" if before is None else "removed" if after is None else "changed"


def _pairs(held: DraftedEntries) -> Iterator[tuple[Any, Any]]:
    for hunk in held.hunks:
        gone = held.base.entries[hunk.start : hunk.start + hunk.removed]
        yield from zip_longest(gone, hunk.entries)


def _row(entry: Mapping[str, Any] | None) -> ArrivalRow | None:
    return None if entry is None else arrival_rows([entry])[0]
