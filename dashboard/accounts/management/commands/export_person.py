"""`manage.py export_person`: all rows that refer to a person, as a zip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand

from dashboard.accounts.leaving.archive import export_person
from dashboard.accounts.leaving.named import named_person, written_archive

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """manage.py export_person EMAIL FILE."""

    help = "Write a zip with one file of JSON lines for each kind of row that refers to a person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the person and the file."""
        parser.add_argument("email")
        parser.add_argument("file", type=Path, help="the zip, which must not be there yet")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the archive and print how many rows it has."""
        person = named_person(options["email"])
        self.stdout.write(written_archive(lambda file: export_person(person, file), options["file"]))
