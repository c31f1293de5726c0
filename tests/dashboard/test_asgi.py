"""The doors of the ASGI application."""

from __future__ import annotations

import asyncio

import pytest

from dashboard.asgi import application
from tests.sockets import SocketClient


# Channels looks at the connections of its thread before it refuses: another test may have left one there.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost.evil.example", "null", ""])
def test_socket_from_a_foreign_page_is_refused(origin):
    async def connect() -> int | None:
        return await SocketClient(application, "/ws/runs/1/", origin=origin).connect()

    assert asyncio.run(connect()) is not None
