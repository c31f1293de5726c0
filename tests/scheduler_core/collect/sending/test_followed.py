"""A collection that is followed: over a real connection, with what the receiver refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from scheduler_core.collect.collection import CollectPlan
from tests.api_server.serving import serving_live
from tests.scheduler_core.collect.collecting import (
    DirectWay,
    few_kinds,
    node,
    plan_in,
    pod,
    read_bundle,
    run_collection,
    until_level,
)
from tests.scheduler_core.collect.fields.marked import NEVER, marked
from tests.scheduler_core.collect.sending.test_following import Receiver


@contextmanager
def receiving(receiver: Receiver, status: int = 0, body: bytes = b"") -> Iterator[str]:
    """The address of a receiver; it answers each piece with ``status`` and ``body`` where that is given."""

    class PieceHandler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            answer = httpx.Response(status, content=body) if status else receiver.take(content)
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

    http = HTTPServer(("127.0.0.1", 0), PieceHandler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/follow"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def token() -> str:
    return "t"


@pytest.mark.slow
def test_what_is_collected_arrives_and_nothing_else(tmp_path):
    receiver, server = Receiver(), few_kinds()
    with receiving(receiver) as url, serving_live([node("a"), marked("Pod", "v1")], server):

        async def script(collection):
            server.apply("ADDED", pod("web-1"))
            await until_level(collection, server)

        plan = plan_in(tmp_path, url=url, token=token)
        run_collection(plan, DirectWay(server.address), script)
    bundle = read_bundle(plan.target)
    lines = [bytes(one.object) for one in (*bundle.objects, *bundle.events, *bundle.changes)]
    assert sorted(receiver.lines) == sorted(lines)
    assert len(lines) == 3
    assert (receiver.pieces[-1][1:], receiver.pieces[0][0]) == ((True, True), 0)
    text = b"".join(receiver.lines).decode()
    assert not [name for name in NEVER if f".{name}>" in text]


REFUSALS = {401: (b"", "token"), 409: (b'{"next": null, "collection": "of-another"}', "taken over")}


@pytest.mark.slow
@pytest.mark.parametrize("status", REFUSALS)
@pytest.mark.parametrize("keeps", [True, False])
def test_a_refused_token_or_another_collection_stops_following_and_not_what_is_kept(tmp_path, keeps, status):
    server, said = few_kinds(), []
    body, word = REFUSALS[status]
    with receiving(Receiver(), status, body) as url, serving_live([node("a")], server):
        whole = plan_in(tmp_path, seconds=1.0, url=url, token=token)
        plan = whole if keeps else CollectPlan(whole.folder, None, url=url, token=token)
        assert run_collection(plan, DirectWay(server.address), said=said) == 3
    assert len([line for line in said if "following has stopped" in line and word in line]) == 1
    assert not plan.folder.exists()
    if plan.target is not None:
        assert set(read_bundle(plan.target).folded()) == {("Node", "", "a")}


@pytest.mark.slow
def test_followed_only_it_leaves_nothing_here(tmp_path):
    receiver, server = Receiver(), few_kinds()
    with receiving(receiver) as url, serving_live([node("a")], server):
        plan = CollectPlan(tmp_path / "journal", None, seconds=0.3, url=url, token=token)
        assert run_collection(plan, DirectWay(server.address)) == 3
    assert len(receiver.lines) == 1
    assert list(tmp_path.iterdir()) == []
