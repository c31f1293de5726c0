"""The server and the browser in which states are shown. Import it once Django is set up (`tests.bench.recorded`)."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from dashboard.accounts.models import Member, User
from dashboard.runs.lifecycle import waiting
from tests.browser.loading import wait_for_loading
from tests.browser.team import Team
from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE_MS = 20_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def team_of(owner: User) -> Iterator[Team]:
    """Yield the people of the owner's workspace, who open pages in windows of their own.

    Nothing works beside them: a run waits until somebody calls `execution.work`. Raises LookupError without a Chromium.
    """
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise LookupError("there is no Chromium to take pictures with")
    workspace = Member.objects.select_related("workspace").get(user=owner).workspace
    expect.set_options(timeout=PATIENCE_MS)
    with pytest.MonkeyPatch.context() as patch, web_server_in_thread() as origin, sync_playwright() as playwright:
        # Playwright keeps an event loop running in this thread.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        patch.setattr(waiting, "_send", lambda task: None)
        wait_for_loading(patch)
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        team = Team(browser, origin, workspace, PATIENCE_MS)
        yield team
        team.leave()
        browser.close()
