"""A real Chromium on a real server: uvicorn in a thread of the test process, so that pages show the test's rows."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from dashboard.accounts import account_actions
from dashboard.accounts.actions import create_workspace
from dashboard.accounts.models import Member, User
from dashboard.clusters.models import Cluster
from dashboard.clusters.revisions import object_store
from dashboard.clusters.revisions.object_store import Saving
from dashboard.runs import actions, demo, execution
from dashboard.runs.actions import Launch
from dashboard.runs.lifecycle import waiting
from tests.browser.browser_process import BrowserProcess
from tests.browser.loading import held_pages, wait_for_loading
from tests.browser.profile import Profile
from tests.browser.walking import Walk
from tests.dashboard.conftest import no_runs_of_another_test  # noqa: F401
from tests.dashboard.debugger.conftest import scene
from tests.patience import PATIENCE, until
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.runs.models import Run

PATIENCE_MS = 1_000 * PATIENCE
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A worker beside the web server that looks at the table all the time; nobody is woken up by messages."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            if not execution.work():
                stop.wait(0.05)
        connections.close_all()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join(20)
    assert not thread.is_alive()


@pytest.fixture(scope="session")
def web_server(django_db_setup: None) -> Iterator[str]:
    """Yield the address of the server that all browser tests share."""
    with web_server_in_thread() as address:
        yield address


@pytest.fixture
def live_server_url(web_server: str, transactional_db: None) -> str:
    """Return the server's address; the rows that the test makes are visible to it and gone afterwards."""
    return web_server


@pytest.fixture(scope="package")
def browser_process(chromium_path: str) -> Iterator[BrowserProcess]:
    """Yield the browser process that the tests of this folder share; it ends before a test elsewhere begins.

    Playwright's synchronous interface keeps an event loop running in the test's thread: Django has to be told
    that its ORM is used there on purpose, and no test of another folder could run a loop of its own.
    """
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        wait_for_loading(patch)
        process = BrowserProcess(lambda: playwright.chromium.launch(executable_path=chromium_path, timeout=PATIENCE_MS))
        yield process
        with process.killed_after(PATIENCE):
            process.close()


@pytest.fixture(autouse=True)
def no_wait_without_end(browser_process: BrowserProcess) -> Iterator[None]:
    """Fail a test that the browser keeps waiting, its fixtures included."""
    with browser_process.killed_after(2 * PATIENCE):
        yield


@pytest.fixture
def chromium(browser_process: BrowserProcess) -> Browser:
    """Return the browser."""
    return browser_process.browser


@pytest.fixture(scope="package")
def profile(browser_process: BrowserProcess) -> Profile:
    """Return the profile and tab that tests use one after the other: what they load once are scripts and styles."""
    return Profile(browser_process, PATIENCE_MS)


