"""What people write in reviews: threads pinned to cursors, their comments, and what each member has read.

Threads name their cursor by plain columns (run, seq, cycle): the recording's rows have no keys of their own and may be
re-written by a resumed worker.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.accounts.models import Member, Workspace
from dashboard.review.models.reviews import Review, author
from dashboard.runs.models import KEY_LENGTH, NODE_LENGTH, PLUGIN_LENGTH, Run

FINDING_LENGTH = 80
FIELD_LENGTH = 500


class ThreadKind(models.TextChoices):
    """What a thread speaks of: a cycle, one plugin's answer on one node, what happened to a pod, a field of a diff."""

    CYCLE = "cycle", "cycle"
    VERDICT = "verdict", "verdict"
    SCORE = "score", "score"
    MOVE = "move", "queue move"
    VICTIM = "victim", "victim"
    EVENT = "event", "event"
    STORY = "story", "story"
    FIELD = "field", "field"


class Thread(models.Model):
    """Comments about one thing in a run, pinned to a cursor: a seq, and within the cycle a point, plugin or node.

    `pod` with `pod_uid` ("" for the first of its name) is the pod that a move, a victim or a story is about; `cycle` is
    0 before the first one. `fact` is what the recording says of the thing, in words, as of the thread's seq: a history
    does not change. A thread on a field of a diff names the finding of its review by its key, and the field in it; it
    has no run where the review is about a change or about two runs. The counters and the last comment's author and time
    are kept with each comment, so that lists need no joins.
    """

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="threads")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="threads")
    seq = models.BigIntegerField()
    cycle = models.PositiveIntegerField()
    point = models.CharField(max_length=20, blank=True)
    plugin = models.CharField(max_length=PLUGIN_LENGTH, blank=True)
    node = models.CharField(max_length=NODE_LENGTH, blank=True)
    kind = models.CharField(max_length=10, choices=ThreadKind.choices, default=ThreadKind.CYCLE)
    pod = models.CharField(max_length=KEY_LENGTH, blank=True)
    pod_uid = models.CharField(max_length=NODE_LENGTH, blank=True)
    finding = models.CharField(max_length=FINDING_LENGTH, blank=True)
    field = models.CharField(max_length=FIELD_LENGTH, blank=True)
    fact = models.TextField(blank=True)

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
            models.Index(fields=["run", "pod"], name="thread_by_pod", condition=~models.Q(pod="")),
        ]

    def __str__(self) -> str:
        return f"thread {self.pk} on a {self.get_kind_display()}"

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
    # A branch that it suggests, by key and number: the number stays when the branch is deleted.
    suggested = models.ForeignKey(Run, on_delete=models.SET_NULL, null=True, related_name="+")
    suggested_number = models.PositiveIntegerField(null=True)

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


class ReadMark(models.Model):
    """Up to which comment a member has read a thread."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="marks")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    comment_id = models.BigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "member"], name="mark_once_per_member")]

    def __str__(self) -> str:
        return f"read up to comment {self.comment_id}"
