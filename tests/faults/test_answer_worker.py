"""Answer workers that are killed at random while pages ask: no page fails or waits longer than its deadline says."""

from __future__ import annotations

import html
import os
import random
import re
import signal
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from dashboard.answers.panel import PATIENCE_SECONDS
from dashboard.answers.registry import KINDS
from dashboard.answers.transport.local import LATE_SECONDS
from tests.conftest import unavailable
from tests.dashboard.run_helpers import node, pod
from tests.faults.installations import production, supervised
from tests.faults.lengths import length
from tests.faults.processes import sign_in, start_run, wait_until
from tests.services.servers import NoServer, family

pytestmark = [pytest.mark.slow, pytest.mark.long]

SEED = 5
KILLS = length(short=2, long=20)
PRODUCTION_KILLS = length(short=4, long=20)
PAGES = 4
REFUSED = 60
# A busy machine may take so long for a page that asks nothing.
PAGE_SECONDS = 15.0
AGAIN = re.compile(r'hx-get="([^"]+)"\s+hx-trigger="load')


def answer_worker_of(supervisor):
    """Return the process id of the supervisor's answer worker, None where it has none."""
    for child in family(supervisor)[1:]:
        try:
            if b"dashboard.answers.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                return child
        except FileNotFoundError:
            continue
    return None


class Page(threading.Thread):
    """A page that asks one question after the other, each until its answer or the end of its deadline."""

    def __init__(self, origin, cookie, workspace, chance):
        super().__init__()
        self.origin, self.cookie, self.workspace, self.chance = origin, cookie, workspace, chance
        self.stopping = threading.Event()
        self.ended = {"answer": 0, "late": 0, "dropped": 0}
        self.wrong = []

    def run(self):
        """Ask until stopped; what is wrong is kept for the test."""
        while not self.stopping.is_set():
            try:
                self.ended[self.question(self.chance.randint(1, REFUSED))] += 1
            except Exception as error:
                self.wrong.append(repr(error))

    def question(self, cycle):
        """Ask until there is an answer, or the page says that there is none."""
        path, began = f"/w/{self.workspace}/runs/1/answers/remedies/?cycle={cycle}", time.monotonic()
        longest = KINDS["remedies"].seconds + PATIENCE_SECONDS + LATE_SECONDS + PAGE_SECONDS
        while True:
            body = self.get(path)
            if "No answer within" in body:
                return "late"
            if "Not computed" in body:
                # All pages are one person's, and each asks for the cause beside the remedies.
                return "dropped"
            if 'class="answer-note"' not in body:
                assert 'id="remedies"' in body, body
                return "answer"
            assert "Waiting for" in body or "Being computed" in body, body
            assert time.monotonic() - began < longest, "a question outlived its deadline"
            path = html.unescape(AGAIN.search(body)[1])
            self.stopping.wait(0.02)

    def get(self, path):
        """Return a part of the page; anything but success raises."""
        request = urllib.request.Request(self.origin + path, headers={"Cookie": f"schedscope_session={self.cookie}"})
        began = time.monotonic()
        with urllib.request.urlopen(request, timeout=60) as response:
            body = response.read().decode()
        assert time.monotonic() - began < PATIENCE_SECONDS + LATE_SECONDS + PAGE_SECONDS
        return body


@contextmanager
def asking(installation, started, chance):
    """Pages that ask until the block is left, and then once more until each has an answer; none may have failed."""
    origin = f"http://127.0.0.1:{installation.port}"
    cookie = sign_in(installation.environment)
    pages = [Page(origin, cookie, started["workspace"], random.Random(chance.random())) for _ in range(PAGES)]
    for page in pages:
        page.start()
    try:
        yield
        before = [page.ended["answer"] for page in pages]
        wait_until(
            lambda: all(page.ended["answer"] > n for page, n in zip(pages, before, strict=True)),
            "no answers",
            installation.log,
        )
    finally:
        for page in pages:
            page.stopping.set()
        for page in pages:
            page.join(60)
    assert [page.wrong for page in pages] == [[]] * PAGES, installation.log.read_text()


def start_refused_run(installation, folder):
    """A finished run of pods that no node can hold; what its start said."""
    manifests = [node(f"n-{n}", "4") for n in range(40)] + [pod(f"wide-{n}", "64") for n in range(REFUSED)]
    started = start_run(installation.environment, folder, manifests)
    ended = "SELECT count(*) FROM runs_run WHERE state = 'finished'"
    wait_until(lambda: installation.ask(ended)[0], "no run", installation.log)
    return started


def test_pages_outlive_answer_workers(tmp_path):
    chance = random.Random(SEED)
    with supervised(tmp_path) as installation:
        installation.start("supervisor")
        supervisor, log = installation.processes["supervisor"].pid, installation.log
        started = start_refused_run(installation, tmp_path)
        with asking(installation, started, chance):
            for _ in range(KILLS):
                wait_until(lambda: answer_worker_of(supervisor), "no new answer worker", log)
                time.sleep(chance.uniform(0, length(short=1.0, long=4.0)))
                victim = answer_worker_of(supervisor)
                if victim is not None:
                    os.kill(victim, signal.SIGKILL)
    assert "answer worker ended" in log.read_text()
    assert "Traceback" not in log.read_text(), log.read_text()


@pytest.fixture
def two_answer_workers(tmp_path):
    """An installation of the production set-up with `answers1` and `answers2`, started."""
    arguments = ("-m", "celery", "-A", "dashboard", "worker", "--queues", "answers", "--concurrency", "1")
    try:
        with production(tmp_path, workers=1) as installation:
            for name in ("answers1", "answers2"):
                command = [sys.executable, *arguments, "--loglevel", "WARNING", "--hostname", f"{name}@%h"]
                installation.commands[name] = command
            installation.start("web", "worker1", "answers1", "answers2")
            yield installation
    except NoServer as error:
        unavailable(str(error))


@pytest.mark.services
def test_pages_outlive_one_of_two_answer_workers_and_redis(two_answer_workers, tmp_path):
    """Of PostgreSQL and Redis: a worker of two is killed with its pool, or in its pool only, and Redis starts anew."""
    chance, installation = random.Random(SEED), two_answer_workers
    started = start_refused_run(installation, tmp_path)
    with asking(installation, started, chance):
        for kill in range(PRODUCTION_KILLS):
            victim = ("answers1", "redis", "answers2", "pool")[kill % 4]
            time.sleep(chance.uniform(0, length(short=1.0, long=4.0)))
            if victim == "pool":
                for child in family(installation.processes["answers1"].pid)[1:]:
                    os.kill(child, signal.SIGKILL)
                continue
            installation.kill(victim)
            time.sleep(chance.uniform(0, length(short=1.0, long=4.0)))
            if victim == "redis":
                installation.servers["redis"].start()
            else:
                installation.start(victim)
    assert not installation.ended()
