"""A Chromium that nobody waits for without end.

Playwright has no time limit for most of what it asks of a browser (to evaluate, to close a page, to move the mouse),
and a browser may never answer: closing a page that is on its way to another one is known for it. Whoever asks gets an
error once the browser's process is killed; the next one who needs a browser gets a new one.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class BrowserProcess:
    """A browser that is started when it is asked for, also anew after its process has ended."""

    def __init__(self, launch: Callable[[], Browser]) -> None:
        self._launch = launch
        self._browser: Browser | None = None
        self._pid = 0

    @property
    def browser(self) -> Browser:
        """Return the browser that runs."""
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._launch()
            self._pid = _pid_of(self._browser)
        return self._browser

    @contextmanager
    def killed_after(self, seconds: float) -> Iterator[None]:
        """Kill the process if what is done meanwhile takes longer, and raise TimeoutError for it."""
        is_late = threading.Event()

        def kill() -> None:
            is_late.set()
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

        timer = threading.Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            if is_late.is_set():
                raise TimeoutError(f"the browser was killed: it was waited for more than {seconds:g} s")

    def close(self) -> None:
        """End the browser in order."""
        if self._browser is not None:
            with suppress(Error):
                self._browser.close()


def _pid_of(browser: Browser) -> int:
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return next(int(one["id"]) for one in processes if one["type"] == "browser")
