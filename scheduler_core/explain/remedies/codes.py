"""The published kinds of remedies: what each changes, and who can carry it out (docs/diagnosis.md)."""

from __future__ import annotations

import msgspec

from scheduler_core.framework.contracts.obstacles import ACTORS, rows_beside


class RemedyKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of remedy: its ``code``, what it ``means`` as an imperative, and the ``actor`` who can carry it out."""

    code: str
    means: str
    actor: str


REMEDIES = rows_beside(__file__, RemedyKind)
"""The published kinds by code, the rows of codes.toml."""


def needed_actor(codes: tuple[str, ...]) -> str:
    """Who can carry all of these out: the last of their actors in the order of ACTORS."""
    return max((REMEDIES[code].actor for code in codes), key=ACTORS.index)
