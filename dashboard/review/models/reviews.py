"""Reviews: what each is about, its rule, its verdicts, and the record of what was decided.

What a review is about is one of the kinds of `SubjectKind`, each with its own columns. The review of a run is made by
the first comment, verdict or request, that of a change of a cluster or timeline by the first comment or a request,
every other one by a request. A proposal (a draft, or the text of a configuration
that is not saved) is kept as it was when it was put up for review, so that verdicts are about something that stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.accounts.models import Member, Role, User, Workspace
from dashboard.clusters.models import Draft, Revision
from dashboard.documents.models import SchedulerConfig, Timeline, TimelineDraft
from dashboard.runs.models import Run, State

if TYPE_CHECKING:
    from django.db.models.deletion import Collector

TITLE_LENGTH = 200
ABOUT_LENGTH = 300


class ReviewState(models.TextChoices):
    """What the standing verdicts come to: one request for changes outweighs approvals; closing outweighs both."""

    OPEN = "open", "open"
    APPROVED = "approved", "approved"
    CHANGES = "changes", "changes requested"
    CLOSED = "closed", "closed"


class SubjectKind(models.TextChoices):
    """What a review can be about."""

    RUN = "run", "run"
    COMPARISON = "comparison", "comparison"
    CLUSTER = "cluster", "change of a cluster"
    CONFIGURATION = "configuration", "change of a configuration"
    TIMELINE = "timeline", "change of a timeline"


OF_THINGS = (SubjectKind.CLUSTER, SubjectKind.TIMELINE)
"""What changes objects or entries: each is a finding, and its fields have threads."""


class VerdictKind(models.TextChoices):
    """What a verdict says; a comment on the whole changes nothing."""

    APPROVE = "approve", "approved"
    CHANGES = "request_changes", "asked for changes"
    COMMENT = "comment", "commented"


def author() -> models.ForeignKey[User | None, User | None]:
    """Return the reference to an author; None is somebody whose account is gone."""
    return models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")


def keep_decided(collector: Collector, field: Any, reviews: models.QuerySet[Review], using: str) -> None:
    """Delete the reviews of what is deleted, but for those with a record, which stay without the reference."""
    models.SET_NULL(collector, field, reviews.filter(_has_record()), using)
    models.CASCADE(collector, field, reviews.exclude(_has_record()), using)


def _has_record() -> models.Exists:
    return models.Exists(ReviewRecord.objects.filter(review=models.OuterRef("pk")))


class VisibleReviews(models.Manager["Review"]):
    """Leaves out the reviews of runs that are being deleted, but for those with a record."""

    def get_queryset(self) -> models.QuerySet[Review]:
        """Return the reviews that people may see."""
        is_going = models.Q(run__state=State.DELETING) | models.Q(other_run__state=State.DELETING)
        return super().get_queryset().exclude(is_going & ~_has_record())


class Review(models.Model):
    """One review. `is_asked`: somebody asked for verdicts, so it waits until the rule is met.

    The rule: `approvals_needed` members with `approver_role` or more approve, `opened_by` among them only where
    `asker_counts`, and nobody asks for changes. Without `reviewers` every member who may give a verdict is asked.

    By `kind` it is about `run`; about `run` beside `other_run`; about what leads from `base` (None: no objects) to
    `revision`, or to the `draft` as `proposal` has it; or about a change of `config`, by the texts in `proposal`, whose
    effect on `revision` is looked at where there is one; or about the `timeline_draft` of `timeline` as `proposal` has
    its entries. A reference is None where its object was deleted since.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="reviews")
    # Counts from 1 in each workspace, for addresses.
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=14, choices=SubjectKind.choices, default=SubjectKind.RUN)
    # What it is about in words, as it was when somebody asked: stays readable when the object is deleted.
    about = models.CharField(max_length=ABOUT_LENGTH, blank=True)
    run = models.ForeignKey(Run, on_delete=keep_decided, null=True, related_name="reviews")
    other_run = models.ForeignKey(Run, on_delete=keep_decided, null=True, related_name="+")
    base = models.ForeignKey(Revision, on_delete=keep_decided, null=True, related_name="+")
    revision = models.ForeignKey(Revision, on_delete=keep_decided, null=True, related_name="+")
    draft = models.ForeignKey(Draft, on_delete=models.SET_NULL, null=True, related_name="+")
    config = models.ForeignKey(SchedulerConfig, on_delete=keep_decided, null=True, related_name="+")
    timeline = models.ForeignKey(Timeline, on_delete=keep_decided, null=True, related_name="+")
    timeline_draft = models.ForeignKey(TimelineDraft, on_delete=models.SET_NULL, null=True, related_name="+")
    proposal: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict, blank=True)

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
    closed_by = author()
    closed_at = models.DateTimeField(null=True, blank=True)
    closing_text = models.TextField(blank=True)
    # When it came to its state, None while it is open.
    decided_at = models.DateTimeField(null=True, blank=True)
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
        constraints = [
            models.UniqueConstraint(fields=["workspace", "number"], name="review_number_once"),
            models.UniqueConstraint(fields=["run"], condition=models.Q(kind="run"), name="review_one_of_a_run"),
            models.CheckConstraint(
                condition=models.Q(
                    kind=SubjectKind.RUN,
                    other_run=None,
                    base=None,
                    revision=None,
                    draft=None,
                    config=None,
                    timeline=None,
                )
                | models.Q(
                    kind=SubjectKind.COMPARISON, base=None, revision=None, draft=None, config=None, timeline=None
                )
                | models.Q(kind=SubjectKind.CLUSTER, run=None, other_run=None, config=None, timeline=None)
                | models.Q(
                    kind=SubjectKind.CONFIGURATION, run=None, other_run=None, base=None, draft=None, timeline=None
                )
                | models.Q(
                    kind=SubjectKind.TIMELINE,
                    run=None,
                    other_run=None,
                    base=None,
                    revision=None,
                    draft=None,
                    config=None,
                ),
                name="review_columns_of_its_kind",
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"Review of {self.subject}"

    def counts_approval_of(self, member: Member) -> bool:
        """Return whether an approval of the member counts by the review's rule."""
        is_requester = self.is_asked and member.user_id == self.opened_by_id
        return member.may(self.approver_role) and (self.asker_counts or not is_requester)

    @property
    def subject(self) -> str:
        """Return what the review is about in words."""
        return str(self.run) if self.kind == SubjectKind.RUN and self.run else self.about or "a deleted run"


class Verdict(models.Model):
    """What a member said of a review's subject, of a run as it was at `seq`. At most one per member stands."""

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


class ReviewRecord(models.Model):
    """What was decided, as it was then: the outcome, the hashes of what was reviewed, and the whole review in Markdown.

    Rows are history: one for each time that the review came to a decision. `hashes` is [[what, hash], ...].
    """

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="records")
    outcome = models.CharField(max_length=10, choices=ReviewState.choices)
    decided_by = author()
    decided_at = models.DateTimeField(default=timezone.now)
    hashes: models.JSONField[list[list[str]], list[list[str]]] = models.JSONField(default=list)
    text = models.TextField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"record of {self.review}: {self.get_outcome_display()}"


class ViewedFinding(models.Model):
    """A finding that a member has looked at, by its key among those of a run, or of the review of another subject."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, null=True, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=80)
    viewed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "member", "key"], name="viewed_once_per_member"),
            models.UniqueConstraint(fields=["review", "member", "key"], name="viewed_once_in_a_review"),
            models.CheckConstraint(
                condition=models.Q(run__isnull=True, review__isnull=False)
                | models.Q(run__isnull=False, review__isnull=True),
                name="viewed_of_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key} viewed"


class MutedReview(models.Model):
    """A review that a member does not want to hear of, unless it names them."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    muted_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["review", "member"], name="muted_once_per_member")]

    def __str__(self) -> str:
        return f"{self.review} muted"
