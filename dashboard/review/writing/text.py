"""What people write, checked on its way in; `markdown.py` makes HTML of it on its way out."""

from __future__ import annotations

from dashboard.common.problems import Problem, TooLarge

TEXT_LIMIT = 10_000


def checked(text: str, what: str, limit: int = TEXT_LIMIT, may_be_empty: bool = False) -> str:
    """Return the text with plain line ends; raises Problem where it is empty or has a NUL, TooLarge above the limit."""
    clean = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if not clean and not may_be_empty:
        raise Problem(f"The {what} is empty. Write something first.", title="Nothing to send")
    if len(clean) > limit:
        raise TooLarge(f"The {what} may have at most {limit:,} characters; this has {len(clean):,}.")
    if "\x00" in clean:
        raise Problem(f"The {what} holds a NUL character. Take it out.")
    return clean
