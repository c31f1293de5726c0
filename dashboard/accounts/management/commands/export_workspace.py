"""`manage.py export_workspace`: all that belongs to a workspace, as a zip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.leaving.archive import export_workspace
from dashboard.accounts.models import Workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """manage.py export_workspace SLUG FILE."""

    help = "Write a zip with one file of JSON lines for each kind of row of a workspace, recordings included."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the workspace and the file."""
        parser.add_argument("slug", help="the workspace, as in its address")
        parser.add_argument("file", type=Path, help="the zip, which must not be there yet")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the archive and print how many rows it has."""
        workspace = Workspace.objects.filter(slug=options["slug"]).first()
        if workspace is None:
            raise CommandError(f"there is no workspace {options['slug']}")
        try:
            counts = export_workspace(workspace, options["file"])
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be written: {error.strerror}") from error
        self.stdout.write(f"schedscope: {sum(counts.values())} rows are in {options['file']}")
