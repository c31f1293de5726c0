"""Two web processes on a real Redis: whoever is at one of them is shown to those at the other, until it dies."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys

import psycopg
import pytest
import websockets

from tests.faults.processes import prepare, process, sign_in, wait_until
from tests.health import answers
from tests.patience import PATIENCE
from tests.services.servers import free_port, production_environment

pytestmark = [pytest.mark.slow, pytest.mark.long]


def web_server(environment, port, log):
    """Yield a web server's process."""
    command = ["-m", "uvicorn", "dashboard.asgi:application", "--port", str(port), "--lifespan", "off"]
    return process(environment, [sys.executable, *command, "--log-level", "warning"], log)


def tab(port, cookie, slug):
    """Return a connection to the workspace's socket of one web process."""
    headers = {"Cookie": f"schedscope_session={cookie}"}
    url = f"ws://127.0.0.1:{port}/ws/w/{slug}/"
    return websockets.connect(url, additional_headers=headers, origin=f"http://127.0.0.1:{port}")


async def placed(socket, member):
    """Return where the member is, as this process knows now."""
    await socket.send(json.dumps({"type": "where", "member": member}))
    while (answer := json.loads(await asyncio.wait_for(socket.recv(), PATIENCE)))["type"] != "place":
        pass
    return answer["at"]


async def until_placed(socket, member, place):
    """Wait until the member is there."""
    while await placed(socket, member) != place:
        await asyncio.sleep(0.2)


async def visit(ports, cookie, slug, member, kill):
    """Look at a run through one process and ask for it at the other, before and after the first has died."""
    async with tab(ports[0], cookie, slug) as first, tab(ports[1], cookie, slug) as second:
        for socket in (first, second):
            await socket.send('{"type": "since"}')
        await first.send('{"type": "look", "path": "runs/1/", "query": "cycle=3"}')
        await until_placed(second, member, {"path": "runs/1/", "query": "cycle=3"})
        kill()
        await until_placed(second, member, None)


def test_people_of_another_process_are_shown_until_it_dies(postgres_url, redis_url, tmp_path):
    environment, log = prepare(production_environment(postgres_url, redis_url, tmp_path / "var")), tmp_path / "log"
    with psycopg.connect(postgres_url) as connection:
        query = "SELECT m.id, w.slug FROM accounts_member m JOIN accounts_workspace w ON w.id = m.workspace_id"
        member, slug = connection.execute(query).fetchone()
    cookie, ports = sign_in(environment), (free_port(), free_port())
    with web_server(environment, ports[0], log) as first, web_server(environment, ports[1], log):
        for port in ports:
            wait_until(lambda port=port: answers(("127.0.0.1", port)), "no web server", log)
        asyncio.run(visit(ports, cookie, slug, member, lambda: os.kill(first.pid, signal.SIGKILL)))
