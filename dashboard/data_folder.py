"""The one folder in which an installation keeps what it must not lose: database, broker files, secret key."""

from __future__ import annotations

import fcntl
import logging
import os
import secrets
import tempfile
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class DataFolderError(Exception):
    """The data folder cannot be used; the message is one line for the person who started the program."""


class DataFolder:
    """A folder that exists and can be written to; opening it raises DataFolderError otherwise."""

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().absolute()
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=self.path):
                pass
        except OSError as error:
            raise DataFolderError(
                f"the data folder {self.path} cannot be written to ({error.strerror}); "
                "set SCHEDSCOPE_DATA to a folder of yours"
            ) from error

    def folder(self, name: str) -> Path:
        """Return the subfolder `name`, made if it was missing."""
        path = self.path / name
        path.mkdir(exist_ok=True, mode=0o700)
        return path

    def secret_key(self) -> str:
        """Return the installation's secret key, made on first use and readable by its owner only.

        An empty file (the disk was full, the power went) is filled again: the key that signed the sessions is gone
        either way, so all that happens is that everybody signs in again. Raises DataFolderError for an unreadable one.
        """
        path = self.path / "secret_key"
        try:
            if not path.exists():
                self._write_once(path, secrets.token_urlsafe(50))
            return path.read_text(encoding="ascii").strip() or self._fill_key(path)
        except (OSError, UnicodeDecodeError) as error:
            raise DataFolderError(
                f"the secret key {path} cannot be used ({error}); put the right file in its place, or delete it "
                "to have a new one made: everybody then signs in again"
            ) from error

    def _fill_key(self, path: Path) -> str:
        """Return the key that the empty file has from now on; processes that start together agree by its lock."""
        with path.open("r+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if present := file.read().strip():
                return present
            key = secrets.token_urlsafe(50)
            file.seek(0)
            file.truncate()
            file.write(key + "\n")
            file.flush()
            os.fsync(file.fileno())
        log.warning("schedscope: the secret key %s was empty; a new one is made, everybody signs in again", path)
        return key

    def lock(self) -> IO[str]:
        """Return the open lock file, locked until it is closed or the process ends; raise when another has it."""
        file = (self.path / "lock").open("a+", encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise DataFolderError(
                f"Schedscope already runs on the data folder {self.path} (process {holder}); "
                "stop it first, or set SCHEDSCOPE_DATA to another folder"
            ) from error
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        return file

    def write_address(self, address: str) -> None:
        """Remember where the web server of this folder listens, for links printed by other processes."""
        (self.path / "address").write_text(address + "\n", encoding="ascii")

    def was_used(self) -> bool:
        """Return whether a web server was started on this folder before."""
        return (self.path / "address").exists()

    def address(self) -> str:
        """Return scheme, host and port by which a browser on this machine reaches the last started web server."""
        try:
            return (self.path / "address").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return "http://127.0.0.1:8000"

    def _write_once(self, path: Path, text: str) -> None:
        """Write `path` whole or not at all, so that of two first starts both read the same key."""
        handle, name = tempfile.mkstemp(dir=self.path)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(name, path)
        finally:
            os.unlink(name)
