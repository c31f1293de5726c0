"""Ways to an API server: through ``kubectl proxy``, or from a pod by its service account. Both are an HTTP client.

Outside of a cluster authentication, exec plugins and proxies are kubectl's, and no kubeconfig is read here. Its proxy
listens on a Unix socket in a folder that only this user may enter: a port of the loopback interface would lend the
user's rights to everybody on the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import ssl
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import httpx

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_TOKEN_SECONDS = 60.0
"""A projected token is written again before it expires; client-go reads it as often."""
_LONGEST_SOCKET = 100
"""Bytes of a Unix socket's path, of which systems take 104 or 108."""
_READS_ONLY = "--reject-methods=^(POST|PUT|PATCH|DELETE|CONNECT)$"
_SERVING = b"Starting to serve"
_START_SECONDS = 60.0
_MOST_OLD = 2
_SAID_BYTES = 2_000
_NO_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=64)


class NoServer(Exception):
    """There is no way to a server; the text says why."""


class Connection(Protocol):
    """A way to a server. ``generation`` changes with each renewal."""

    generation: int

    async def start(self) -> None:
        """Make the way. Raises NoServer."""

    @property
    def client(self) -> httpx.AsyncClient:
        """The client, whose addresses begin with the path."""

    def headers(self) -> Mapping[str, str]:
        """Headers of the next request."""

    async def renew(self, seen: int) -> None:
        """Make the way again, as it broke or its credentials were refused; nothing where that happened since
        generation ``seen``. Raises NoServer."""

    async def close(self) -> None:
        """End it."""


