"""A draft on its cluster's pages: its contents, the bar with its changes, undo and redo, and what a change
reports to the page that asked for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from django.http import HttpResponse
from django.urls import reverse

from dashboard.clusters.drafts.actions import draft_at, own_draft, visible_drafts
from dashboard.clusters.drafts.changes import ChangeChip, change_chips, moved_pods
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import redoable, undoable
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.totals import compute_totals
from dashboard.common.problems import NotFound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.accounts.access import Access
    from dashboard.accounts.models import User
    from dashboard.clusters.models import Cluster, Draft, DraftOperation, Revision
    from dashboard.clusters.revisions.page_context import PageContext


CHIPS_SHOWN = 6
"""By the widest windows; `DraftBar.folds` has the narrower ones."""


class Folds(NamedTuple):
    """How many changed objects have no chip of their own, by the width of the window."""

    narrow: int
    usual: int
    wide: int


def chip_folds(chips: Sequence[ChangeChip]) -> Folds:
    """Return what is folded: a narrow window shows two chips, or all three; the usual one four, a wide one six."""
    counts = [chip.count for chip in chips]
    return Folds(sum(counts[2:]) if len(counts) > 3 else 0, sum(counts[4:]), sum(counts[CHIPS_SHOWN:]))


class BarUrls(NamedTuple):
    """The addresses of a bar: what the draft changes, the bar itself, its steps, and the page without the draft."""

    changes: str
    bar: str
    undo: str
    redo: str
    leave: str


class BarStep(Protocol):
    """What Undo or Redo of a bar is about."""

    number: int
    name: str


@dataclass(frozen=True)
class ShownBar:
    """The bar of a draft of any document: the chips of what it changes, and what Undo and Redo would do."""

    urls: BarUrls
    chips: Sequence[ChangeChip]
    folds: Folds
    n_changes: int
    undo: BarStep | None
    redo: BarStep | None


@dataclass(frozen=True)
class DraftBar(ShownBar):
    """The bar of a draft of a cluster for one reader."""

    draft: Draft
    people: Sequence[User]
    last: DraftOperation | None
    reader: User | None = None

    @property
    def is_mine(self) -> bool:
        """Return whether the last operation is the reader's own (they have already seen a toast)."""
        last = self._last()
        return last is not None and last.author == self.reader

    def _last(self) -> DraftOperation | None:
        return self.draft.operations.select_related("author").filter(undone_at=self.draft.version).first() or self.last

    @property
    def news(self) -> str:
        """Return the last action: "Asha: Cordon node-a", "Asha: undid Cordon node-a"."""
        done = self._last()
        if done is None:
            return ""
        who = done.author.label if done.author else "Somebody"
        return f"{who}: {'undid ' if done.undone_at == self.draft.version else ''}{done.name}"

    @property
    def is_shared(self) -> bool:
        """Return whether other members can change the draft."""
        return bool(self.people)

    @property
    def others(self) -> str:
        """Return the other people who have the draft open: "Asha and Jonas"."""
        names = [one.label for one in self.people]
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def draft_bar(opened: OpenedDraft, reader: User) -> DraftBar:
    """Return the bar of a draft for a reader."""
    draft, changes = opened.draft, opened.changes
    has_pods = any(one.key.kind == "Pod" for one in changes)
    moved = moved_pods(changes, read_contents(opened.base), opened.contents) if has_pods else {}
    chips = change_chips(changes, moved)
    people = [one for one in (draft.author, *draft.invited.all()) if one.pk != reader.pk]
    last = draft.operations.select_related("author").order_by("-number").first()
    return DraftBar(
        _urls(draft),
        chips[:CHIPS_SHOWN],
        chip_folds(chips),
        len(changes),
        undoable(reader, draft),
        redoable(reader, draft),
        draft,
        people,
        last,
        reader,
    )


def _urls(draft: Draft) -> BarUrls:
    place = [draft.cluster.workspace.slug, draft.cluster.slug]
    changes, bar, undo, redo = (
        reverse(f"clusters:{name}", args=[*place, draft.pk])
        for name in ("draft", "draft_bar", "draft_undo", "draft_redo")
    )
    return BarUrls(changes, bar, undo, redo, reverse("clusters:detail", args=place))


class PageDraft(OpenedDraft):
    """A draft that is open on its cluster's pages, for one reader."""

    def __init__(self, draft: Draft, reader: User) -> None:
        super().__init__(draft)
        self.reader = reader

    def figures(self) -> dict[str, Any]:
        """Return the totals of its contents, computed once per state."""
        figures: dict[str, Any] = self.contents.ordered("totals", "", lambda: [compute_totals(self.contents)])[0]
        return figures

    def context(self) -> dict[str, Any]:
        """Return what the frame of its pages shows."""
        return {"draft": self.draft, "draft_bar": draft_bar(self, self.reader)}


def draft_on(page: PageContext) -> PageDraft:
    """Return the draft in which the page is open; raises NotFound where its address names none."""
    if not isinstance(page.draft, PageDraft):
        raise NotFound("This page is open in no draft.")
    return page.draft


class _OpenedDrafts:
    """Opens drafts for the pages of clusters."""

    def opened(self, access: Access, slug: str, pk: int) -> PageDraft:
        """Return the draft of the cluster with this address; raises NotFound."""
        return PageDraft(draft_at(access.member, slug, pk), access.user)

    def count(self, access: Access, cluster: Cluster) -> int:
        """Return how many drafts of the cluster the reader sees."""
        return visible_drafts(access.member, cluster).count()

    def own_name(self, access: Access, revision: Revision) -> str:
        """Return the name of the reader's draft that an edit of the revision would change, "" if it would open a new
        one.
        """
        draft = own_draft(access.member, revision)
        return draft.name if draft else ""


OPENED_DRAFTS = _OpenedDrafts()


CHANGED = "draftchanged"
"""The event with which a page of the draft hears of a change."""
DONE = "handdone"


def changed_here(text: str, undo: str = "") -> HttpResponse:
    """Return the answer to the script of a page that stays: what was done, and the address that undoes it, if any."""
    response = HttpResponse(status=204)
    response["HX-Trigger"] = json.dumps({CHANGED: True, DONE: {"text": text, "undo": undo}})
    return response
