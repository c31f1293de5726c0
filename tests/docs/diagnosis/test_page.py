"""The page of codes: what the code has, all of it, and no code is ever renamed or dropped."""

from __future__ import annotations

import re
from pathlib import Path

from scheduler_core.explain.messages.model import (
    ExplainedMessages,
    MessagePart,
    NextCommand,
    ReadMessage,
    SaidOfPreemption,
)
from scheduler_core.explain.messages.sources import MessageEvent
from scheduler_core.explain.messages.texts import PLACES
from scheduler_core.explain.remedies.codes import REMEDIES
from scheduler_core.framework.contracts.obstacles import ACTORS, KINDS, STAGES
from tests.docs.diagnosis.page import PAGE, text

# Only ever longer: programs of others know these names.
CAUSES, REMEDY_CODES = (block.split() for block in Path(__file__).with_name("codes.txt").read_text().split("\n\n"))


def test_the_page_is_what_the_code_says():
    assert PAGE.read_text() == text(), "python -m tests.docs.diagnosis.page writes it"


def test_no_code_is_renamed_or_dropped():
    for what, published, listed in (("causes", KINDS, CAUSES), ("remedies", REMEDIES, REMEDY_CODES)):
        gone, new = sorted(set(listed) - published.keys()), sorted(published.keys() - set(listed))
        assert not gone, f"codes of {what} are never renamed or dropped, and these are gone: {gone}"
        assert sorted(published) == listed, f"tests/docs/diagnosis/codes.txt lists the {what} sorted; add {new}"


def test_kinds_are_well_formed():
    for code, kind in KINDS.items():
        assert (kind.code, kind.actor in ACTORS, kind.stage in STAGES) == (code, True, True)
        assert set(kind.remedies) <= REMEDIES.keys()
    assert {kind.actor for kind in REMEDIES.values()} <= set(ACTORS)


def test_every_remedy_may_help_against_something():
    assert REMEDIES.keys() - {code for kind in KINDS.values() for code in kind.remedies} == set()


def test_every_field_and_place_of_a_message_taken_apart_is_named():
    named = set(re.findall(r"`([a-z_.]+)`", PAGE.read_text().partition("## `explain-message --json`")[2]))
    for struct in (ExplainedMessages, ReadMessage, MessagePart, MessageEvent, SaidOfPreemption, NextCommand):
        assert set(struct.__struct_fields__) <= named, struct
    assert set(PLACES) <= named