class KubectlProxy:
    """A ``kubectl proxy``, started again where it died or where its credentials were refused."""

    def __init__(self, kubeconfig: str = "", context: str = "", program: str = "kubectl") -> None:
        self.generation = 0
        self._arguments = [*(["--kubeconfig", kubeconfig] if kubeconfig else []),
                           *(["--context", context] if context else [])]  # fmt: skip
        self._program = program
        self._folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._client: httpx.AsyncClient | None = None
        self._old: list[httpx.AsyncClient] = []
        self._renewing = asyncio.Lock()

    @property
    def client(self) -> httpx.AsyncClient:
        """The client of the running proxy."""
        if self._client is None:
            raise NoServer("kubectl proxy does not run")
        return self._client

    def headers(self) -> Mapping[str, str]:
        """None: kubectl adds what the server asks for."""
        return {}

    async def start(self) -> None:
        """Start the proxy and wait until it listens. Raises NoServer with what kubectl says."""
        if shutil.which(self._program) is None:
            raise NoServer("there is no kubectl on the path. Install it, or run inside of a pod")
        if self._folder is None:
            self._folder = _private_folder()
        path = self._folder / f"{self.generation}.sock"
        command = [self._program, "proxy", f"--unix-socket={path}", _READS_ONLY, *self._arguments]
        # A session of its own: Ctrl-C is for the collector, which closes the bundle before kubectl goes.
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        await self._until_it_serves(self._process)
        transport = httpx.AsyncHTTPTransport(uds=str(path), limits=_NO_LIMITS)
        # kubectl accepts requests for localhost alone.
        self._client = httpx.AsyncClient(base_url="http://localhost", transport=transport, trust_env=False)

    async def _until_it_serves(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        said = b""
        try:
            async with asyncio.timeout(_START_SECONDS):
                while _SERVING not in said:
                    line = await process.stdout.readline()
                    if not line:
                        break
                    said = (said + line)[-_SAID_BYTES:]
        except TimeoutError:
            said += b"it does not begin to serve"
        if _SERVING not in said:
            await self._end_process()
            raise NoServer(f"kubectl proxy: {said.decode('utf-8', 'replace').strip() or 'it ended'}")
        self._draining = asyncio.create_task(_drain(process.stdout))

    async def renew(self, seen: int) -> None:
        """Start kubectl again, which reads the kubeconfig again."""
        async with self._renewing:
            if seen != self.generation:
                return
            self.generation += 1
            await self._end_process()
            if self._client is not None:
                # Watches of the old proxy end by themselves; the client before it has none any more.
                self._old.append(self._client)
                self._client = None
                while len(self._old) > _MOST_OLD:
                    await self._old.pop(0).aclose()
            await self.start()

    async def close(self) -> None:
        """End kubectl and remove the folder of its socket."""
        for client in (*self._old, *([self._client] if self._client else [])):
            await client.aclose()
        self._client, self._old = None, []
        await self._end_process()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    async def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            try:
                async with asyncio.timeout(5.0):
                    await process.wait()
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
        await process.wait()


async def _drain(stream: asyncio.StreamReader) -> None:
    """Read what kubectl prints, so that it never waits for a reader."""
    while await stream.read(1 << 16):
        pass


def _private_folder() -> Path:
    """A new folder of mode 0700 whose path leaves room for a socket's name."""
    folder = tempfile.mkdtemp(prefix="schedscope-")
    if len(os.fsencode(folder)) > _LONGEST_SOCKET - len("/9999.sock"):
        os.rmdir(folder)
        folder = tempfile.mkdtemp(prefix="schedscope-", dir="/tmp")
    return Path(folder)


class InCluster:
    """From a pod, by the token and the certificates of its service account. The token is read again as it rotates."""

    def __init__(self, host: str, port: str, folder: Path = SERVICE_ACCOUNT) -> None:
        self.generation = 0
        self._address = f"https://{f'[{host}]' if ':' in host else host}:{port}"
        self._folder = folder
        self._client: httpx.AsyncClient | None = None
        self._old: list[httpx.AsyncClient] = []
        self._authorities = b""
        self._token, self._read_at = "", float("-inf")

    @property
    def client(self) -> httpx.AsyncClient:
        """The client that trusts the cluster's own authorities."""
        if self._client is None:
            raise NoServer("there is no connection yet")
        return self._client

    def headers(self) -> Mapping[str, str]:
        """The token, at most a minute old. Raises NoServer where it cannot be read."""
        if time.monotonic() - self._read_at > _TOKEN_SECONDS:
            self._token, self._read_at = self._read("token").decode("ascii", "replace").strip(), time.monotonic()
        return {"Authorization": f"Bearer {self._token}"}

    async def start(self) -> None:
        """Make the client. Raises NoServer where the account is not mounted."""
        authorities = self._read("ca.crt")
        if self._client is not None and authorities == self._authorities:
            return
        try:
            context = ssl.create_default_context(cadata=authorities.decode("ascii", "replace"))
        except (ssl.SSLError, ValueError) as problem:
            raise NoServer(f"{self._folder / 'ca.crt'} has no certificate: {problem}") from None
        if self._client is not None:
            self._old.append(self._client)
        self._authorities = authorities
        self._client = httpx.AsyncClient(base_url=self._address, verify=context, limits=_NO_LIMITS, trust_env=False)

    async def renew(self, seen: int) -> None:
        """Read token and certificates again."""
        if seen == self.generation:
            self.generation += 1
            self._read_at = float("-inf")
            await self.start()

    async def close(self) -> None:
        """Close all connections."""
        for client in (*self._old, *([self._client] if self._client else [])):
            await client.aclose()
        self._client, self._old = None, []

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as problem:
            raise NoServer(f"{self._folder / name} cannot be read: {problem.strerror or problem}") from None


def connection(kubeconfig: str, context: str, environment: Mapping[str, str]) -> Connection:
    """The way to take: that of the pod where one runs in a pod and no kubeconfig is named, else kubectl's."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST", ""), environment.get("KUBERNETES_SERVICE_PORT", "443")
    names_one = kubeconfig or context or environment.get("KUBECONFIG")
    if host and not names_one and (SERVICE_ACCOUNT / "token").exists():
        return InCluster(host, port)
    return KubectlProxy(kubeconfig, context)
