"""The production set-up as real processes: one web server, two workers, PostgreSQL, Redis."""

from __future__ import annotations

import json
import time
import urllib.request

import pytest
from celery import Celery

from tests.patience import PATIENCE
from tests.services.servers import dashboard, production_environment


def worker_names(redis_url, n_workers):
    """Return the names of the workers that answer a ping, as soon as there are `wanted` of them."""
    deadline = time.monotonic() + PATIENCE
    with Celery(broker=redis_url) as client:
        while True:
            names = sorted(name.partition("@")[0] for answer in client.control.ping(timeout=1) for name in answer)
            if len(names) >= n_workers or time.monotonic() > deadline:
                return names


@pytest.mark.slow
@pytest.mark.long
def test_web_process_and_two_workers_answer(postgres_url, redis_url, tmp_path):
    environment = production_environment(postgres_url, redis_url, tmp_path / "data")
    with dashboard(environment, tmp_path, workers=2) as url:
        with urllib.request.urlopen(f"{url}/healthz", timeout=PATIENCE) as response:
            answer = json.load(response)
            assert (answer["status"], answer["database"], answer["ready"]) == ("ok", "postgresql", True)
        assert worker_names(redis_url, n_workers=2) == ["worker1", "worker2"]
    for log in tmp_path.glob("*.log"):
        assert "Traceback" not in log.read_text(), log.read_text()
