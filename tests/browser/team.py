"""Several people at once, each in a browser window of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.test import Client

from dashboard.accounts.models import Member, Role, User, Workspace
from tests.browser.profile import WINDOW

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page


class Team:
    """The people of a workspace; `complaints` are errors that any of their pages wrote."""

    def __init__(self, browser: Browser, origin: str, workspace: Workspace, patience_ms: float) -> None:
        self.browser, self.origin, self.workspace, self.patience_ms = browser, origin, workspace, patience_ms
        self.complaints: list[str] = []
        self.contexts: list[BrowserContext] = []

    def join(self, name: str, role: str = Role.REVIEWER) -> User:
        """Return a new member of that name."""
        user = User.objects.create_user(f"member-{User.objects.count()}@example.org", name)
        Member.objects.create(workspace=self.workspace, user=user, role=role)
        return user

    def open(self, user: User, path: str) -> Page:
        """Return a page at this address, in a window of the user's, as soon as it hears what others do."""
        client = Client()
        client.force_login(user)
        cookie = client.cookies[settings.SESSION_COOKIE_NAME]
        context = self.browser.new_context(viewport=WINDOW, reduced_motion="reduce")
        self.contexts.append(context)
        context.set_default_timeout(self.patience_ms)
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": self.origin}])
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{user.label}: {error}"))
        page.on("console", lambda line: self._hear(user.label, line.type, line.text))
        page.goto(f"{self.origin}{path}")
        page.wait_for_selector("html[data-feed=live]")
        return page

    def _hear(self, name: str, kind: str, text: str) -> None:
        if kind == "error":
            self.complaints.append(f"{name}: {text}")

    def leave(self) -> None:
        """Close all windows."""
        while self.contexts:
            self.contexts.pop().close()
