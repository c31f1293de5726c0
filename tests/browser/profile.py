"""A browser profile that tests use one after the other, each as if it were new, but for the files it has loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.page_modules import page_modules_script

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

    from tests.browser.browser_process import BrowserProcess

WINDOW: ViewportSize = {"width": 1280, "height": 800}
USUAL_MEDIA: dict[str, Any] = {
    "media": "null",
    "color_scheme": "light",
    "reduced_motion": "reduce",
    "forced_colors": "null",
}
# Left of and above the page: nothing is pointed at.
NOWHERE = (-1, -1)


class Profile:
    """A profile with its tab, both made when they are asked for."""

    def __init__(self, process: BrowserProcess, patience_ms: float) -> None:
        self.process = process
        self.patience_ms = patience_ms
        self._browser: Browser | None = None
        self._context: BrowserContext | None = None
        self._tab: Page | None = None
        self._user = ""

    def context(self) -> BrowserContext:
        """Return the profile's context, a new one where the browser is another one."""
        browser = self.process.browser
        if self._context is None or self._browser is not browser:
            self._browser, self._tab = browser, None
            self._context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
            self._context.add_init_script(page_modules_script())
            self._context.set_default_timeout(self.patience_ms)
        return self._context

    def tab(self, user: str) -> Page:
        """Return its tab, with nothing to go back to; each file of tests gets its own, since pages pile up in it."""
        context = self.context()
        if self._tab is not None and user != self._user:
            self._tab.close()
            self._tab = None
        if self._tab is None:
            self._tab, self._user = context.new_page(), user
        return self._tab

    def forget(self, origin: str) -> None:
        """Undo what a test left: where it went, what the site stored, and what Playwright was told to do.

        Of what cannot be undone (scripts that are added to each page) tests are marked `fresh_profile`.
        """
        context = self.context()
        for page in context.pages:
            if page is not self._tab:
                page.close()
        context.unroute_all(behavior="ignoreErrors")
        if self._tab is not None:
            # Before the cookies: a page that is still live would meet a server that does not know it.
            self._leave(self._tab, origin)
        context.clear_cookies()
        context.clear_permissions()

    def _leave(self, tab: Page, origin: str) -> None:
        tab.unroute_all(behavior="ignoreErrors")
        tab.mouse.up()
        tab.mouse.move(*NOWHERE)
        tab.goto(f"{origin}/healthz")
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
        tab.set_viewport_size(WINDOW)
        tab.emulate_media(**USUAL_MEDIA)
        tools = tab.context.new_cdp_session(tab)
        tools.send("Page.resetNavigationHistory")
        tools.detach()

    def close(self) -> None:
        """Throw it away: the next test gets another one."""
        if self._context is not None:
            self._context.close()
        self._context = self._tab = None
