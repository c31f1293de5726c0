"""Ways to a server: kubectl's proxy, and a pod's service account whose token rotates."""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import os
import signal
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from scheduler_core.collect.server import connection as connections
from scheduler_core.collect.server.connection import InCluster, KubectlProxy, NoServer, connection
from tests.api_server.serving import serving_live
from tests.kubectl import kubeconfig, kubectl_on_path
from tests.scheduler_core.collect.collecting import (
    few_kinds,
    node,
    plan_in,
    pod,
    read_bundle,
    run_collection,
    until_level,
)

__all__ = ["kubectl_on_path"]


def test_in_a_pod_it_is_the_service_account_unless_a_kubeconfig_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(connections, "SERVICE_ACCOUNT", tmp_path)
    (tmp_path / "token").write_text("t")
    pod_s = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    assert isinstance(connection("", "", pod_s), InCluster)
    assert isinstance(connection("", "", {}), KubectlProxy)
    assert isinstance(connection("f", "", pod_s), KubectlProxy)
    assert isinstance(connection("", "", {**pod_s, "KUBECONFIG": "f"}), KubectlProxy)
    (tmp_path / "token").unlink()
    assert isinstance(connection("", "", pod_s), KubectlProxy)


def test_an_account_that_is_not_mounted_is_said(tmp_path):
    with pytest.raises(NoServer, match=r"ca\.crt"):
        asyncio.run(InCluster("127.0.0.1", "1", tmp_path).start())
    (tmp_path / "ca.crt").write_text("none")
    with pytest.raises(NoServer, match=r"ca\.crt"):
        asyncio.run(InCluster("127.0.0.1", "1", tmp_path).start())


def certificate(folder: Path) -> tuple[str, str]:
    """A certificate of 127.0.0.1 that signs itself, in the folder as ca.crt, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "ca.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key").write_bytes(key.private_bytes(*form))
    return str(folder / "ca.crt"), str(folder / "key")


def rotating(tmp_path: Path) -> bool:
    """Whether a change after the token has rotated is collected."""
    server = few_kinds(token="one", longest_watch=0.3)
    (tmp_path / "token").write_text("one\n")
    with serving_live([node("a"), pod("web-1")], server, certificate(tmp_path)):
        way = InCluster("127.0.0.1", server.address.rpartition(":")[2], tmp_path)

        async def script(collection):
            server.token = "two"
            await asyncio.sleep(0.2)
            (tmp_path / "token").write_text("two")
            server.apply("MODIFIED", pod("web-1", "a"))
            await asyncio.wait_for(until_level(collection, server), 4)

        try:
            run_collection(plan_in(tmp_path), way, script)
        except TimeoutError:
            return False
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert {code for code, _ in bundle.codes} <= {"SERVER_AWAY"}
    return [state[:2] for state in bundle.states("Pod")] == [("MODIFIED", "web-1")]


@pytest.mark.slow
def test_a_token_that_rotates_is_read_again(tmp_path):
    assert rotating(tmp_path)


@pytest.mark.long
def test_without_reading_it_again_nothing_more_would_come(tmp_path, monkeypatch):
    async def nothing(self, seen):
        self.generation += 1

    monkeypatch.setattr(InCluster, "renew", nothing)
    assert not rotating(tmp_path)


@pytest.mark.slow
def test_an_authority_that_is_another_is_not_trusted(tmp_path):
    (tmp_path / "other").mkdir()
    server = few_kinds()
    with serving_live([node("a")], server, certificate(tmp_path)):
        certificate(tmp_path / "other")
        (tmp_path / "other" / "token").write_text("t")
        way = InCluster("127.0.0.1", server.address.rpartition(":")[2], tmp_path / "other")

        async def ask():
            await way.start()
            try:
                return await way.client.get("/version", headers=way.headers())
            finally:
                await way.close()

        with pytest.raises(connections.httpx.ConnectError):
            asyncio.run(ask())
    assert server.n_requests == 0


# ------------------------------------------------------------ kubectl


def test_kubectl_that_is_not_there_is_said():
    with pytest.raises(NoServer, match="kubectl"):
        asyncio.run(KubectlProxy(program="no-such-kubectl").start())


@pytest.mark.slow
def test_what_kubectl_says_is_passed_on(tmp_path, kubectl_on_path):
    with pytest.raises(NoServer, match="no-such-file"):
        asyncio.run(KubectlProxy(str(tmp_path / "no-such-file")).start())


@pytest.mark.slow
def test_its_socket_is_in_a_folder_of_this_user_and_goes_with_it(tmp_path, kubectl_on_path):
    with serving_live([node("a")], few_kinds()) as server:

        async def look():
            way = KubectlProxy(str(kubeconfig(tmp_path, server.address)))
            await way.start()
            folder, process = way._folder, way._process
            try:
                mode = folder.stat().st_mode & 0o777
                read = await way.client.get("/api/v1/nodes")
                written = await way.client.post("/api/v1/nodes", json={})
                return mode, read.status_code, written.status_code
            finally:
                await way.close()
                assert not folder.exists()
                assert process.returncode is not None

        mode, read, written = asyncio.run(look())
    assert (mode, read) == (0o700, 200)
    # kubectl refuses to write before the server is asked.
    assert written in (403, 405)
    assert server.asked[-1] == "/api/v1/nodes"


@pytest.mark.long
@pytest.mark.parametrize("is_renewed", [True, False])
def test_kubectl_that_dies_is_started_again(tmp_path, kubectl_on_path, monkeypatch, is_renewed):
    server = few_kinds()
    if not is_renewed:

        async def nothing(self, seen):
            self.generation += 1

        monkeypatch.setattr(KubectlProxy, "renew", nothing)
    with serving_live([node("a"), pod("web-1")], server):
        way = KubectlProxy(str(kubeconfig(tmp_path, server.address)))

        async def script(collection):
            os.kill(way._process.pid, signal.SIGKILL)
            server.apply("MODIFIED", pod("web-1", "a"))
            await asyncio.wait_for(until_level(collection, server), 12)

        if not is_renewed:
            with pytest.raises(TimeoutError):
                run_collection(plan_in(tmp_path), way, script)
            return
        run_collection(plan_in(tmp_path), way, script)
    bundle = read_bundle(tmp_path / "bundle.tar.gz")
    assert [state[:2] for state in bundle.states("Pod")] == [("MODIFIED", "web-1")]
