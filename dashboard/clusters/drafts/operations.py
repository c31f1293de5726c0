"""Operations on a draft: applied, undone, redone. Each is one transaction that locks the draft's row.

The operations on an object form a stack. So an operation can be undone if it is the last one of each of its objects,
and redone if no other operation followed on any of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from django.db import transaction
from django.db.models import Max

from dashboard.clusters.drafts.contents import Address, base_address, current_address, revision_addresses
from dashboard.clusters.drafts.progress import ChangeProgress, ReportProgress, unreported
from dashboard.clusters.models import OPERATION_LENGTH, Draft, DraftChange, DraftObject, DraftOperation
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_keys import Key, object_key
from dashboard.common.pages.numbers import grouped
from dashboard.common.problems import Conflict, NotFound, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dashboard.accounts.models import User
    from dashboard.clusters.revisions.object_keys import Raw

Value = TypeVar("Value")
NAMED = 3
NOTHING = b""
# Rows in a statement: a page hears of the progress after each.
BATCH = 250


@dataclass(frozen=True)
class Edit:
    """A change of one object: `key` None adds `manifest`, `manifest` None deletes the object, both replace it (and
    rename it where they differ). `seen` is the address of the content from which its author started, NOTHING where
    there was no object, None for whatever the draft holds.
    """

    key: Key | None
    manifest: Raw | None
    seen: Address = None

    @classmethod
    def over(cls, now: Address, key: Key, manifest: Raw | None) -> Edit:
        """Return the edit that makes the object this manifest, where its address is `now` (None: there is none)."""
        if now is None and manifest is not None:
            return cls(None, manifest)
        return cls(key, manifest, NOTHING if now is None else now)

    @property
    def new_key(self) -> Key | None:
        """Return the key of the object that it makes, None where it deletes one."""
        return None if self.manifest is None else object_key(self.manifest)


@dataclass(frozen=True)
class Clash:
    """An object that somebody else changed since: the content from which the change started, the current one, and the
    new one.

    `by` is who made the current version and in which operation; "" if unknown.
    """

    key: Key
    before: Address
    now: Address
    mine: Address
    by: str = ""
    doing: str = ""


class DraftConflict(Conflict):
    """Other people changed the same objects since; `clashes` has both versions of each, `operation` is the
    refused one.
    """

    def __init__(self, detail: str, clashes: Sequence[Clash], operation: DraftOperation | None = None):
        self.clashes, self.operation = list(clashes), operation
        super().__init__(detail, title="Two versions of the same object")


def locked(draft: Draft) -> Draft:
    """Return the draft's current row, locked until the transaction ends; raises NotFound for a discarded one."""
    held = Draft.objects.select_for_update().filter(pk=draft.pk).first()
    if held is None:
        raise NotFound("This draft was discarded.")
    held.cluster = draft.cluster
    held.base = draft.base if draft.base_id == held.base_id else held.base
    return held


def bump(draft: Draft) -> None:
    """Increase the draft's version."""
    draft.version += 1
    draft.save(update_fields=["version", "base", "updated_at"])


def put_in(
    user: User, draft: Draft, name: str, edits: Sequence[Edit], report: ReportProgress = unreported
) -> DraftOperation:
    """Apply these edits as one operation, all or none, and return it.

    Raises DraftConflict for objects that changed since their author saw them, Problem if nothing changes.
    """
    after, seen = _addresses(edits, _stored(draft, edits))
    revision_addresses(draft.base)  # read before the row is locked
    with transaction.atomic():
        held = locked(draft)
        rows = _Rows(held, list(after))
        clashes = [rows.clash(key, address, after[key]) for key, address in seen.items() if rows.now(key) != address]
        if clashes:
            raise DraftConflict(f"{_named(clashes)} changed since you opened it. Nothing of yours is lost.", clashes)
        changed = {key: address for key, address in after.items() if address != rows.now(key)}
        if not changed:
            raise Problem("Nothing differs from what the draft holds already.")
        operation = _operation(held, user, name)
        rows.push(operation, changed, report)
        _mine(held, user).filter(undone_at__isnull=False).update(can_redo=False)
        bump(held)
    return operation


def push(user: User | None, draft: Draft, name: str, changed: Mapping[Key, Address]) -> DraftOperation:
    """Set objects to the contents at these addresses as one operation, and return it; the draft's row is locked
    already.

    Without a user the operation takes over what others saved, and nobody can undo it.
    """
    operation = _operation(draft, user, name)
    _Rows(draft, list(changed)).push(operation, changed)
    return operation


