"""Backups of the database, as one file each: a copy of SQLite's file, or what pg_dump writes.

A backup is made under another name and takes its own once it is whole, so a file with the name of a backup is one. It
may be made while people work: it holds the database as of one moment. To restore one nobody may have the
database open.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.apps import apps

from dashboard.common.database.sqlite_file import DamagedDatabase, FileState, check_file

SUFFIX = {"sqlite": ".sqlite3", "postgresql": ".pgdump"}
_PAGES = 2_000
"""Pages copied before others may write again; some hundredths of a second."""
_CHECK_SECONDS = 600.0
_OTHERS = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"""


class BackupError(Exception):
    """A backup cannot be made or put back; the message is one line that says why, and what is as it was."""


@dataclass(frozen=True)
class Database:
    """The database of Django's settings: `vendor` is "sqlite" or "postgresql", `settings` its connection's."""

    vendor: str
    settings: dict[str, Any]

    @property
    def path(self) -> Path:
        """Return SQLite's file."""
        return Path(self.settings["NAME"])

    def back_up(self, file: Path) -> None:
        """Write a backup to a file that is not there yet. Raises BackupError."""
        part = _part(file)
        try:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if file.exists():
                raise BackupError(f"{file} is there already; give another name")
            part.unlink(missing_ok=True)
            part.touch(mode=0o600)
            _copy_sqlite(self.path, part) if self.vendor == "sqlite" else self._dump(part)
            _keep(part, file)
        except (OSError, sqlite3.Error) as error:
            raise BackupError(f"{file} cannot be written ({error}); nothing was kept of it") from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def check(self, file: Path) -> None:
        """Raise BackupError where the file is no whole backup of this kind of database, or of a newer version."""
        if not file.is_file():
            raise BackupError(f"there is no backup {file}")
        if self.vendor == "sqlite":
            _check_sqlite(file)
        else:
            try:
                self._run("pg_restore", "--list", str(file))
            except BackupError as error:
                raise BackupError(f"{file} is no whole backup: {error}") from error

    def restore(self, file: Path, aside: Path) -> None:
        """Put a backup that was checked in the place of the database; SQLite's present file is moved to `aside`."""
        if self.vendor == "sqlite":
            _replace_sqlite(self.path, file, aside)
        else:
            self._run(
                "pg_restore", "--clean", "--if-exists", "--no-owner", "--no-privileges", "--exit-on-error",
                "--single-transaction", "--dbname", self._address, str(file),
            )  # fmt: skip

    def others(self) -> int:
        """Return how many have PostgreSQL's database open, by a connection that is no pool's. Raises BackupError."""
        import psycopg

        try:
            with psycopg.connect(self._address, password=self.settings.get("PASSWORD") or None) as connection:
                return int(connection.execute(_OTHERS).fetchone()[0])  # type: ignore[index]
        except psycopg.Error as error:
            raise BackupError(f"the database cannot be reached ({' '.join(str(error).split())})") from error

    def _dump(self, file: Path) -> None:
        self._run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file", str(file), self._address)

    @property
    def _address(self) -> str:
        """Connection parameters without the password, which every process of the machine could read."""
        parts = {"host": "HOST", "port": "PORT", "user": "USER", "dbname": "NAME"}
        given = {key: str(self.settings.get(name) or "") for key, name in parts.items()}
        quoted = ((key, value.replace("\\", "\\\\").replace("'", "\\'")) for key, value in given.items() if value)
        return " ".join(f"{key}='{value}'" for key, value in quoted)

    def _run(self, program: str, *arguments: str) -> None:
        password = {"PGPASSWORD": str(self.settings["PASSWORD"])} if self.settings.get("PASSWORD") else {}
        try:
            done = subprocess.run(
                [program, *arguments], env={**os.environ, **password}, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise BackupError(f"{program} of PostgreSQL is needed and cannot be started ({error.strerror})") from error
        if done.returncode:
            said = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
            raise BackupError(f"{program}: {said[:600]}")


def backup_name(vendor: str, at: datetime) -> str:
    """Return the name of a backup made at a moment, which sorts by it."""
    return f"schedscope-{at:%Y%m%dT%H%M%SZ}{SUFFIX[vendor]}"


def backups_in(folder: Path, vendor: str) -> list[Path]:
    """Return the backups of a folder, the oldest first."""
    return sorted(folder.glob(f"schedscope-*Z{SUFFIX[vendor]}")) if folder.is_dir() else []


def _part(file: Path) -> Path:
    return file.with_name(f".{file.name}.part")


def _keep(part: Path, file: Path) -> None:
    """Give a file that is whole its name, after its bytes are on the disk."""
    with part.open("rb") as written:
        os.fsync(written.fileno())
    os.replace(part, file)


def _copy_sqlite(path: Path, part: Path) -> None:
    if check_file(path) is not FileState.READY:
        raise BackupError(f"there is no database {path}")
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=20)) as source,
        closing(sqlite3.connect(part)) as target,
    ):
        # One transaction, so that writes meanwhile do not make the copy begin again.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target, pages=_PAGES)
        target.execute("PRAGMA journal_mode=DELETE")


def _check_sqlite(file: Path) -> None:
    try:
        state = check_file(file, _CHECK_SECONDS)
    except DamagedDatabase as error:
        why = error.__cause__ or "its pages do not fit together"
        raise BackupError(f"{file} is no whole backup: {why}") from error
    if state is not FileState.READY:
        raise BackupError(f"{file} holds no tables")
    folders = {one.label: Path(one.path) / "migrations" for one in apps.get_app_configs()}
    for app, name in _migrations(file):
        if app in folders and not (folders[app] / f"{name}.py").exists():
            raise BackupError(f"{file} is of a newer version of Schedscope, with {app}.{name}")


def _migrations(file: Path) -> list[tuple[str, str]]:
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT app, name FROM django_migrations ORDER BY id").fetchall()
    except sqlite3.OperationalError as error:
        raise BackupError(f"{file} is a database, but not one of Schedscope ({error})") from error


def _replace_sqlite(path: Path, file: Path, aside: Path) -> None:
    part = _part(path)
    try:
        shutil.copyfile(file, part)
        part.chmod(0o600)
        for ending in ("", "-wal", "-shm"):
            if (present := Path(f"{path}{ending}")).exists():
                os.replace(present, f"{aside}{ending}")
        _keep(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise BackupError(f"the backup cannot be put in place ({error}); the database is {path} or {aside}") from error
