"""Requests of a page that are held up until a test lets them go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.browser.loading import held_pages

if TYPE_CHECKING:
    import re

    from playwright.sync_api import Page, Route


class HeldRequests:
    """Holds up what a page asks for by addresses of a pattern."""

    def __init__(self, tab: Page, addresses: str | re.Pattern[str]) -> None:
        self._tab = tab
        self._routes: list[Route] = []
        self._is_open = False
        held_pages.add(tab)
        tab.route(addresses, self._take)

    def _take(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self._routes.append(route)

    def let_go(self, number: int = 1) -> None:
        """Let all go, once there are so many; from then on nothing is held.

        The page may show that it asks before the test is told of the request.
        """
        while len(self._routes) < number:
            self._tab.wait_for_timeout(20)
        self._is_open = True
        held_pages.discard(self._tab)
        for route in self._routes:
            route.continue_()