def undoable(user: User, draft: Draft) -> DraftOperation | None:
    """Return the operation that the user would undo next: their last one that is not undone."""
    return _mine(draft, user).filter(undone_at=None, can_undo=True).order_by("-number").first()


def redoable(user: User, draft: Draft) -> DraftOperation | None:
    """Return the operation that the user would redo next: their last undone one."""
    return _mine(draft, user).filter(undone_at__isnull=False, can_redo=True).order_by("-undone_at").first()


def undo(user: User, draft: Draft, number: int | None = None, report: ReportProgress = unreported) -> DraftOperation:
    """Undo the user's last operation and return it; `number` is the operation that they saw, which must still be the
    last.

    Raises DraftConflict if somebody changed one of its objects since, Problem if there is nothing to undo.
    """
    with transaction.atomic():
        held = locked(draft)
        operation = _expected(undoable(user, held), number, "undo")
        changes = list(operation.changes.all())
        rows = _Rows(held, [Key(*change.key) for change in changes])
        clashes = [
            rows.clash(Key(*change.key), _address(change.after), _address(change.before))
            for change in changes
            if rows.last(Key(*change.key)) != operation.number
        ]
        if clashes:
            raise DraftConflict(f"{_named(clashes)} changed after “{operation.name}”.", clashes, operation)
        rows.set({Key(*change.key): (_address(change.before), change.previous) for change in changes}, report)
        bump(held)
        operation.undone_at = held.version
        operation.save(update_fields=["undone_at"])
    return operation


def redo(user: User, draft: Draft, number: int | None = None, report: ReportProgress = unreported) -> DraftOperation:
    """Redo the operation that the user undid last and return it; raises as `undo`."""
    with transaction.atomic():
        held = locked(draft)
        operation = _expected(redoable(user, held), number, "redo")
        changes = list(operation.changes.all())
        rows = _Rows(held, [Key(*change.key) for change in changes])
        clashes = [
            rows.clash(Key(*change.key), _address(change.before), _address(change.after))
            for change in changes
            if rows.last(Key(*change.key)) != change.previous or rows.now(Key(*change.key)) != _address(change.before)
        ]
        if clashes:
            raise DraftConflict(f"{_named(clashes)} changed since you undid “{operation.name}”.", clashes, operation)
        rows.set({Key(*change.key): (_address(change.after), operation.number) for change in changes}, report)
        operation.undone_at = None
        operation.save(update_fields=["undone_at"])
        bump(held)
    return operation


def settle(user: User, draft: Draft, number: int, *, is_mine_kept: bool) -> DraftOperation | None:
    """Resolve a refused undo or redo: keep the others' versions, or apply one's own as a new operation.

    Returns the new operation, if any; the refused one cannot be undone or redone any more.
    """
    with transaction.atomic():
        held = locked(draft)
        operation = _mine(held, user).filter(number=number).first()
        if operation is None:
            raise NotFound("This draft has no such operation of yours.")
        is_undo = operation.undone_at is None
        field = "can_undo" if is_undo else "can_redo"
        setattr(operation, field, False)
        operation.save(update_fields=[field])
        if not is_mine_kept:
            bump(held)
            return None
        changes = list(operation.changes.all())
        new_addresses = {Key(*one.key): _address(one.before if is_undo else one.after) for one in changes}
        rows = _Rows(held, list(new_addresses))
        changed = {key: address for key, address in new_addresses.items() if address != rows.now(key)}
        made = _operation(held, user, f"{'Undo' if is_undo else 'Redo'} over later changes: {operation.name}")
        rows.push(made, changed)
        bump(held)
    return made


# ---------------------------------------------------------------- rows


