"""A collector of the tests: pieces made of objects, events and changes, sent to the address of a cluster."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import msgspec
from django.test import Client

from dashboard.accounts.tokens.actions import NewToken, make_token
from dashboard.agreement.reality import computing
from dashboard.following.comparing import working as comparing
from dashboard.following.workers import working
from scheduler_core.manifests.bundle.model import BundleMeta, Change, CollectedKind, ListedObject
from scheduler_core.manifests.bundle.pieces import PieceHead, PieceLine, encoded
from tests.dashboard.clusters.conftest import node, pod

NOON = datetime(2026, 11, 28, 12, 2, 0, tzinfo=UTC)


class VirtualClock:
    """The wall time of a test."""

    def __init__(self, now=NOON):
        self.now = now

    def __call__(self):
        return self.now

    @property
    def seconds(self):
        return self.now.timestamp()

    def on(self, **by):
        """Go on by so much."""
        self.now += timedelta(**by)


class Collector:
    """Sends pieces with a token; `clock` says the times of what it sends."""

    def __init__(self, owner, clock, cluster="shop"):
        self.token, self.secret = make_token(owner.member, NewToken(f"{cluster} collector", [f"collect:{cluster}"]))
        self.slug = self.token.scopes[0].partition(":")[2]
        self.url = f"/w/team/collect/{self.slug}/"
        self.clock = clock
        self.client = Client()
        self.began = clock.seconds
        self.begin()

    def begin(self):
        """Begin another collection."""
        self.collection, self.number = uuid.uuid4().hex, 0

    def meta(self, **fields):
        kinds = (CollectedKind(api_version="v1", kind="Node", resource="nodes"),)
        fields = {"server_version": "v1.34.1", "collector": "tests 1", "kinds": kinds} | fields
        return BundleMeta(began=self.began, **fields)

    def head(self, **fields):
        values = {"collection": self.collection, "number": self.number, "meta": self.meta()} | fields
        return PieceHead(**values)

    def listed(self, *objects, t=None):
        """Lines of listed objects."""
        return [line("objects.jsonl", ListedObject(t=t or self.clock.seconds, object=raw(one))) for one in objects]

    def changed(self, type, *objects, t=None, file="changes.jsonl"):
        """Lines of changes."""
        at = self.clock.seconds if t is None else t
        return [line(file, Change(t=at, rv="1", type=type, object=raw(one))) for one in objects]

    def post(self, data, secret=None, url=None, **headers):
        """Send a body, and return the answer."""
        auth = {"Authorization": f"Bearer {secret or self.secret}"} | headers
        return self.client.post(url or self.url, data, content_type="application/octet-stream", headers=auth)

    def send(self, *lines, **head):
        """Send the next piece, which has to be taken; return what the answer says."""
        response = self.post(encoded(self.head(**head), lines))
        assert response.status_code == 200, response.content
        self.number += 1
        assert response.json()["next"] == self.number
        return response.json()

    def list_all(self, *objects):
        """Send a first listing and have it folded."""
        self.send(*self.listed(*objects), is_listed=True)
        work()


def raw(value):
    return msgspec.Raw(msgspec.json.encode(value))


def line(file, value):
    return PieceLine(file, msgspec.Raw(msgspec.json.encode(value)))


def work():
    """Do what waits for a worker."""
    while working.work():
        pass


def small():
    """Two nodes, a bound pod and one that no node has room for."""
    return [node("node-a"), node("node-b"), bound("web-1", "node-a"), pod("big", cpu="100")]


def bound(name, node_name, **fields):
    return {**pod(name, node_name, **fields), "status": {"phase": "Running"}}


def managed(manifest, manager):
    """The manifest as written last by this manager."""
    metadata = {**manifest["metadata"], "managedFields": [{"manager": manager}]}
    return {**manifest, "metadata": metadata}


def compare_all():
    """Do what waits for a worker of comparisons."""
    while comparing.work():
        pass
    while computing.work():
        pass


def later(collector, *lines):
    """Send a piece a minute later and have it folded."""
    collector.clock.on(minutes=1)
    collector.send(*lines)
    work()
