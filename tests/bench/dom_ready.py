"""When the document of a page is ready in Chromium, beside the same HTML without scripts and styles.

Both come from one server in turn, so that the ratio holds on a busy machine; what the page keeps was loaded before.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
from django.conf import settings
from playwright.sync_api import sync_playwright

from tests.web_server import web_server_in_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

    from tests.bench.recorded import Recorded

_READY = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"


def dom_ready(recorded: Recorded, cycles: Sequence[int]) -> dict[str, float]:
    """Return p50 of both in milliseconds and their ratio, over pages of these cycles; {} without a Chromium."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        return {}
    cookie = recorded.client().cookies[settings.SESSION_COOKIE_NAME]
    times: tuple[list[float], list[float]] = [], []
    with web_server_in_thread() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        whole, alone = browser.new_context(), browser.new_context()
        alone.route("**/static/**", lambda route: route.abort())
        for context in (whole, alone):
            context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": address}])
        pages = whole.new_page(), alone.new_page()
        for page in pages:
            _time_of(page, f"{address}{recorded.url()}?cycle={cycles[0]}")
        for cycle in cycles:
            for page, noted in zip(pages, times, strict=True):
                noted.append(_time_of(page, f"{address}{recorded.url()}?cycle={cycle}"))
        browser.close()
    ready, html = (float(np.percentile(noted, 50)) for noted in times)
    ratio = float(np.percentile(np.array(times[0]) / np.array(times[1]), 50))
    return {
        "dom_ready_ms_p50": round(ready, 1),
        "html_alone_ms_p50": round(html, 1),
        "dom_ready_ratio": round(ratio, 2),
    }


def _time_of(page: Page, address: str) -> float:
    page.goto(address)
    return float(page.evaluate(_READY))