class _Rows:
    """The rows of a draft's changed objects with these keys; the draft's row is locked."""

    def __init__(self, draft: Draft, keys: Sequence[Key]):
        self._draft = draft
        names = {key.name for key in keys}
        changed_objects = DraftObject.objects.filter(draft=draft, name__in=names) if names else []
        self._rows = {Key(*row.key): row for row in changed_objects}
        self._index = revision_addresses(draft.base)

    def now(self, key: Key) -> Address:
        row = self._rows.get(key)
        return current_address(row) if row else self._index.get(key)

    def last(self, key: Key) -> int:
        row = self._rows.get(key)
        return row.last if row else 0

    def clash(self, key: Key, before: Address, mine: Address) -> Clash:
        number = self.last(key)
        by = DraftOperation.objects.filter(draft=self._draft, number=number).select_related("author").first()
        who = (by.author.label if by.author else "Somebody who saved a revision") if by else ""
        return Clash(key, before, self.now(key), mine, who, by.name if by else "")

    def push(
        self, operation: DraftOperation, changed: Mapping[Key, Address], report: ReportProgress = unreported
    ) -> None:
        """Record what the operation does, on top of earlier operations."""
        for batch in _reported_batches(changed, report):
            DraftChange.objects.bulk_create(
                DraftChange(
                    operation=operation,
                    kind=key.kind,
                    namespace=key.namespace,
                    name=key.name,
                    before=self.now(key),
                    after=address,
                    previous=self.last(key),
                )
                for key, address in batch.items()
            )
            self._set({key: (address, operation.number) for key, address in batch.items()})

    def set(self, changed: Mapping[Key, tuple[Address, int]], report: ReportProgress = unreported) -> None:
        """Set the objects' current contents, each with the number of the operation that made it."""
        for batch in _reported_batches(changed, report):
            self._set(batch)

    def _set(self, changed: Mapping[Key, tuple[Address, int]]) -> None:
        now: list[DraftObject] = []
        gone: list[int] = []
        for key, (address, last) in changed.items():
            row = self._rows.get(key)
            base = base_address(row) if row else self._index.get(key)
            if last == 0 and address == base:
                gone += [row.pk] if row else []
            else:
                place = {"kind": key.kind, "namespace": key.namespace, "name": key.name}
                now.append(DraftObject(draft=self._draft, **place, base=base, sha256=address, last=last))
        # One statement for new rows and for those that are there, which keep their place.
        place_names = ("draft", "kind", "namespace", "name")
        DraftObject.objects.bulk_create(
            now, update_conflicts=True, unique_fields=place_names, update_fields=("sha256", "last")
        )
        DraftObject.objects.filter(pk__in=gone).delete()


def _reported_batches(changed: Mapping[Key, Value], report: ReportProgress) -> Iterator[dict[Key, Value]]:
    """Yield the changes in batches; report each as written when the next one is asked for."""
    left, done = iter(changed.items()), 0
    while batch := dict(islice(left, BATCH)):
        yield batch
        done += len(batch)
        report(ChangeProgress("written", done, len(changed)))


def _operation(draft: Draft, user: User | None, name: str) -> DraftOperation:
    number = (draft.operations.aggregate(highest=Max("number"))["highest"] or 0) + 1
    return DraftOperation.objects.create(draft=draft, number=number, author=user, name=name[:OPERATION_LENGTH])


def _mine(draft: Draft, user: User) -> Any:
    return DraftOperation.objects.filter(draft=draft, author=user)


def _expected(operation: DraftOperation | None, number: int | None, doing: str) -> DraftOperation:
    if operation is None:
        raise Problem(f"There is nothing of yours to {doing} in this draft.")
    if number is not None and number != operation.number:
        raise Conflict(
            f"You would {doing} “{operation.name}” now: you did something elsewhere since. Look, then try again."
        )
    return operation


def _stored(draft: Draft, edits: Sequence[Edit]) -> list[Address]:
    manifests = [edit.manifest for edit in edits if edit.manifest is not None]
    stored = iter(object_store.store_manifests(draft.cluster.workspace_id, manifests))
    return [None if edit.manifest is None else next(stored) for edit in edits]


def _addresses(edits: Sequence[Edit], stored: Sequence[Address]) -> tuple[dict[Key, Address], dict[Key, Address]]:
    """Return the new address of each object, and the one that it must still have, for those with such a one."""
    after: dict[Key, Address] = {}
    seen: dict[Key, Address] = {}
    for edit, address in zip(edits, stored, strict=True):
        new = edit.new_key
        if edit.key is not None and edit.seen is not None:
            seen[edit.key] = edit.seen or None
        if edit.key is not None and edit.key != new:
            after[edit.key] = None
        if new is not None:
            after[new] = address
            if new != edit.key:
                seen[new] = None
    return after, seen


def _address(value: Any) -> Address:
    return None if value is None else bytes(value)


def _named(clashes: Iterable[Clash]) -> str:
    labels = [clash.key.label for clash in clashes]
    more = len(labels) - NAMED
    return f"{', '.join(labels[:NAMED])}{f' and {grouped(more)} more' if more > 0 else ''}"


def manifest_at(draft: Draft, address: Address) -> dict[str, Any] | None:
    """Return the manifest at an address, None for no object."""
    if address is None:
        return None
    manifest: dict[str, Any] = msgspec.json.decode(
        object_store.read_addresses(draft.cluster.workspace_id, [address])[address]
    )
    return manifest
