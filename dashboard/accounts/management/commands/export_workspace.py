"""`manage.py export_workspace`: all that belongs to a workspace, as a zip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from dashboard.accounts.leaving.archive import export_workspace
from dashboard.accounts.leaving.named import named_workspace, written_archive

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
        workspace = named_workspace(options["slug"])
        self.stdout.write(written_archive(lambda file: export_workspace(workspace, file), options["file"]))
