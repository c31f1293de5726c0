"""The person or the workspace that a command names, and the file that it writes about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.management.base import CommandError

from dashboard.accounts.models import User, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def named_person(email: str) -> User:
    """Return the person with this address. Raises CommandError."""
    user = User.objects.filter(email=email.strip().lower()).first()
    if user is None:
        raise CommandError(f"nobody has the e-mail address {email}")
    return user


def named_workspace(slug: str) -> Workspace:
    """Return the workspace with this slug. Raises CommandError."""
    workspace = Workspace.objects.filter(slug=slug).first()
    if workspace is None:
        raise CommandError(f"there is no workspace {slug}")
    return workspace


def written_archive(write: Callable[[Path], dict[str, int]], file: Path) -> str:
    """Write an archive and return how many rows it has, as a line. Raises CommandError."""
    try:
        counts = write(file)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from error
    return f"schedscope: {sum(counts.values())} rows are in {file}"
