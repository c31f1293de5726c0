"""Verdicts as pages and records show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.review.models import VerdictKind
from dashboard.review.queries import VERDICT_LOOKS
from dashboard.review.writing.markdown import to_html
from dashboard.review.writing.references import references_in

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from dashboard.accounts.models import Member
    from dashboard.review.models import Review, Verdict


@dataclass(frozen=True)
class VerdictLine:
    """A verdict with its words as HTML."""

    one: Verdict
    html: SafeString

    @property
    def look(self) -> tuple[str, str]:
        """Return (meaning, glyph)."""
        return VERDICT_LOOKS[self.one.kind]

    @property
    def is_past(self) -> bool:
        """Return whether it was withdrawn or replaced."""
        return not self.one.stands and self.one.kind != VerdictKind.COMMENT


def verdicts_of(member: Member, review: Review, limit: int = 100) -> list[VerdictLine]:
    """Return the newest verdicts, newest first; withdrawn and replaced ones among them."""
    newest = list(review.verdicts.select_related("author").order_by("-given_at", "-id")[:limit])
    references = references_in((one.text for one in newest), member, review.run)
    return [VerdictLine(verdict, to_html(verdict.text, references)) for verdict in newest]
