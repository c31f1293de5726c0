"""`manage.py export_person`: all rows that refer to a person, as a zip."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.leaving.archive import export_person
from dashboard.accounts.models import User

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
        user = User.objects.filter(email=options["email"].strip().lower()).first()
        if user is None:
            raise CommandError(f"nobody has the e-mail address {options['email']}")
        try:
            counts = export_person(user, options["file"])
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be written: {error.strerror}") from error
        self.stdout.write(f"schedscope: {sum(counts.values())} rows are in {options['file']}")
