"""A broker or Redis that is away is met where it is asked, and redis is imported only where there is one."""

from __future__ import annotations

import subprocess
import sys

import pytest
from kombu.exceptions import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError

from dashboard.common.processes.connections import connection_errors
from tests.faults.processes import embedded_environment

STARTED = "import django; django.setup(); import dashboard.asgi, sys; print('redis' in sys.modules)"


@pytest.mark.parametrize("error", [OperationalError, RedisConnectionError, ConnectionRefusedError])
def test_each_way_to_lose_a_connection_is_met(error):
    assert issubclass(error, connection_errors())


@pytest.mark.slow
def test_processes_of_the_embedded_set_up_start_without_redis(tmp_path):
    command = [sys.executable, "-c", STARTED]
    done = subprocess.run(command, env=embedded_environment(tmp_path), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
