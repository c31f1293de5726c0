"""`manage.py restore`: puts a backup in the place of the database, which must not be in use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from dashboard.common.database.backups import BackupError, Database, backups_in
from dashboard.common.management.confirming import is_confirmed
from dashboard.data_folder import DataFolderError

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Checks the backup, asks, and puts it back; Schedscope must be stopped."""

    help = "Put a backup in the place of the database, by default the newest one. Schedscope must be stopped."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the file and the choice not to be asked."""
        parser.add_argument("file", nargs="?", type=Path, help="by default the newest of <data folder>/backups")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Say what is replaced by what; do it where somebody says yes."""
        database = Database(connection.vendor, connection.settings_dict)
        try:
            file = (options["file"] or self._newest()).absolute()
            with self._alone(database):
                database.check(file)
                self._say(f"the database is to be replaced by {file}")
                if not options["yes"] and not is_confirmed(self._say):
                    return
                aside = settings.DATA_FOLDER.path / f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.sqlite3"
                was_there = connection.vendor == "sqlite" and database.path.exists()
                connection.close()
                database.restore(file, aside)
        except (BackupError, DataFolderError) as error:
            raise CommandError(str(error)) from error
        moved = f"; what was there is {aside}" if was_there else ""
        self._say(f"the database is that of {file.name}{moved}. Start Schedscope again")

    def _newest(self) -> Path:
        folder = settings.DATA_FOLDER.path / "backups"
        if not (backups := backups_in(folder, connection.vendor)):
            raise BackupError(f"there is no backup in {folder}; name a file")
        return backups[-1]

    def _alone(self, database: Database) -> AbstractContextManager[Any]:
        """Refuse where others use the database."""
        if connection.vendor == "sqlite":
            lock: AbstractContextManager[Any] = settings.DATA_FOLDER.lock()
            return lock
        if n := database.others():
            raise BackupError(f"others have the database open ({n}); stop web servers and workers first")
        return nullcontext()

    def _say(self, text: str) -> None:
        self.stdout.write(f"schedscope: {text}")
