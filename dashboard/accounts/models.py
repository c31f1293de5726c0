"""Who may do what: users, workspaces, members, invitations, one-time links, tokens and the audit log."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone

GIB = 1024**3
# Numbers in details of the audit log that name something, as its address does.
NAMING_NUMBERS = frozenset({"number", "origin", "run", "review", "thread", "change"})
SLUG_PATTERN = r"[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?"
SLUG = RegexValidator(rf"^{SLUG_PATTERN}\Z", "Write lower-case letters, digits and hyphens, at most 50.")


def new_secret() -> str:
    """Return a fresh secret for a link; only its hash is ever stored."""
    return secrets.token_urlsafe(32)


def secret_hash(secret: str) -> str:
    """Return the hex SHA-256 under which a link's secret is stored; 256 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Role(models.TextChoices):
    """The roles of a workspace, from the smallest to the largest; each may do what the ones before it may."""

    VIEWER = "viewer", "viewer"
    REVIEWER = "reviewer", "reviewer"
    EDITOR = "editor", "editor"
    ADMIN = "admin", "admin"

    @property
    def rank(self) -> int:
        """Return the place in the order viewer < reviewer < editor < admin."""
        return list(Role).index(self)

    def covers(self, needed: Role | str) -> bool:
        """Return whether this role may do what `needed` may."""
        return self.rank >= Role(needed).rank


class UserManager(BaseUserManager["User"]):
    """Makes users; e-mail addresses are compared without regard to case."""

    def create_user(self, email: str, name: str = "", password: str | None = None) -> User:
        """Return a new saved user; without a password they can sign in by link only."""
        user = self.model(email=email.strip().lower(), name=name.strip())
        user.set_password(password)
        user.save(using=self._db)
        return user

    def get_by_natural_key(self, username: str | None) -> User:
        """Return the user with this e-mail address; raises User.DoesNotExist."""
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser):
    """A person. The e-mail address is the sign-in name."""

    email = models.CharField("e-mail", max_length=254, unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_active = models.BooleanField(default=True)
    # Grows whenever a membership, role or sign-in of this user changes; live sockets compare it and check again.
    access_version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()

    class Meta:
        ordering = ["email"]

    def __str__(self) -> str:
        return self.label

    @property
    def label(self) -> str:
        """Return the name, or the e-mail address of a user without one."""
        return self.name or self.email


class Workspace(models.Model):
    """A team's place; every cluster, configuration, run and review belongs to exactly one."""

    slug = models.CharField(max_length=50, unique=True, validators=[SLUG])
    name = models.CharField(max_length=120)
    max_storage_bytes = models.BigIntegerField(default=20 * GIB, validators=[MinValueValidator(1)])
    # None keeps runs until somebody deletes them.
    retention_days = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(3650)]
    )
    # Grows with each change of its members, their roles or their sign-ins; the tailer reads it beside the runs' heads.
    access_version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name", "slug"]

    def __str__(self) -> str:
        return self.name


class Feed(models.Model):
    """A version that grows with each change of what open pages of the workspace show (dashboard/live/feed).

    A page is rendered with the version that was read before everything else on it, and asks its socket for what changed
    since. It is a row of its own, since every writer of the workspace waits for its lock last; none is version 0.
    """

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, primary_key=True, related_name="feed")
    version = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"version {self.version} of {self.workspace}"


class Member(models.Model):
    """A user's place in a workspace."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)
    joined_at = models.DateTimeField(default=timezone.now)
    # The step of the tour that the member is at (0: none), whether it is on their pages or was left for later, and
    # whether they once took it to its end.
    tour_step = models.PositiveSmallIntegerField(default=0)
    tour_is_shown = models.BooleanField(default=False)
    tour_is_done = models.BooleanField(default=False)

    class Meta:
        ordering = ["joined_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="member_once_per_workspace"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"

    def may(self, needed: Role | str) -> bool:
        """Return whether the member's role covers the needed one."""
        return Role(self.role).covers(needed)


