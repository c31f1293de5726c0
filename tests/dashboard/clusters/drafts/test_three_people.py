"""Three people edit one draft at once, at random; a sequential model says what has to come of each step.

Each person acts on what they saw last, which others have changed since more often than not: edits of one and of several
objects, deletions, undo, redo, savings, revisions that somebody saves beside the draft, and disconnections, after which
somebody has to look again. Every operation that was acknowledged is in the result, undone by name, or met a conflict
that was shown; what is refused changes nothing.

TEST_DRAFT_STEPS and TEST_DRAFT_SEEDS make it longer: `TEST_DRAFT_STEPS=1000 TEST_DRAFT_SEEDS=5`.
"""

from __future__ import annotations

import hashlib
import os
import random
from dataclasses import dataclass, field

import pytest

from dashboard.accounts.models import Role
from dashboard.clusters.drafts.opened import OpenedDraft
from dashboard.clusters.drafts.operations import DraftConflict, Edit, put_in, redo, settle, undo
from dashboard.clusters.drafts.saving import resolve, save
from dashboard.clusters.models import Draft, DraftOperation
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.actions import Save, newest_revision
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import Key, canonical
from dashboard.common.problems import Problem
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.drafts.draft_helpers import new_draft
from tests.dashboard.clusters.saved_edits import save_edits
from tests.dashboard.conftest import join

pytestmark = pytest.mark.slow

STEPS = int(os.environ.get("TEST_DRAFT_STEPS", "60"))
SEEDS = range(int(os.environ.get("TEST_DRAFT_SEEDS", "2")))
KEYS = [Key("Pod", "default", f"p-{n}") for n in range(6)]
NOTHING = None


@dataclass
class Done:
    """An operation of the model: {key: (before, after)}, and what lay under it on each object's stack."""

    number: int
    who: int
    changes: dict
    under: dict
    is_undone: bool = False
    undone_at: int = 0
    can_undo: bool = True
    can_redo: bool = True


@dataclass
class Model:
    """The draft as one person alone with a pencil would keep it: objects as values, operations on stacks."""

    base: dict
    newest: dict
    now: dict = field(default_factory=dict)
    tops: dict = field(default_factory=dict)
    done: list = field(default_factory=list)
    clock: int = 0

    def top(self, key):
        return self.tops.get(key, 0)

    def put(self, who, content_of_key, seen):
        """Return the keys in conflict, else do it; None where nothing changes."""
        clashes = {key for key in content_of_key if seen[key] != self.now.get(key)}
        if clashes:
            return clashes
        changed = {key: value for key, value in content_of_key.items() if value != self.now.get(key)}
        if not changed:
            return None
        for one in self.done:
            if one.who == who and one.is_undone:
                one.can_redo = False
        self.push(who, changed)
        return set()

    def push(self, who, changed):
        changes = {key: (self.now.get(key), value) for key, value in changed.items()}
        number = len(self.done) + 1
        self.done.append(Done(number, who, changes, {key: self.top(key) for key in changed}))
        for key, value in changed.items():
            self.now[key], self.tops[key] = value, number

    def undoable(self, who):
        mine = [one for one in self.done if one.who == who and not one.is_undone and one.can_undo]
        return mine[-1] if mine else None

    def redoable(self, who):
        mine = [one for one in self.done if one.who == who and one.is_undone and one.can_redo]
        return max(mine, key=lambda one: one.undone_at) if mine else None

    def undo(self, one):
        clashes = {key for key in one.changes if self.top(key) != one.number}
        if not clashes:
            for key, (before, _) in one.changes.items():
                self.now[key], self.tops[key] = before, one.under[key]
            self.clock += 1
            one.is_undone, one.undone_at = True, self.clock
        return clashes

    def redo(self, one):
        expected = {key: (one.under[key], before) for key, (before, _) in one.changes.items()}
        clashes = {key for key, state in expected.items() if (self.top(key), self.now.get(key)) != state}
        if not clashes:
            for key, (_, after) in one.changes.items():
                self.now[key], self.tops[key] = after, one.number
            one.is_undone = False
        return clashes

    def settle(self, one, is_mine_kept):
        content_of_key = {key: before if not one.is_undone else after for key, (before, after) in one.changes.items()}
        if one.is_undone:
            one.can_redo = False
        else:
            one.can_undo = False
        if is_mine_kept:
            self.push(one.who, {key: value for key, value in content_of_key.items() if value != self.now.get(key)})

    def merge(self):
        """Return (keys that the draft changes, keys to take over, keys in conflict)."""
        changed, taken, clashes = set(), set(), set()
        for key in KEYS:
            now, base, theirs = self.now.get(key), self.base.get(key), self.newest.get(key)
            if now == theirs:
                continue
            if theirs == base:
                changed.add(key)
            elif now == base:
                taken.add(key)
            else:
                clashes.add(key)
        return changed, taken, clashes

    def save(self):
        _, taken, _ = self.merge()
        if touched := {key: self.newest.get(key) for key in taken if key in self.touched}:
            self.push(None, touched)
        for key in taken:
            self.now[key] = self.newest.get(key)
        self.newest = dict(self.now)
        self.base = dict(self.now)

    @property
    def touched(self):
        """The objects that have a row of their own: changed since the base, or with an operation on their stack."""
        return {key for key in KEYS if self.top(key) or self.now.get(key) != self.base.get(key)}

    def resolve(self, who, key, is_mine_kept):
        mine, theirs = self.now.get(key), self.newest.get(key)
        self.push(None, {key: theirs})
        if is_mine_kept:
            self.push(who, {key: mine})
        self.base[key] = theirs


