"""The one table of texts by version: the rows of texts.toml, whose head says what they are and where they are from."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec

from scheduler_core import versions
from scheduler_core.explain.messages.texts import MessageText, TextTable

UNTOLERATED = "node(s) had untolerated taint(s)"
NO_CLAIMS = "no new claims to deallocate"
NO_VICTIMS, NOT_HELPFUL = "No preemption victims found for incoming pod", "Preemption is not helpful for scheduling"
"""Texts of the table that answers look for."""


class TextGroups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: groups of rows, the ``texts`` of each with the fields that hold for all of them."""

    group: tuple[dict[str, Any], ...]


def read_rows(file: str) -> list[MessageText]:
    """The rows of such a file; what a row says comes before what its group says. Raises msgspec.ValidationError for
    fields that there are not."""
    groups = msgspec.convert(tomllib.loads(file), TextGroups).group
    rows = [{**group, **row} for group in groups for row in group.pop("texts")]
    return msgspec.convert(rows, list[MessageText])


TEXTS = TextTable(read_rows(Path(versions.__file__).with_name("texts.toml").read_text(encoding="utf-8")))
