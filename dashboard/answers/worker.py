"""The answer worker of an embedded installation: `python -m dashboard.answers.worker`, a child of the supervisor."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import TYPE_CHECKING

import django
from django.db import close_old_connections

from dashboard.common.processes.marks import mark, mark_ready

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.answers.messages import Reply, Request
    from dashboard.answers.transport.board import Board

log = logging.getLogger(__name__)

# A computation that does not end so long after its deadline holds up all others: the supervisor starts a new worker.
OVERDUE_SECONDS = 30.0
LOOK_SECONDS = 1.0


def main() -> None:
    """Answer until SIGTERM; what is being computed then is dropped, its page asks the next worker."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    django.setup()
    from dashboard.answers import tasks
    from dashboard.answers.transport.board import Board
    from dashboard.answers.transport.local import Server

    mark("the answers are loaded")

    def answer(request: Request, seconds: float, is_unwanted: Callable[[], bool]) -> Reply:
        """What the task does, on a connection to the database that still works."""
        close_old_connections()
        return tasks.answer(request, seconds, is_unwanted)

    board, stopping = Board(answer), threading.Event()
    with Server(board) as server:
        threading.Thread(target=board.work, args=(stopping,), name="answers", daemon=True).start()
        threading.Thread(target=server.serve_forever, name="socket", daemon=True).start()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_signal: stopping.set())
        mark_ready()
        watch(board, stopping, _write)


def _write() -> None:
    """Add the worker's figures to the database, where that is due."""
    from django.db import close_old_connections

    from dashboard.answers.computing import sessions
    from dashboard.answers.figures import figures

    close_old_connections()
    figures.write(len(sessions()))


def watch(board: Board, stopping: threading.Event, write: Callable[[], None]) -> None:
    """Write figures until `stopping` is set; raise SystemExit for a computation that does not end."""
    while not stopping.wait(LOOK_SECONDS):
        write()
        if board.computing_for() > OVERDUE_SECONDS:
            log.error("a question did not end %s s after its deadline; the answer worker ends", OVERDUE_SECONDS)
            raise SystemExit(1)


if __name__ == "__main__":
    main()
