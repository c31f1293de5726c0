"""Web processes, and requests of browsers to them: a thread for each request, whose reply may never arrive.

Idea: a browser (`Web.ask`) picks a web process, waits for the reply and sends the same request again where none comes,
where the process dies or the database fails. So a person knows exactly what arrived.

Invariant: what a request returned to a browser was committed before.
Cost: a thread and a connection for each request.

    web = Web(scheduler, weather)
    web.ask("cancel", lambda: actions.cancel_run(member, run))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, InterfaceError, connection

from dashboard.common.problems import Problem, Repeated
from tests.faults.simulation.shims import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.simulation.scheduling import Process, Scheduler
    from tests.faults.simulation.weather import Weather

REPLY_SECONDS = 15.0
AGAIN_SECONDS = 1.0


class Refused(Exception):
    """The product said no, with a sentence for the person."""


class Web:
    """The web processes that live now (`processes`), and what browsers do with them."""

    def __init__(self, scheduler: Scheduler, weather: Weather) -> None:
        self._scheduler, self._weather = scheduler, weather
        self.processes: list[Process] = []

    def any_process(self) -> Process:
        """Return a web process that lives; waits for one."""
        while not (alive := [one for one in self.processes if not one.is_dead]):
            self._scheduler.pause("waits for a web server", AGAIN_SECONDS)
        return self._scheduler.random.choice(alive)

    def ask(self, what: str, handle: Callable[[], Any]) -> Any:
        """Return the reply to a request, sent again until one comes; raises Refused.

        A Repeated is the reply of the request that was answered before. Impatient people click twice.
        """
        while True:
            replies: list[tuple[str, Any]] = []
            arrived = Event(self._scheduler)
            for _ in range(2 if self._weather.is_doubled() else 1):
                self._send(what, handle, replies, arrived)
            arrived.wait(REPLY_SECONDS)
            if not replies:
                continue
            kind, value = replies[0]
            if kind == "said":
                return value
            if kind == "refused":
                raise Refused(value)
            self._scheduler.pause("asks again", AGAIN_SECONDS)

    def _send(self, what: str, handle: Callable[[], Any], replies: list[tuple[str, Any]], arrived: Event) -> None:
        def serve() -> None:
            reply = _reply(handle)
            connection.close()
            self._scheduler.pause("replies")
            if not self._weather.is_lost():
                replies.append(reply)
                arrived.set()

        self._scheduler.spawn(self.any_process(), what, serve, self._weather.statement_seconds())


def _reply(handle: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "said", handle()
    except Repeated as before:
        return "said", before.location
    except Problem as problem:
        return "refused", str(problem)
    except (DatabaseError, InterfaceError):
        return "failed", None
