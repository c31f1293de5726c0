"""`manage.py compact_database`: rewrites the SQLite file, so that free space goes back to the disk."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from dashboard.common.database.sqlite_file import DamagedDatabase, FileRoom, FileState, check_file, compact, file_sizes
from dashboard.common.management.confirming import is_confirmed
from dashboard.common.pages import numbers
from dashboard.data_folder import DataFolderError

if TYPE_CHECKING:
    from argparse import ArgumentParser


class Command(BaseCommand):
    """Says what it would need and gain, asks, and does it; Schedscope must be stopped."""

    help = "Rewrite the SQLite file without free space (full VACUUM). Says what it needs and gains, and asks first."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the choice not to be asked."""
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the offer; compact the file where somebody says yes."""
        if connection.vendor != "sqlite":
            raise CommandError("this is for SQLite; PostgreSQL gives space back by its own autovacuum and VACUUM FULL")
        path = Path(connection.settings_dict["NAME"])
        try:
            # Somebody who has it open would wait for minutes, or fail.
            with settings.DATA_FOLDER.lock():
                room = self._room(path)
                self._say(offer(room))
                if not room.fits:
                    raise CommandError(f"the disk has only {size(room.disk_free)} free; make room first")
                if not options["yes"] and not is_confirmed(self._say):
                    return
                began = time.monotonic()
                compact(path)
                self._say(f"{size(room.size)} became {size(path.stat().st_size)} in {time.monotonic() - began:.1f} s")
        except (DataFolderError, DamagedDatabase) as error:
            raise CommandError(str(error)) from error
        except sqlite3.Error as error:
            raise CommandError(f"the database is as it was before ({error})") from error

    def _room(self, path: Path) -> FileRoom:
        if check_file(path) is not FileState.READY:
            raise CommandError(f"there is no database {path}")
        return file_sizes(path)

    def _say(self, text: str) -> None:
        self.stdout.write(f"schedscope: {text}")


def offer(room: FileRoom) -> str:
    """Return what a full VACUUM would need and gain, in a sentence."""
    return (
        f"the database takes {size(room.size)}, of which {size(room.free)} is free space that would go back "
        f"to the disk; this takes about {room.seconds} s and meanwhile {size(room.needed)} of disk space"
    )


def size(count: int) -> str:
    """Return bytes for people."""
    return numbers.data_size(count)
