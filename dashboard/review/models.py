"""Reviews of runs: threads pinned to cursors, their comments, verdicts, and what each member has read.

A review belongs to one run and is made by the first comment, verdict or request. Threads name their cursor by plain
columns (run, seq, cycle): the recording's rows have no keys of their own and may be re-written by a resumed worker.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.accounts.models import Member, Role, User, Workspace
from dashboard.runs.models import NODE_LENGTH, PLUGIN_LENGTH, Run, State

TITLE_LENGTH = 200


class ReviewState(models.TextChoices):
    """What the standing verdicts come to: one request for changes outweighs approvals."""

    OPEN = "open", "open"
    APPROVED = "approved", "approved"
    CHANGES = "changes", "changes requested"


class VerdictKind(models.TextChoices):
    """What a verdict says; a comment on the whole run changes nothing."""

    APPROVE = "approve", "approved"
    CHANGES = "request_changes", "asked for changes"
    COMMENT = "comment", "commented"


def author() -> models.ForeignKey[User | None, User | None]:
    """Return the reference to whoever wrote something; None is somebody whose account is gone."""
    return models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")


class VisibleReviews(models.Manager["Review"]):
    """Leaves out the reviews of runs that are being deleted."""

    def get_queryset(self) -> models.QuerySet[Review]:
        """Return the reviews that people may see."""
        return super().get_queryset().exclude(run__state=State.DELETING)


class Review(models.Model):
    """The review of one run. `is_asked`: somebody asked for verdicts, so it waits until the rule is met.

    The rule: `approvals_needed` members with `approver_role` or more approve, `opened_by` among them only where
    `asker_counts`, and nobody asks for changes. Without `reviewers` every member who may give a verdict is asked.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="reviews")
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="review")
    title = models.CharField(max_length=TITLE_LENGTH, blank=True)
    description = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=ReviewState.choices, default=ReviewState.OPEN)
    is_asked = models.BooleanField(default=False)
    approvals_needed = models.PositiveSmallIntegerField(default=1)
    approver_role = models.CharField(max_length=10, choices=Role.choices, default=Role.REVIEWER)
    asker_counts = models.BooleanField(default=True)
    reviewers = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    opened_by = author()
    opened_at = models.DateTimeField(default=timezone.now)
    # The last comment, verdict or request; lists are sorted by it.
    touched_at = models.DateTimeField(default=timezone.now)

    everything: models.Manager[Review] = models.Manager()
    objects = VisibleReviews()

    class Meta:
        ordering = ["-touched_at", "-id"]
        base_manager_name = "everything"
        default_manager_name = "objects"
        indexes = [
            models.Index(fields=["workspace", "-touched_at", "-id"], name="review_newest_first"),
            models.Index(fields=["workspace", "state", "-touched_at"], name="review_by_state"),
        ]

    def __str__(self) -> str:
        return self.title or f"Review of {self.run}"


class Thread(models.Model):
    """Comments about one cycle of a run, pinned to a cursor: a seq, and within the cycle a point, plugin or node.

    The counters and the last comment's author and time are kept with each comment, so that lists need no joins.
    """

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="threads")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="threads")
    seq = models.BigIntegerField()
    cycle = models.PositiveIntegerField()
    point = models.CharField(max_length=20, blank=True)
    plugin = models.CharField(max_length=PLUGIN_LENGTH, blank=True)
    node = models.CharField(max_length=NODE_LENGTH, blank=True)

    created_by = author()
    created_at = models.DateTimeField(default=timezone.now)
    resolved_by = author()
    resolved_at = models.DateTimeField(null=True, blank=True)

    n_comments = models.PositiveIntegerField(default=0)
    last_comment_id = models.BigIntegerField(default=0)
    last_by = author()
    last_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["cycle", "id"]
        indexes = [
            models.Index(fields=["run", "cycle", "id"], name="thread_by_cycle"),
            models.Index(fields=["workspace", "-last_at", "-id"], name="thread_newest_first"),
        ]

    def __str__(self) -> str:
        return f"thread {self.pk} on cycle {self.cycle}"

    @property
    def is_resolved(self) -> bool:
        """Return whether the thread is settled."""
        return self.resolved_at is not None


class Comment(models.Model):
    """What somebody wrote in a thread, in Markdown."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="comments")
    author = author()
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"comment {self.pk}"


class CommentVersion(models.Model):
    """What a comment said before it was changed; `written_at` is when it was written so."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="versions")
    text = models.TextField()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"version of comment {self.comment_id}"


class Mention(models.Model):
    """Somebody whom a comment names by their handle, as it was when the comment was written."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="mentions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    handle = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comment", "user"], name="mention_once_per_comment")]
        indexes = [models.Index(fields=["user", "comment"], name="mention_by_user")]

    def __str__(self) -> str:
        return f"@{self.handle} in comment {self.comment_id}"


class ReactionKind(models.TextChoices):
    """What a reaction says."""

    PLUS = "plus", "+1"
    MINUS = "minus", "-1"
    EYES = "eyes", "eyes"
    THANKS = "thanks", "thanks"


class Reaction(models.Model):
    """A member's short answer to a comment; it makes nothing unread."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="reactions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10, choices=ReactionKind.choices)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["comment", "user", "kind"], name="reaction_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} to comment {self.comment_id}"


class Verdict(models.Model):
    """What a member said of the run as it was at `seq`. Rows are history; at most one per member stands."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="verdicts")
    author = author()
    kind = models.CharField(max_length=16, choices=VerdictKind.choices)
    text = models.TextField(blank=True)
    seq = models.BigIntegerField()
    stands = models.BooleanField(default=True)
    given_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-given_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["review", "author"], condition=models.Q(stands=True), name="verdict_one_stands"
            )
        ]

    def __str__(self) -> str:
        return f"{self.author} {self.get_kind_display()}"


class ReadMark(models.Model):
    """Up to which comment a member has read a thread."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="marks")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    comment_id = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "member"], name="mark_once_per_member")]

    def __str__(self) -> str:
        return f"read up to comment {self.comment_id}"


class ViewedFinding(models.Model):
    """A finding of a run that a member has looked at, by the key that `findings.py` gives it."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=80)
    viewed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "member", "key"], name="viewed_once_per_member")]

    def __str__(self) -> str:
        return f"{self.key} viewed"
