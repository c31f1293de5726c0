"""Tests use a page once its scripts listen, however they got there.

`Page.goto` waits for that by itself. Whoever follows a link and waits for words of the next page has them before that
page's scripts have started, and what htmx swaps in is taken up some milliseconds later; a slow machine makes both last.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from playwright.sync_api import Locator, Page

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

_READS = """all all_inner_texts all_text_contents bounding_box count evaluate evaluate_all get_attribute inner_html
inner_text input_value is_checked is_disabled is_editable is_enabled is_hidden is_visible text_content"""
_USES = """blur check clear click dblclick dispatch_event drag_to fill focus hover press press_sequentially
select_option select_text set_checked set_input_files type uncheck"""
_DEVICES = ("keyboard", "mouse")
# Parts that are being replaced, or that htmx does not listen to yet.
_BUSY = ".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added"

# Pages of which a test holds up requests.
held_pages: WeakSet[Page] = WeakSet()


def wait_for_loading(patch: pytest.MonkeyPatch) -> None:
    """Let what tests read of pages wait until these have loaded, and what they do also until htmx is at rest."""
    for owner in (Page, Locator):
        for names, wait in ((_READS, Page.wait_for_load_state), (_USES, _wait_for_calm)):
            for name in names.split():
                if method := getattr(owner, name, None):
                    patch.setattr(owner, name, _after(wait, method))
    for name in _DEVICES:
        patch.setattr(Page, name, property(_after(_wait_for_calm, getattr(Page, name).fget)))


def _wait_for_calm(page: Page) -> None:
    page.wait_for_load_state()
    page.wait_for_selector(_BUSY, state="detached")


def _after(wait: Callable[[Page], None], method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def do_it(self: Page | Locator, *args: Any, **kwargs: Any) -> Any:
        page = self if isinstance(self, Page) else self.page
        if page not in held_pages:
            wait(page)
        return method(self, *args, **kwargs)

    return do_it
