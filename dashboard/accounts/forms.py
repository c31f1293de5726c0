"""Forms of accounts: what people type, checked before an action sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from dashboard.accounts.actions import WorkspaceLimits
from dashboard.accounts.models import GIB, SLUG, Role

if TYPE_CHECKING:
    from dashboard.accounts.models import User

MAX_STORAGE_GIB = 100_000
PASSWORD_LIMIT = 200


PASSWORD_RULES = "At least 8 characters, not only digits, not a common one."


def no_nul(value: str) -> None:
    """Return if the text can be stored everywhere; raise ValidationError for a NUL character."""
    if "\x00" in value:
        raise ValidationError("Take the NUL character out.")


class SignInForm(forms.Form):
    """E-mail and password; whether they are right is the view's business."""

    email = forms.CharField(max_length=254, validators=[no_nul])
    password = forms.CharField(max_length=PASSWORD_LIMIT, strip=False, validators=[no_nul])


class InviteForm(forms.Form):
    """Whom to invite as what."""

    email = forms.EmailField(
        label="E-mail",
        max_length=254,
        widget=forms.TextInput({"autocomplete": "off", "placeholder": "mara@example.org"}),
        error_messages={"invalid": "Write an e-mail address such as mara@example.org."},
    )
    role = forms.ChoiceField(choices=Role.choices)


class RoleForm(forms.Form):
    """A role."""

    role = forms.ChoiceField(choices=Role.choices)


class WorkspaceForm(forms.Form):
    """Name and address of a new workspace; the address may be left to us."""

    name = forms.CharField(
        max_length=120, validators=[no_nul], widget=forms.TextInput({"placeholder": "Platform team"})
    )
    slug = forms.CharField(
        label="Address",
        max_length=50,
        required=False,
        validators=[SLUG],
        widget=forms.TextInput({"placeholder": "made from the name"}),
        help_text="Lower-case letters, digits and hyphens. It cannot be changed later.",
    )


class SettingsForm(forms.Form):
    """Name and limits of a workspace."""

    name = forms.CharField(max_length=120, validators=[no_nul])
    max_storage_gib = forms.DecimalField(min_value=0, max_value=MAX_STORAGE_GIB, max_digits=12, decimal_places=3)
    retention_days = forms.IntegerField(min_value=1, max_value=3650, required=False)

    def clean_max_storage_gib(self) -> Any:
        """Return the storage limit in GiB; nothing at all would stop the workspace."""
        value = self.cleaned_data["max_storage_gib"]
        if value * GIB < 1:
            raise ValidationError("Write more than 0.")
        return value

    def limits(self) -> WorkspaceLimits:
        """Return the limits of a valid form."""
        data = self.cleaned_data
        return WorkspaceLimits(int(data["max_storage_gib"] * GIB), data["retention_days"])


class PasswordForm(forms.Form):
    """A new password, typed twice."""

    password = forms.CharField(
        label="New password",
        max_length=PASSWORD_LIMIT,
        strip=False,
        validators=[no_nul],
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=PASSWORD_RULES,
    )
    again = forms.CharField(
        label="Repeat the new password",
        max_length=PASSWORD_LIMIT,
        strip=False,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, user: User | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        """Return the password if it is strong enough."""
        password: str = self.cleaned_data["password"]
        validate_password(password, self.user)
        return password

    def clean(self) -> dict[str, Any]:
        """Return the data if both passwords agree."""
        data = super().clean() or self.cleaned_data
        if "password" in data and "again" in data and data["password"] != data["again"]:
            self.add_error("again", "The two passwords differ. Type the same one twice.")
        return data


class JoinForm(PasswordForm):
    """Name and password of somebody who joins without an account."""

    name = forms.CharField(
        label="Your name", max_length=120, validators=[no_nul], widget=forms.TextInput({"autocomplete": "name"})
    )
    field_order = ["name", "password", "again"]

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["password"].label = "Password"


class NameForm(forms.Form):
    """A person's own name."""

    name = forms.CharField(max_length=120, validators=[no_nul], widget=forms.TextInput({"autocomplete": "name"}))


class TokenForm(forms.Form):
    """A new token: its name, what it may do (kind of scope, and what that is about), and when it ends."""

    name = forms.CharField(
        max_length=120,
        validators=[no_nul],
        widget=forms.TextInput({"autocomplete": "off", "placeholder": "prod collector"}),
        help_text="Where it is used, so that one knows what stops when it ends.",
    )
    kind = forms.CharField(max_length=40, validators=[no_nul])
    about = forms.CharField(max_length=120, validators=[no_nul])
    days = forms.TypedChoiceField(
        choices=[("", "never"), ("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year")],
        coerce=int,
        empty_value=None,
        required=False,
    )

    @property
    def scopes(self) -> list[str]:
        """Return the scope of a valid form."""
        return [f"{self.cleaned_data['kind']}:{self.cleaned_data['about']}"]
