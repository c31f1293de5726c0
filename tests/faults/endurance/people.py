"""People who do the same over and over: launch a run, watch it, step through it, comment, ask why, export, delete."""

from __future__ import annotations

import html
import random
import re
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import websockets
from websockets.sync.client import connect

from tests.bench.answer_pages import AGAIN
from tests.bench.sockets import ENDED, Message
from tests.faults.person import Person
from tests.faults.processes import sign_in
from tests.faults.story import WORKSPACE, Story

if TYPE_CHECKING:
    from tests.faults.installations import Installation

RUNS_LEFT = 8
"""Each person deletes what is older, so that the database stays as large as it is."""
STEPS = 20
PAUSE_SECONDS = 12.0
SILENCE_SECONDS = 120.0
_decode = msgspec.json.Decoder(Message).decode


class Worker(threading.Thread):
    """A person at work until `stopping` is set; `done` counts what was done, `error` is what ended it early."""

    def __init__(self, installation: Installation, seed: str, stopping: threading.Event) -> None:
        super().__init__(name=f"person {seed}", daemon=True)
        self.installation, self.stopping = installation, stopping
        self.person = Person(installation.port, sign_in(installation.environment))
        self.chance = random.Random(seed)
        self.story = Story(installation, self.person, self.chance)
        self.done: Counter[str] = Counter()
        self.error: BaseException | None = None

    def run(self) -> None:
        """Do one round after the other."""
        try:
            while not self.stopping.wait(PAUSE_SECONDS):
                self.round()
        except BaseException as error:
            self.error = error
            raise

    def round(self) -> None:
        """Launch a run and do with it what people do."""
        count = len(self.story.launched)
        self.story.launch()
        if len(self.story.launched) == count:
            return  # Enough of others are under way.
        number = max(self.story.launched)
        cycles = self._watch(number)
        self.step(number, cycles)
        self.comment(number, cycles)
        self.export(number, cycles)
        while len(set(self.story.launched) - self.story.deleted) > RUNS_LEFT:
            self.story.delete()
            self.done["deleted"] += 1
        self.done["launched"] += 1

    def _watch(self, number: int) -> int:
        """Follow the run's socket to its end; return how many cycles it has."""
        origin = f"127.0.0.1:{self.installation.port}"
        with connect(
            f"ws://{origin}/ws{WORKSPACE}/runs/{number}/",
            additional_headers={"Cookie": self.person.cookie},
            origin=websockets.Origin(f"http://{origin}"),
            max_size=None,
        ) as socket:
            socket.send('{"from": 0}')
            seen = 0
            while True:
                message = _decode(socket.recv(SILENCE_SECONDS, decode=False))
                self.done["messages"] += 1
                seen = max(seen, message.last + 1)
                if message.state in ENDED and seen >= message.head.seq:
                    return message.head.cycle

    def step(self, number: int, cycles: int) -> None:
        """Look at cycles in turn and at random, with the map and events, and ask why of some."""
        run, first = f"{WORKSPACE}/runs/{number}/", self.chance.randrange(1, max(2, cycles - STEPS))
        for cycle in [*range(first, first + STEPS // 2), *self.chance.choices(range(1, cycles), k=STEPS // 2)]:
            self._page(f"{run}?cycle={cycle}")
        for part in ("map/", "events/", "density/", "why/", "outcomes/", "review/"):
            self._page(f"{run}{part}?cycle={first}")

    def comment(self, number: int, cycles: int) -> None:
        """Open a thread on a cycle, answer it, and read both."""
        run, cycle = f"{WORKSPACE}/runs/{number}", self.chance.randrange(1, cycles)
        opened = self.person.post(f"{run}/review/threads/new", {"cycle": cycle, "text": "Why **here**?"})
        assert opened.status == 302, (opened.status, opened.text[:2000])
        thread = re.search(r"thread=(\d+)", opened.location).group(1)
        answered = self.person.post(f"{WORKSPACE}/threads/{thread}/reply", {"text": "Since `node-1` was full."})
        assert answered.status == 302, (answered.status, answered.text[:2000])
        self._page(f"{run}/cycles/{cycle}/threads/")
        self.done["comments"] += 2

    def export(self, number: int, cycles: int) -> None:
        """Download what can be had of a run and of its cluster."""
        run, cluster = f"{WORKSPACE}/runs/{number}/", self.story.launched[number][0]
        paths = [f"{run}outcomes.csv", f"{run}outcomes.md", f"{run}story.md", f"{run}decision.md?cycle={cycles // 2}"]
        paths += [f"{run}search/hits.csv?q=verdict:refused", f"{WORKSPACE}/clusters/{cluster}/export"]
        for path in paths:
            self._page(path)
            self.done["exports"] += 1

    def _page(self, path: str) -> None:
        """Get a page and what it asks answer workers for."""
        answer: Any = self.person.get(path)
        assert answer.status == 200, (path, answer.status, answer.text[:2000])
        self.done["pages"] += 1
        for address in set(AGAIN.findall(answer.text)):
            deadline, again = time.monotonic() + SILENCE_SECONDS, html.unescape(address)
            while again and time.monotonic() < deadline:
                body = self.person.get(again).text
                next_one = AGAIN.search(body)
                again = html.unescape(next_one[1]) if next_one else ""
            self.done["answers"] += 1
