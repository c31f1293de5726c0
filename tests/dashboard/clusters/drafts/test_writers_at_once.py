"""Three people edit one draft in threads of their own, truly at once; a sequential model is the oracle.

Each acknowledged step has given the draft its next version, so the versions are the order in which the steps happened.
In that order the model must do every one of them, and end with what the draft holds. What was refused must be refused
by the model too, in one of the states that the draft had while it was tried. Steps whose connection breaks before they
are acknowledged must have left nothing.

TEST_DRAFT_STEPS and TEST_DRAFT_SEEDS make it longer, as for the three people one after another.
"""

from __future__ import annotations

import copy
import random
import threading
from dataclasses import dataclass

import pytest
from django.db import close_old_connections, connection, transaction

from dashboard.accounts.models import Role
from dashboard.clusters.drafts.operations import DraftConflict, Edit, put_in, redo, undo
from dashboard.clusters.drafts.saving import save
from dashboard.clusters.models import Draft, DraftOperation
from dashboard.clusters.revisions.actions import Save, newest_revision
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import canonical
from dashboard.common.problems import Problem
from tests.dashboard.clusters.conftest import pod
from tests.dashboard.clusters.drafts.test_three_people import KEYS, SEEDS, STEPS, Room
from tests.dashboard.clusters.saved_edits import save_edits
from tests.dashboard.conftest import join

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


class Broken(Exception):
    """The connection went away before the step was acknowledged."""


@dataclass
class Step:
    """What somebody tried: the versions of the draft before and after it, and what came of it."""

    who: int
    act: str
    contents: dict
    seen: dict
    before: int
    after: int = 0
    outcome: str = ""
    number: int = 0
    shown: int = 0


class Writer(threading.Thread):
    """One person with a connection of their own."""

    def __init__(self, room, who, steps, begin):
        super().__init__(name=f"writer-{who}", daemon=True)
        self.room, self.who, self.n_steps, self.begin = room, who, steps, begin
        self.chance = random.Random(f"{room.seed} {who}")
        self.steps, self.failed, self.value = [], None, 0

    def run(self):
        """Take all steps; what goes wrong is kept for the test."""
        try:
            self.begin.wait()
            for _ in range(self.n_steps):
                self.step()
        except BaseException as problem:
            self.failed = problem
        finally:
            connection.close()

    def step(self):
        """Take one step, acknowledged with the version that it made, refused, or broken off."""
        if self.chance.random() < 0.05:
            connection.close()
        close_old_connections()
        act = self.chance.choice(["put"] * 6 + ["undo"] * 3 + ["redo"] * 2 + ["save"])
        seen, keys = self.room.held(), self.chance.sample(KEYS, self.chance.choice([1, 1, 1, 3]))
        contents = {key: self.manifest() for key in keys} if act == "put" else {}
        step = Step(self.who, act, contents, {key: seen.get(key) for key in keys}, self.room.fresh().version)
        breaks = self.chance.random() < 0.05
        try:
            with transaction.atomic():
                operation = self.do(step)
                # the draft's row is held until the end, so this is the version that the step made
                step.after, step.number = self.room.fresh().version, getattr(operation, "number", 0)
                if breaks:
                    raise Broken
            step.outcome = "done"
        except Broken:
            return
        except DraftConflict as conflict:
            step.outcome, step.after = "conflict", self.room.fresh().version
            step.shown = len(conflict.clashes)
        except Problem:
            step.outcome, step.after = "refused", self.room.fresh().version
        self.steps.append(step)

    def manifest(self):
        """A pod with a request that nobody else gives, or none."""
        self.value += 1
        name = f"{self.who}{self.value:05}m"
        return name if self.chance.random() < 0.8 else None

    def do(self, step):
        """Act; returns the operation, where it is one."""
        person, draft = self.room.people[self.who], self.room.fresh()
        if step.act == "put":
            puts = [
                Edit.over(Room.address(step.seen[key]), key, None if cpu is None else pod(key.name, cpu=cpu))
                for key, cpu in step.contents.items()
            ]
            return put_in(person.user, draft, "edit", puts)
        if step.act == "save":
            return save(person.member, draft, "saved")
        return (undo if step.act == "undo" else redo)(person.user, draft)


def outcome_of(model, step):
    """Do the step in the model; return what comes of it, and the number of the operation."""
    if step.act == "save":
        changed, _, clashes = model.merge()
        if not clashes and changed:
            model.save()
        return ("conflict" if clashes else "done" if changed else "refused"), None
    if step.act == "put":
        texts = {key: canonical(pod(key.name, cpu=cpu)) if cpu else None for key, cpu in step.contents.items()}
        clashes, number = model.put(step.who, texts, step.seen), len(model.done)
    else:
        one = (model.undoable if step.act == "undo" else model.redoable)(step.who)
        clashes = getattr(model, step.act)(one) if one else None
        number = one.number if one else 0
    return ("refused", 0) if clashes is None else ("conflict", 0) if clashes else ("done", number)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_acknowledged_at_once_is_what_one_after_another_would_give(owner, editor, workspace, cluster, seed):
    save_edits(editor.member, cluster, [Edit(None, pod(key.name)) for key in KEYS[:4]], Save(1))
    people = [owner, editor, join(workspace, "Omar", Role.EDITOR)]
    room = Room(people, cluster, seed)
    room.seed = seed
    begin = threading.Barrier(len(people))
    writers = [Writer(room, who, STEPS // len(people), begin) for who in range(len(people))]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.failed for writer in writers] == [None] * len(people)
    steps = [step for writer in writers for step in writer.steps]
    states = replayed(room.model, [step for step in steps if step.outcome == "done"])
    held = {key: value for key, value in states[-1].now.items() if value is not None}
    assert room.held() == held
    undone = {one.number for one in states[-1].done if one.is_undone}
    operations = DraftOperation.objects.filter(draft=room.draft)
    assert set(operations.exclude(undone_at=None).values_list("number", flat=True)) == undone
    assert operations.count() == len(states[-1].done)
    newest = {key: value for key, value in states[-1].newest.items() if value is not None}
    assert Room.values(read_contents(newest_revision(cluster)).by_key) == newest
    refused = [step for step in steps if step.outcome != "done"]
    for step in refused:
        assert may_be_refused(states, step), step
        assert bool(step.shown) == (step.outcome == "conflict"), "a conflict shows both versions of something"
    assert len(states) > STEPS / 4
    assert {step.outcome for step in steps} == {"done", "conflict", "refused"}


def replayed(model, done):
    """The model after each version of the draft; each version was made by one step, which it does too."""
    states = [copy.deepcopy(model)]
    done.sort(key=lambda step: step.after)
    assert [step.after for step in done] == list(range(1, len(done) + 1))
    assert Draft.objects.get().version == len(done)
    for step in done:
        outcome, number = outcome_of(model, step)
        assert (outcome, number) == ("done", None if step.act == "save" else step.number), step
        states.append(copy.deepcopy(model))
    return states


def may_be_refused(states, step):
    """Whether the model refuses the step so too, in a state that the draft had meanwhile.

    Saving is refused as well where the draft changes under it again and again.
    """
    between = states[step.before : step.after + 1]
    if step.act == "save" and len(between) > 1:
        return True
    return any(outcome_of(copy.deepcopy(state), step)[0] == step.outcome for state in between)