class Room:
    """Three people at one draft, and the model beside it."""

    def __init__(self, people, cluster, seed):
        self.people, self.cluster = people, cluster
        self.chance = random.Random(seed)
        self.draft = new_draft(people[0], cluster, *people[1:])
        held = self.values(read_contents(newest_revision(cluster)).by_key)
        self.model = Model(dict(held), dict(held), dict(held))
        self.seen = [dict(held) for _ in people]
        self.counted = {"done": 0, "refused": 0, "conflicts": 0, "saved": 0}
        self.value = 0

    @staticmethod
    def values(by_key):
        return {key: canonical(by_key[key]) for key in KEYS if key in by_key}

    def fresh(self):
        return Draft.objects.select_related("base__cluster", "cluster").get(pk=self.draft.pk)

    def held(self):
        """Return what the product says that the draft holds."""
        addresses = OpenedDraft(self.fresh()).addresses
        address_of_key = {key: addresses[key] for key in KEYS if key in addresses}
        texts = object_store.read_addresses(self.cluster.workspace_id, address_of_key.values())
        return {key: texts[address] for key, address in address_of_key.items()}

    def step(self):
        who = self.chance.randrange(3)
        actions = [self.edit] * 6 + [self.undo] * 3 + [self.redo] * 2 + [self.save, self.others_save]
        if self.chance.random() < 0.4:  # came back, or looked: what one sees is what is there
            self.seen[who] = dict(self.model.now)
        self.chance.choice(actions)(who)
        self.check()

    def check(self):
        model = {key: value for key, value in self.model.now.items() if value is not NOTHING}
        assert self.held() == model
        undone = {one.number for one in self.model.done if one.is_undone}
        operations = DraftOperation.objects.filter(draft=self.draft)
        assert set(operations.exclude(undone_at=None).values_list("number", flat=True)) == undone
        assert operations.count() == len(self.model.done)

    def manifest(self, key):
        self.value += 1
        return pod(key.name, cpu=f"{100 + self.value}m") if self.chance.random() < 0.8 else None

    def edit(self, who):
        keys = self.chance.sample(KEYS, self.chance.choice([1, 1, 1, 3]))
        manifest_of_key = {key: self.manifest(key) for key in keys}
        seen = {key: self.seen[who].get(key) for key in keys}
        puts = [Edit.over(self.address(seen[key]), key, manifest_of_key[key]) for key in keys]
        texts = {key: canonical(raw) if raw else NOTHING for key, raw in manifest_of_key.items()}
        expected = self.model.put(who, texts, seen)
        self.expect(expected, lambda: put_in(self.people[who].user, self.fresh(), "edit", puts))

    @staticmethod
    def address(text):
        return hashlib.sha256(text).digest() if text is not None else None

    def undo(self, who):
        one = self.model.undoable(who)
        expected = self.model.undo(one) if one else None
        self.expect(expected, lambda: undo(self.people[who].user, self.fresh()))
        self.maybe_settle(one, expected)

    def redo(self, who):
        one = self.model.redoable(who)
        expected = self.model.redo(one) if one else None
        self.expect(expected, lambda: redo(self.people[who].user, self.fresh()))
        self.maybe_settle(one, expected)

    def maybe_settle(self, one, clashes):
        if clashes and self.chance.random() < 0.7:
            is_mine_kept = self.chance.random() < 0.5
            self.model.settle(one, is_mine_kept)
            settle(self.people[one.who].user, self.fresh(), one.number, is_mine_kept=is_mine_kept)

    def save(self, who):
        changed, _, clashes = self.model.merge()
        expected = clashes or (set() if changed else None)
        if expected == set():
            self.model.save()
        self.expect(expected, lambda: save(self.people[who].member, self.fresh(), "saved"))
        for key in sorted(clashes):
            is_mine_kept = self.chance.random() < 0.5
            self.model.resolve(who, key, is_mine_kept)
            number = newest_revision(self.cluster).number
            resolve(self.people[who].member, self.fresh(), key, is_mine_kept=is_mine_kept, newest=number)
        if expected == set():
            self.counted["saved"] += 1
            assert self.values(read_contents(newest_revision(self.cluster)).by_key) == self.held()

    def others_save(self, who):
        key = self.chance.choice(KEYS)
        raw = self.manifest(key)
        there = key in newest_keys(self.cluster)
        if raw is None and not there:
            return
        newest = newest_revision(self.cluster)
        edit = Edit(key if there else None, raw)
        save_edits(self.people[who].member, self.cluster, [edit], Save(newest.number, "beside"))
        held = self.values(read_contents(newest_revision(self.cluster)).by_key)
        self.model.newest = held

    def expect(self, expected, act):
        """Act, and compare with the model: None is refused with words, keys are shown as conflicts, {} is done."""
        if expected is None:
            with pytest.raises(Problem) as caught:
                act()
            assert not isinstance(caught.value, DraftConflict)
            self.counted["refused"] += 1
        elif expected:
            with pytest.raises(DraftConflict) as caught:
                act()
            assert {clash.key for clash in caught.value.clashes} == expected
            self.counted["conflicts"] += 1
        else:
            act()
            self.counted["done"] += 1


def newest_keys(cluster):
    return read_contents(newest_revision(cluster)).by_key


@pytest.mark.parametrize("seed", SEEDS)
def test_every_operation_is_in_the_result_undone_by_name_or_a_conflict_that_was_shown(
    owner, editor, workspace, cluster, seed
):
    save_edits(editor.member, cluster, [Edit(None, pod(key.name)) for key in KEYS[:4]], Save(1))
    room = Room([owner, editor, join(workspace, "Omar", Role.EDITOR)], cluster, seed)
    for _ in range(STEPS):
        room.step()
    assert room.counted["done"] > STEPS / 4, room.counted
    assert min(room.counted["conflicts"], room.counted["saved"]) > 0, room.counted
