"""What every test may use. A server or browser that cannot be had skips its tests with one line; in CI it fails."""

from __future__ import annotations

import os
import shutil
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import psycopg
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from scheduler_core.compiled import kernel, without_kernel
from tests.faults.processes import NO_ROWS, manage, prepared_cluster
from tests.prepared import pytest_configure  # noqa: F401
from tests.seeds import how_many
from tests.services import servers

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["tests.distribution", "tests.interrupts", "tests.time_marks", "tests.statements"]

# Speed is not asserted: a busy machine makes examples slow, and their making too.
hypothesis_settings.register_profile(
    "tests", max_examples=how_many(40, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("tests")


def unavailable(reason: str) -> NoReturn:
    """Skip the test that asked for something this machine lacks; fail it where CI promised to have it."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason} (CI is set: nothing may be skipped)", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(params=["kernel", "numpy"])
def by_kernel_and_by_numpy(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the test with the engine's compiled kernel, and without."""
    if request.param == "numpy":
        with without_kernel():
            yield
    else:
        _need_kernel()
        yield


@pytest.fixture
def kernel_is_there() -> None:
    """Skip the test where there is no compiled kernel, and so no incremental engine."""
    _need_kernel()


def _need_kernel() -> None:
    if kernel() is None:
        if os.environ.get("SCHEDSCOPE_KERNEL"):
            pytest.skip("the compiled kernel is switched off")
        unavailable("the compiled kernel was not built")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Yield the address of a PostgreSQL's maintenance database: TEST_DATABASE_URL's, or one started for the session."""
    if named := os.environ.get("TEST_DATABASE_URL"):
        yield named
        return
    try:
        with servers.postgres(prepared_cluster()[0]) as server:
            yield server.url
    except servers.NoServer as error:
        unavailable(str(error))


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield the address of an empty PostgreSQL database of the test's own."""
    with _database(postgres_server) as url:
        yield url


@pytest.fixture
def other_postgres_url(postgres_server: str) -> Iterator[str]:
    """Yield the address of another one."""
    with _database(postgres_server) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_postgres_url(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a PostgreSQL database with the tables and no rows, which tests copy."""
    if "TEST_DATABASE_URL" not in os.environ:
        yield _with_database(postgres_server, NO_ROWS)
        return
    with _database(postgres_server) as url:
        manage(servers.production_environment(url, "", tmp_path_factory.mktemp("migrated")), "migrate")
        yield url


@contextmanager
def _database(server: str) -> Iterator[str]:
    name = f"schedscope_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    yield _with_database(server, name)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _with_database(url: str, name: str) -> str:
    """Return the address with its last path component replaced."""
    address, _, options = url.partition("?")
    return address.rpartition("/")[0] + f"/{name}" + (f"?{options}" if options else "")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Yield the address of a Redis: TEST_REDIS_URL's, or one started for the session."""
    if named := os.environ.get("TEST_REDIS_URL"):
        yield named
        return
    try:
        with servers.redis() as server:
            yield server.url
    except servers.NoServer as error:
        unavailable(str(error))


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Return the path of the system's Chromium, or of its shell without windows, which takes a third less time."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    unavailable("no Chromium: install your system's (Debian: apt install chromium), then run make test-browser")