class Expiring(models.Model):
    """A secret of which only the hash is stored, good until a moment and for one use."""

    secret_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()

    class Meta:
        abstract = True

    @property
    def is_expired(self) -> bool:
        """Return whether the time of this secret is over."""
        return self.expires_at <= timezone.now()


class Invitation(Expiring):
    """An offer of a role; the link is shown once to the admin who made it."""

    LIFETIME = timedelta(days=7)

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="invitations")
    email = models.CharField("e-mail", max_length=254)
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)
    invited_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"

    @property
    def is_open(self) -> bool:
        """Return whether the invitation can still be accepted."""
        return self.accepted_at is None and self.revoked_at is None and not self.is_expired


class SigninToken(Expiring):
    """A one-time sign-in link, printed on the terminal."""

    LIFETIME = timedelta(hours=24)

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="signin_tokens")
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in link of {self.user}"


class SigninFailures(models.Model):
    """Passwords tried within a window of time, counted under a key (see throttle.py); right ones are given back."""

    key = models.CharField(max_length=64, unique=True)
    count = models.PositiveIntegerField(default=0)
    window_started_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"{self.count} tries since {self.window_started_at:%H:%M}"


class KnownAddress(models.Model):
    """A network address at which a user was signed in before; only a keyed hash of it is stored."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="known_addresses")
    site_hash = models.CharField(max_length=64)
    last_seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "site_hash"], name="known_address_once_per_user")]

    def __str__(self) -> str:
        return f"{self.user} since {self.last_seen_at:%Y-%m-%d}"


class SubmittedForm(models.Model):
    """A form that made something, by a hash of its once-token and fields, with the address of what it made."""

    key = models.CharField(max_length=64, unique=True)
    location = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.location


class AccessToken(models.Model):
    """A program's right to do what its scopes name, and nothing else; only the hash of its secret is stored.

    `scopes` are texts such as "collect:prod" (dashboard.accounts.tokens.scopes). `owner` None: it belongs to the
    workspace, and stays when `made_by` leaves; one with an owner counts only while they are a member. `is_of_terminal`:
    a command made it, so nobody is its maker. `hint` is how the secret begins, so that people can tell which one they
    hold.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="tokens")
    owner = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    is_of_terminal = models.BooleanField(default=False)
    name = models.CharField(max_length=120)
    secret_hash = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=24)
    scopes: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    # None: it never expires.
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_expired(self) -> bool:
        """Return whether its time is over."""
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def is_open(self) -> bool:
        """Return whether it can still be used."""
        return self.revoked_at is None and not self.is_expired


class TokenMinute(models.Model):
    """How many requests a token made in the minute (since 1970) of its latest one."""

    token = models.OneToOneField(AccessToken, on_delete=models.CASCADE, primary_key=True, related_name="used")
    minute = models.BigIntegerField()
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.count} requests of {self.token_id}"


class AuditEntry(models.Model):
    """Who did what to what, and when. Rows are only ever added."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="audit_entries")
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    actor_label = models.CharField(max_length=254)
    action = models.CharField(max_length=60)
    object = models.CharField(max_length=300)
    details: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["workspace", "-at", "-id"], name="audit_newest_first")]

    def __str__(self) -> str:
        return f"{self.actor_label}: {self.action} {self.object}"

    @property
    def action_text(self) -> str:
        """Return the action in words: "member removed" of "member.removed"."""
        return self.action.replace(".", " ").replace("_", " ")

    @property
    def details_text(self) -> list[tuple[str, str]]:
        """Return the details as pairs of words; counts have their thousands separated, numbers that name do not."""
        return [(name.replace("_", " "), _detail(name, value)) for name, value in self.details.items()]


def _detail(name: str, value: Any) -> str:
    if value is None:
        return "none"
    is_count = type(value) in (int, float) and name not in NAMING_NUMBERS
    return f"{value:,}" if is_count else str(value)
