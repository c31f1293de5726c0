"""`manage.py collectstatic`: the build of the static files for an image, the same that `make run` makes for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand

from dashboard.common.assets.storage import collect_static_files

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Builds the files into STATIC_ROOT where the sources changed."""

    help = "Build the static files: scripts joined, names by content, compressed."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the options with which others call Django's command of this name."""
        parser.add_argument("--noinput", "--no-input", action="store_true", help="has no effect: nothing is asked")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Build, and say whether that was necessary."""
        is_new = collect_static_files()
        if options["verbosity"]:
            self.stdout.write(f"{settings.STATIC_ROOT}: {'built' if is_new else 'unchanged'}")
