"""Messages that wake workers, and the workers that take them: a broker that loses and doubles, processes that stop.

Idea: `wake_worker` sends to this broker instead of Celery. A worker is the loop around Celery's tasks, which are the
product's (`dashboard.runs.tasks`), and the product's reconciler in a second thread. The supervisor starts what was
killed again and, until it is calm, has a worker stop now and then as SIGTERM does.

Invariant: a worker that stops by itself leaves no lease behind, unless the database fails it again and again.
Cost: a pause for each message; idle workers look once a second.

    broker = Broker(scheduler, weather)
    broker.send_task("dashboard.runs.tasks.work", queue="runs")
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from celery.worker import state as celery_state
from django.db import DatabaseError, connection
from kombu.exceptions import OperationalError as BrokerIsAway

from dashboard.runs import tasks
from dashboard.runs.lifecycle import reconcile
from tests.faults.simulation.scheduling import Killed
from tests.faults.simulation.shims import Event, Waiting

if TYPE_CHECKING:
    from tests.faults.simulation.scheduling import Process, Scheduler
    from tests.faults.simulation.weather import Weather
    from tests.faults.simulation.witness import Witness

TASKS = {
    f"dashboard.runs.tasks.{task.__name__}": task
    for task in (tasks.work, tasks.work_in_background, tasks.delete_marked, tasks.prepare, tasks.do_background_tasks)
}
LOOK_SECONDS = 3.0


class Broker:
    """Queues of messages by name, and who waits for one."""

    def __init__(self, scheduler: Scheduler, weather: Weather) -> None:
        self._scheduler, self._weather = scheduler, weather
        self._queues: dict[str, deque[str]] = defaultdict(deque)
        self._waiting = Waiting(scheduler)

    def send_task(self, name: str, queue: str = "background", **_how: Any) -> None:
        """Put a message into the queue, or lose or double it. Raises as kombu does where the broker is away."""
        self._scheduler.pause(f"sends {name}", self._weather.statement_seconds())
        if self._weather.broker_is_away():
            raise BrokerIsAway("simulated: the broker is away")
        if self._weather.is_lost():
            self._scheduler.note(f"loses {name}")
            return
        self._queues[queue].extend([name] * (2 if self._weather.is_doubled() else 1))
        self._waiting.wake()

    def take(self, queues: tuple[str, ...]) -> tuple[str, str] | None:
        """Return (queue, name of the task) of the next message of these queues; None after a while without any."""
        if not any(self._queues[name] for name in queues):
            self._waiting.wait("waits for a message", self._scheduler.now + LOOK_SECONDS)
        for queue in queues:
            if self._queues[queue]:
                return queue, self._queues[queue].popleft()
        return None

    def give_back(self, message: tuple[str, str]) -> None:
        """Deliver a message again whose worker died: it was not acknowledged."""
        self._queues[message[0]].appendleft(message[1])
        self._waiting.wake()


class Worker:
    """A worker process: it does what messages name until it is to stop."""

    def __init__(self, scheduler: Scheduler, broker: Broker, witness: Witness, queues: tuple[str, ...]) -> None:
        self._scheduler, self._broker, self._witness, self._queues = scheduler, broker, witness, queues
        self.reconciler = reconcile.Reconciler()
        self.reconciler.stopping = Event(scheduler)  # type: ignore[assignment]

    def start(self, process: Process) -> None:
        """Start the threads of the process."""
        self._scheduler.spawn(process, "tasks", self._work)
        self._scheduler.spawn(process, "reconciler", self.reconciler.run)

    def stop(self, process: Process) -> None:
        """Ask the process to stop, as SIGTERM does; it is another process that asks."""
        process.memory[celery_state, "should_stop"] = 0
        self.reconciler.stopping.set()

    def _work(self) -> None:
        process = self._scheduler.process
        while celery_state.should_stop is None:
            message = self._broker.take(self._queues)
            if message is not None:
                self._do(message)
        connection.close()
        self._witness.stopped(process)
        process.is_dead = True

    def _do(self, message: tuple[str, str]) -> None:
        try:
            TASKS[message[1]]()
        except DatabaseError:
            # Celery logs it and drops the message.
            self._scheduler.note(f"{message[1]} failed with the database")
        except Killed:
            self._broker.give_back(message)
            raise
