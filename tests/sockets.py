"""A client of one websocket for tests, without a network: `channels.testing` needs daphne, this needs asgiref only."""

from __future__ import annotations

import asyncio
import json
from http.cookies import SimpleCookie
from typing import Any

from asgiref.testing import ApplicationCommunicator
from django.conf import settings

from tests.patience import PATIENCE


class SocketClient:
    """Talks to the whole ASGI application, so that origin check and session are part of what is tested."""

    def __init__(self, application: Any, path: str, *, origin: str = "http://localhost", session: str = "") -> None:
        path, _, query = path.partition("?")
        headers = [(b"origin", origin.encode()), (b"host", b"localhost")]
        if session:
            cookie = SimpleCookie({settings.SESSION_COOKIE_NAME: session})
            headers.append((b"cookie", cookie.output(header="", sep=";").strip().encode()))
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": query.encode(),
            "headers": headers,
            "subprotocols": [],
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }
        self._communicator = ApplicationCommunicator(application, scope)

    async def connect(self) -> int | None:
        """Return None when the socket was accepted, else the code it was closed with."""
        await self._communicator.send_input({"type": "websocket.connect"})
        answer = await self._output(PATIENCE)
        return None if answer["type"] == "websocket.accept" else answer.get("code", 1000)

    async def send(self, message: Any) -> None:
        """Send one message as JSON text."""
        await self._communicator.send_input({"type": "websocket.receive", "text": json.dumps(message)})

    async def receive(self, timeout: float = PATIENCE) -> Any:
        """Return the next message, decoded; an int is the code with which the server closed the socket."""
        answer = await self._output(timeout)
        if answer["type"] == "websocket.close":
            return answer.get("code", 1000)
        return json.loads(answer["text"] if answer.get("text") is not None else answer["bytes"])

    async def _output(self, timeout: float) -> Any:
        """Return what the application sends next; an application that ends with an error raises it at once."""
        output = asyncio.ensure_future(self._communicator.receive_output(timeout))
        await asyncio.wait({output, self._communicator.future}, return_when=asyncio.FIRST_COMPLETED)
        if not output.done() and self._communicator.output_queue.empty():
            output.cancel()
            self._communicator.future.result()
            raise AssertionError("the application has ended and sent nothing")
        return await output

    async def hears_nothing(self, seconds: float = 0.1) -> bool:
        """Return whether nothing arrives in this time."""
        return await self._communicator.receive_nothing(seconds)

    async def disconnect(self, code: int = 1000) -> None:
        """Close the socket from the client's side and wait until the server's side has ended."""
        await self._communicator.send_input({"type": "websocket.disconnect", "code": code})
        await self._communicator.wait(PATIENCE)
