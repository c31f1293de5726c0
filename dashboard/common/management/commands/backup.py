"""`manage.py backup`: the database as one file, while people work."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from dashboard.common.database.backups import BackupError, Database, backup_name, backups_in
from dashboard.common.database.sqlite_file import DamagedDatabase
from dashboard.common.pages.numbers import data_size

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Writes a backup and says where it is."""

    help = "Write the database to one file, which `restore` puts back. Schedscope may run meanwhile."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file, and how many backups stay."""
        parser.add_argument(
            "file", nargs="?", type=Path, help="by default a file with the time in <data folder>/backups"
        )
        parser.add_argument("--keep", type=int, default=0, help="delete all but the newest N of <data folder>/backups")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Write the backup; delete older ones where that is wanted, once the new one is whole."""
        folder = settings.DATA_FOLDER.path / "backups"
        file = options["file"] or folder / backup_name(connection.vendor, datetime.now(UTC))
        try:
            Database(connection.vendor, connection.settings_dict).back_up(file.absolute())
        except (BackupError, DamagedDatabase) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"schedscope: {file} holds the database ({data_size(file.stat().st_size)})")
        if options["keep"] > 0:
            for old in backups_in(folder, connection.vendor)[: -options["keep"]]:
                old.unlink()
                self.stdout.write(f"schedscope: {old} is deleted")
