"""The broker of an embedded installation: a folder with one file per message, for Celery through kombu.

kombu's own file-system transport opens a message's file under its final name and then fills it, so a worker that looks
in between takes an empty file and ends with an error; a process killed there leaves one for the next worker. The
exchanges' tables, files that several processes rewrite in place, have the same gap. Here

- a message is written under a name that no reader looks for, and renamed: a reader sees it whole or not at all;
- reading ends with the file's removal, which succeeds in one process only: that one has the message;
- a file that holds no message is moved aside with a line in the log, and the next one is looked at;
- each process binds the queues that it uses in memory, so there is no table to keep.

A message is named like `00000000123456789012_5c0b...e1.runs.msg`: a clock reading, an identifier, the queue.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections import deque
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.exceptions import OperationalError
from kombu.transport import filesystem, virtual
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)

# What a killed writer left behind is removed when it is older than any write takes.
LEFT_OVER_SECONDS = 60.0
UNFINISHED, UNREADABLE = ".unfinished", ".unreadable"


class Channel(virtual.Channel):
    """Sends and takes messages of one folder, which the transport's option `folder` names."""

    # Every message is a hint; one that a worker did not finish is not sent again to kill the next one.
    do_restore = False

    def __init__(self, connection: Any, **options: Any) -> None:
        super().__init__(connection, **options)
        self.folder = Path(connection.client.transport_options["folder"])
        self._seen: dict[str, deque[str]] = {}
        self._remove_left_overs()

    def _put(self, queue: str, message: dict[str, Any], **_options: Any) -> None:
        """Add a message whole or not at all; raises kombu's OperationalError where the folder takes none."""
        path = self.folder / f"{time.monotonic_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        unfinished = path.with_name(path.name + UNFINISHED)
        try:
            try:
                unfinished.write_text(dumps(message), encoding="utf-8")
                unfinished.rename(path)
            except OSError:
                unfinished.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise OperationalError(f"no message can be put into {self.folder}: {error.strerror}") from error

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        """Return the queue's oldest message, which nobody else gets; raises Empty."""
        # A look into the folder serves until all that it found is taken, so that a thousand waiting messages need not
        # be sorted a thousand times. What came since is newer than all of these.
        seen = self._seen.get(queue)
        if not seen:
            seen = self._seen[queue] = deque(sorted(self._names(queue)))
        while seen:
            path = self.folder / seen.popleft()
            try:
                content = path.read_bytes()
                path.unlink()
            except FileNotFoundError:
                continue  # Another process was faster.
            message = self._message(content)
            if message is not None:
                return message
            self._move_aside(path, content)
        raise Empty

    def _purge(self, queue: str) -> int:
        names = self._names(queue)
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
        return len(names)

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _names(self, queue: str) -> list[str]:
        return [name for name in os.listdir(self.folder) if name.partition(".")[2] == f"{queue}.msg"]

    def _message(self, content: bytes) -> dict[str, Any] | None:
        """Return the message that a file holds, None where no consumer could be handed it."""
        try:
            message = loads(content.decode("utf-8"))
            # The constructor that the consumer's side will call: it wants the properties, and decodes the body.
            opened = self.Message(message, channel=self)
            is_whole = "task" in opened.headers and "id" in opened.headers and isinstance(opened.delivery_tag, str)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return None
        return message if is_whole else None

    def _move_aside(self, path: Path, content: bytes) -> None:
        aside = path.with_name(path.name + UNREADABLE)
        aside.write_bytes(content)
        log.warning("the broker's file %s held no message (%d bytes); it was moved to %s", path, len(content), aside)

    def _remove_left_overs(self) -> None:
        oldest = time.time() - LEFT_OVER_SECONDS
        for path in self.folder.glob(f"*{UNFINISHED}"):
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink()
            except FileNotFoundError:
                continue  # Its writer finished it, or another process removed it.


class Transport(virtual.Transport):
    """The folder as kombu sees it; Celery finds it by the setting `broker_transport`."""

    Channel = Channel
    # One table of exchanges and queues per process, for all of its connections.
    global_state = virtual.BrokerState()
    driver_type = driver_name = "folder"
    implements = filesystem.Transport.implements

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self.state = self.global_state

    def driver_version(self) -> str:
        """Return what kombu shows as the driver's version."""
        return "1"
