"""Reviews, what they are about, what was decided, and what people write in them."""

from __future__ import annotations

from dashboard.review.models.drafts import CommentDraft
from dashboard.review.models.reviews import (
    ABOUT_LENGTH,
    OF_THINGS,
    TITLE_LENGTH,
    MutedReview,
    Review,
    ReviewRecord,
    ReviewState,
    SubjectKind,
    Verdict,
    VerdictKind,
    ViewedFinding,
)
from dashboard.review.models.threads import (
    FIELD_LENGTH,
    FINDING_LENGTH,
    Comment,
    CommentVersion,
    Mention,
    Reaction,
    ReactionKind,
    ReadMark,
    Thread,
    ThreadKind,
)

__all__ = [
    "ABOUT_LENGTH",
    "FIELD_LENGTH",
    "FINDING_LENGTH",
    "OF_THINGS",
    "TITLE_LENGTH",
    "Comment",
    "CommentDraft",
    "CommentVersion",
    "Mention",
    "MutedReview",
    "Reaction",
    "ReactionKind",
    "ReadMark",
    "Review",
    "ReviewRecord",
    "ReviewState",
    "SubjectKind",
    "Thread",
    "ThreadKind",
    "Verdict",
    "VerdictKind",
    "ViewedFinding",
]