@pytest.fixture
def browser_context(profile: Profile, live_server_url: str, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """Yield a profile that remembers nothing, with the window that the pages are designed for.

    It asks for the server, and so for its rows, to be left before these go: a page that is still live would meet an
    empty database, leave for the sign-in page, and Chromium may never finish closing a page that is on its way.
    """
    is_fresh = request.node.get_closest_marker("fresh_profile") is not None
    if is_fresh:
        profile.close()
    yield profile.context()
    if is_fresh or getattr(request.node, "failed_in_call", False):
        profile.close()
        return
    try:
        profile.forget(live_server_url)
    except Error:
        profile.close()
        raise


@pytest.fixture
def browser_page(
    profile: Profile, browser_context: BrowserContext, request: pytest.FixtureRequest, tmp_path: Any
) -> Iterator[Page]:
    """Yield an open tab; a script error, a refused script or style, or a failed request on it fails the test."""
    page = profile.tab(request.module.__name__)
    complaints: list[str] = []

    def on_error(error: Error) -> None:
        complaints.append(f"script error: {error}")

    def on_console(line: ConsoleMessage) -> None:
        if line.type == "error":
            complaints.append(f"console: {line.text}")

    page.on("pageerror", on_error)
    page.on("console", on_console)
    yield page
    held_pages.discard(page)
    page.remove_listener("pageerror", on_error)
    page.remove_listener("console", on_console)
    if getattr(request.node, "failed_in_call", False):
        picture = tmp_path / "failure.png"
        page.screenshot(path=picture, full_page=True)
        print(f"\nat {page.url}, picture: {picture}\n" + "\n".join(complaints))
    else:
        allowed = [mark.args[0] for mark in request.node.iter_markers("browser_complains")]
        rest = [line for line in complaints if not any(part in line for part in allowed)]
        assert not rest, "the browser complained:\n" + "\n".join(rest)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Leave on the item whether its body failed, for the picture that `browser_page` then takes."""
    report = yield
    if report.when == "call":
        item.failed_in_call = report.failed  # type: ignore[attr-defined]
    return report


@pytest.fixture
def sign_in(live_server_url: str, browser_context: BrowserContext) -> Callable[[Any], None]:
    """Return a function that signs a user in without the sign-in page."""

    def do_it(user: Any) -> None:
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        browser_context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server_url}])

    return do_it


@pytest.fixture
def start(live_server_url: str, monkeypatch: pytest.MonkeyPatch, sign_in: Callable[[Any], None]) -> Callable[..., Run]:
    """Return a function that makes a run of manifests, finished unless told otherwise, with its owner signed in."""
    monkeypatch.setattr(waiting, "_send", lambda name: None)
    user = User.objects.create_user("asha@example.org", "Asha")
    workspace = create_workspace(user, "Team", "team")
    member = Member.objects.select_related("workspace", "user").get(user=user)
    sign_in(user)

    def start(manifests: list[Any], source: str = "", is_run: bool = True, seed: int = 0) -> Run:
        cluster = Cluster.objects.create(workspace=workspace, slug="prod", name="Prod")
        revision = object_store.save_revision(cluster, manifests, Saving(None, source=source))
        run = actions.create_run(member, Launch(revision, schedule="pending", seed=seed))
        while is_run and execution.work():
            pass
        return actions.find_run(workspace, run.number)

    return start


@pytest.fixture
def run(start: Callable[..., Run]) -> Run:
    """Return the run of the scene, finished."""
    return start(scene())


@pytest.fixture
def page(browser_page: Page, live_server_url: str, run: Run) -> Callable[..., Page]:
    """Return a function that opens a page of the run, scripts started: page("events/?seq=3")."""

    def open_at(path: str = "") -> Page:
        browser_page.goto(f"{live_server_url}/w/team/runs/{run.number}/{path}")
        browser_page.wait_for_selector("html[data-debugger=ready]")
        return browser_page

    return open_at


@pytest.fixture
def walk(browser_page: Page, live_server_url: str, sign_in: Callable[[Any], None], worker: None) -> Walk:
    """Return a walk over the demo, whose run has ended, as the owner of the workspace; a worker is there."""
    user, workspace = account_actions.first_owner()
    sign_in(user)
    run = demo.load_teaching(workspace.members.select_related("user", "workspace").get(user=user))
    assert run is not None
    until(lambda: actions.find_run(workspace, run.number).has_ended)
    return Walk(browser_page, f"{live_server_url}/w/{workspace.slug}/")


@pytest.fixture
def demo_home(live_server_url: str, sign_in: Callable[[Any], None], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a workspace with two runs of the demo, finished, its owner signed in."""
    monkeypatch.setattr(waiting, "_send", lambda task: None)
    user, workspace = account_actions.first_owner()
    sign_in(user)
    owner = workspace.members.select_related("user", "workspace").get(user=user)
    demo.load_teaching(owner)
    demo.load_scene(owner, demo.EXTENDERS)
    while execution.work():
        pass
    return f"{live_server_url}/w/{workspace.slug}/"
