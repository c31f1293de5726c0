"""The address of collectors: each status, order and repeats, two collectors, hostile bodies."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.accounts.models import AccessToken
from dashboard.accounts.tokens import scopes
from dashboard.accounts.tokens.actions import NewToken, make_token
from dashboard.clusters.models import Cluster, FollowedCollection, FollowedPiece, Following
from dashboard.following.receiving import checked_pieces, taking, views
from dashboard.following.receiving.scopes import PER_MINUTE
from dashboard.following.workers.queue import TASK
from scheduler_core.manifests.bundle import pieces
from scheduler_core.manifests.bundle.pieces import PieceLine, encoded, read_piece
from tests.dashboard.clusters.conftest import node, pod
from tests.dashboard.following.collectors import Collector, raw, small, work


def piece(collector, *lines, **head):
    return encoded(collector.head(**head), lines)


def error(response, status):
    """Return what an answer with this status says."""
    assert response.status_code == status, response.content
    return response.json()["error"]


def test_a_piece_is_stored_and_a_worker_is_woken(collector, woken):
    collector.send(*collector.listed(*small()), is_listed=True)
    stored = FollowedPiece.objects.get()
    head, objects, _, _ = read_piece(bytes(stored.data))
    assert (head.number, len(objects), stored.size) == (0, 4, len(stored.data))
    assert woken == [TASK]
    following = Following.objects.get()
    assert (following.next_number, following.token_name, following.followed_version) == (1, "shop collector", "v1.34.1")
    assert following.asked_at is not None


def test_a_repeat_is_acknowledged_and_not_stored_again(collector):
    data = piece(collector, *collector.listed(node("node-a")))
    collector.send(*collector.listed(node("node-a")))
    collector.send()
    assert collector.post(data).json() == {"next": 2}
    assert FollowedPiece.objects.count() == 2


def test_a_piece_out_of_order_is_answered_by_the_one_that_is_expected(collector):
    collector.send()
    response = collector.post(piece(collector, number=5))
    assert error(response, 409)
    assert response.json()["next"] == 1


def test_a_later_collection_takes_over_and_the_older_one_ends(collector):
    collector.send()
    older, number = collector.collection, collector.number
    collector.begin()
    collector.send()
    for n in (0, number):
        response = collector.post(piece(collector, collection=older, number=n))
        assert "taken over" in error(response, 409)
        assert response.json()["next"] is None
        assert response.json()["collection"] == collector.collection
    assert list(FollowedCollection.objects.values_list("generation", flat=True)) == [2, 1]


def test_a_collection_begins_with_piece_0(collector):
    response = collector.post(piece(collector, number=3))
    assert "piece 0" in error(response, 409)
    assert not FollowedPiece.objects.exists()


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer schedscope_unknown",
        "Basic {secret}",
        "Bearer {secret}x",
        "Bearer schedscope_" + "a" * 9000,
    ],
)
def test_without_a_token_that_is_known_nothing_is_read(collector, monkeypatch, header):
    monkeypatch.setattr(taking, "take", None)
    response = collector.post(b"x", Authorization=header.format(secret=collector.secret))
    assert error(response, 401)
    assert response["WWW-Authenticate"] == "Bearer"


def test_a_session_is_no_token(owner, collector):
    response = owner.post(collector.url, piece(collector), content_type="application/octet-stream")
    assert response.status_code == 401


def test_a_revoked_and_an_expired_token_are_refused(collector):
    AccessToken.objects.update(revoked_at=timezone.now())
    assert "revoked" in error(collector.post(piece(collector)), 401)
    AccessToken.objects.update(revoked_at=None, expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in error(collector.post(piece(collector)), 401)
    AccessToken.objects.update(expires_at=timezone.now() + timedelta(seconds=1))
    assert collector.post(piece(collector)).status_code == 200


def test_a_token_of_another_cluster_or_workspace_is_refused(owner, stranger, clock, collector):
    other = Collector(owner, clock, "other")
    assert "collect:shop" in error(collector.post(piece(collector), secret=other.secret), 403)
    response = collector.post(piece(collector), url="/w/elsewhere/collect/shop/")
    assert "another workspace" in error(response, 403)
    assert not FollowedPiece.objects.exists()


def test_an_archived_cluster_is_not_there(collector):
    Cluster.objects.update(archived_at=timezone.now())
    assert error(collector.post(piece(collector)), 404)


def test_one_request_too_many_in_a_minute_waits_for_the_next(collector, monkeypatch):
    seconds = [1_800_000_012.0]
    monkeypatch.setattr("dashboard.accounts.tokens.scopes.per_minute", lambda scopes: 6)
    monkeypatch.setattr("dashboard.accounts.tokens.checking.time.time", lambda: seconds[0])
    for _ in range(6):
        assert collector.post(b"x").status_code == 400
    response = collector.post(b"x")
    assert "6" in error(response, 429)
    assert response["Retry-After"] == "48"
    seconds[0] += 48
    assert collector.post(b"x").status_code == 400


def test_a_full_workspace_takes_no_piece(followed, owner):
    workspace = owner.member.workspace
    workspace.max_storage_bytes = 1
    workspace.save()
    taking._quotas.clear()
    response = followed.post(piece(followed))
    assert error(response, 507)
    assert int(response["Retry-After"]) > 0
    assert FollowedPiece.objects.count() == 1


def test_pieces_count_towards_the_storage_of_the_workspace(followed, owner):
    from dashboard.runs.lifecycle.quotas import used_bytes

    before = used_bytes(owner.member.workspace)
    followed.send(*followed.changed("ADDED", pod("one")))
    assert used_bytes(owner.member.workspace) == before + FollowedPiece.objects.last().size


@pytest.mark.long
def test_a_collector_too_far_ahead_of_the_workers_waits(collector, monkeypatch):
    monkeypatch.setattr(taking, "MOST_WAITING", 2)
    collector.send()
    collector.send()
    response = collector.post(piece(collector))
    assert error(response, 429)
    assert response["Retry-After"]
    work()
    collector.send()


def test_secrets_that_a_collector_sends_are_masked_again(collector):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db"}, "data": {"password": "aHVudGVyMg=="}}
    leaky = pod("leaky")
    leaky["spec"]["containers"][0]["env"] = [{"name": "PASSWORD", "value": "hunter2"}]
    leaky["metadata"]["annotations"] = {"deploy-token": "hunter2", "plain": collector.secret}
    configuration = "kind: Secret\napiVersion: v1\nmetadata: {name: c}\nstringData: {a: hunter2}\n"
    meta = collector.meta(configuration=configuration)
    changes = collector.changed("ADDED", leaky) + collector.changed("ADDED", secret, file="events.jsonl")
    collector.send(*collector.listed(secret, leaky), *changes, meta=meta)
    stored = gzip.decompress(bytes(FollowedPiece.objects.get().data))
    for text in (b"hunter2", b"aHVudGVyMg", collector.secret.encode()):
        assert text not in stored
    assert "hunter2" not in json.dumps(Following.objects.get().meta)
    assert b'"name":"leaky"' in stored


def bomb():
    """A body of 100 KB that inflates to 100 MB."""
    return gzip.compress(b" " * (100 << 20), 9)


def deep():
    return b'{"a":' * 5_000 + b"1" + b"}" * 5_000


@pytest.mark.long
def test_a_body_that_inflates_to_too_much_is_refused(collector):
    assert error(collector.post(bomb()), 413)


def test_a_body_too_long_is_refused_by_its_length_and_by_what_comes(collector, monkeypatch):
    for module in (checked_pieces, views):
        monkeypatch.setattr(module, "MOST_SENT", 1000)
    assert error(collector.post(b"x" * 1001), 413)
    monkeypatch.setattr("django.http.HttpRequest.headers", {"Authorization": f"Bearer {collector.secret}"})
    assert error(collector.post(b"x" * 1001), 413)


def test_too_many_lines_are_refused(collector, monkeypatch):
    monkeypatch.setattr(pieces, "MOST_LINES", 3)
    assert error(collector.post(piece(collector, *collector.listed(*small()))), 413)


def bodies(collector):
    head = collector.head
    meta = collector.meta
    one = collector.listed
    named = {"apiVersion": "v1", "kind": "Pod"}
    yield "empty", b""
    yield "not gzipped", b"x"
    yield "no lines", gzip.compress(b"")
    yield "no head", gzip.compress(b"{}\n")
    yield "not JSON", gzip.compress(b"{\n")
    yield "cut", piece(collector, *one(*small()))[:-9]
    yield "a line without an end", gzip.compress(gzip.decompress(piece(collector)) + b" " * (9 << 20))
    yield "a line of no file", encoded(head(), [PieceLine("secrets.jsonl", raw({}))])
    yield "no object", encoded(head(), [PieceLine("objects.jsonl", raw({"t": 1, "object": [1]}))])
    yield "no time", encoded(head(), [PieceLine("objects.jsonl", raw({"t": "x", "object": named}))])
    yield "no name", piece(collector, *one(named))
    yield "a name too long", piece(collector, *one(pod("a" * 254)))
    yield "a name that is none", piece(collector, *one(pod("a/b")))
    yield "a name with NUL", piece(collector, *one(pod("a\0b")))
    yield "a namespace too long", piece(collector, *one(pod("a", namespace="n" * 254)))
    yield "a kind that is none", piece(collector, *one({**pod("a"), "kind": "<b>"}))
    yield "an object too large", piece(collector, *one({**pod("a"), "x": "y" * (5 << 20)}))
    yield "too deep", encoded(head(), [PieceLine("objects.jsonl", raw({"t": 1, "object": json.loads('{"a":1}')}))])
    yield "a collection that is none", piece(collector, collection="../x")
    yield "a number below 0", piece(collector, number=-1)
    yield "another format", piece(collector, meta=meta(format=2))
    yield "a version too long", piece(collector, meta=meta(server_version="v" * 61))
    yield "a version with control characters", piece(collector, meta=meta(versions=((1.0, "v1\n"),)))
    yield "too long a text", piece(collector, meta=meta(collector="c" * 1001))
    yield "too many namespaces", piece(collector, meta=meta(namespaces=("n",) * 10_001))
    yield "a configuration with NUL", piece(collector, meta=meta(configuration="kind: x\0"))
    yield "a configuration that is none", piece(collector, meta=meta(configuration="password: [" + "x" * 9))


@pytest.mark.slow
def test_a_body_that_is_no_piece_says_what_is_wrong(collector, monkeypatch):
    monkeypatch.setattr("dashboard.accounts.tokens.scopes.per_minute", lambda scopes: 1000)
    for name, body in bodies(collector):
        response = collector.post(body)
        assert response.status_code in (400, 413), (name, response.status_code, response.content)
        assert response.json()["error"], name
    assert not FollowedPiece.objects.exists()


def test_an_object_nested_too_deeply_is_refused(collector):
    text = b'{"file":"objects.jsonl","line":{"t":1,"object":' + deep() + b"}}\n"
    head = gzip.decompress(piece(collector))
    assert error(collector.post(gzip.compress(head + text)), 400)


def test_a_collector_may_send_60_pieces_a_minute(collector):
    assert PER_MINUTE == 60
    assert scopes.per_minute(collector.token.scopes) == PER_MINUTE


def test_only_post_is_taken(collector):
    assert collector.client.get(collector.url).status_code == 405


def test_a_collectors_token_opens_no_page_and_no_other_address(followed, owner):
    from tests.dashboard.clusters.test_roles import ENDPOINTS, address

    make_token(owner.member, NewToken("another", ["collect:prod"]))
    headers = {"Authorization": f"Bearer {followed.secret}"}
    for name, method, _, data, _ in ENDPOINTS:
        url = address(name).replace("/clusters/prod/", f"/clusters/{followed.slug}/")
        response = getattr(followed.client, method)(url, data, headers=headers)
        assert response.status_code == 302, name
        assert response["Location"].startswith("/signin"), name
    for url in (f"/w/team/clusters/{followed.slug}/live/", "/w/team/tokens/", "/w/team/", "/w/team/members/"):
        assert followed.client.get(url, headers=headers).status_code == 302
    assert Cluster.objects.filter(slug="prod").exists()
