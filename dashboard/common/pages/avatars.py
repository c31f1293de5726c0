"""Avatars distinguish people in narrow places: one or two letters, one of six colours (`avatar-a` to `avatar-f`)."""

from __future__ import annotations

import re
from typing import Any

TONES = "abcdef"


def avatar_tone(person: Any) -> str:
    """Return the colour of a user (anything with .label), or of a plain name.

    Users have theirs in the order of their accounts, so that the people of a small team are distinguished.
    """
    order = getattr(person, "pk", None) or sum(str(getattr(person, "label", person)).encode())
    return TONES[order % len(TONES)]


def initials(label: str) -> str:
    """Return one or two letters for a name or an e-mail address."""
    parts = [letters for part in re.split(r"[\s._@+-]+", str(label)) if (letters := re.sub(r"[\W_]", "", part))]
    if not parts:
        return "?"
    last = parts[1] if "@" in str(label) and len(parts) > 1 else parts[-1]
    return (parts[0][0] + (last[0] if len(parts) > 1 else "")).upper()
