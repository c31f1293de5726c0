"""Pictures of a page by width and colour scheme, from one load of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from playwright.sync_api import Page

# {width: height} of the windows that pages are designed for.
HEIGHTS = {1280: 800, 1920: 1080}
USUAL_HEIGHT = 800
SCHEMES = ("light", "dark")
# What a new size moves is drawn in the frame after the next one.
_DRAWN = """() => Promise.all([document.fonts.ready, new Promise((done) => requestAnimationFrame(
    () => requestAnimationFrame(done)))]).then(() => 0)"""
_BUSY = ".htmx-request, .htmx-swapping, .htmx-settling, .htmx-added"


class Pictures:
    """Takes pictures into a folder, which is made where it is missing."""

    def __init__(self, into: Path, widths: Sequence[int], schemes: Iterable[str]) -> None:
        self.into, self.widths, self.schemes = into, widths, list(schemes)
        self.taken: list[Path] = []
        into.mkdir(parents=True, exist_ok=True)

    def take(self, title: str, page: Page) -> None:
        """Take the page as it stands, in every width and scheme: all of a page that scrolls as a whole."""
        for width in self.widths:
            page.set_viewport_size({"width": width, "height": HEIGHTS.get(width, USUAL_HEIGHT)})
            for scheme in self.schemes:
                page.emulate_media(color_scheme=cast("Literal['light', 'dark']", scheme))
                page.locator(_BUSY).first.wait_for(state="detached")
                page.evaluate(_DRAWN)
                path = self.into / f"{title}-{width}-{scheme}.png"
                page.screenshot(path=path, full_page=True, animations="disabled")
                self.taken.append(path)


def numbered(name: str, states: Mapping[str, Callable[[Any], Page]]) -> Iterator[tuple[str, Callable[[Any], Page]]]:
    """Yield (title, function) of each state; titles sort as the states stand."""
    for number, (state, show) in enumerate(states.items(), 1):
        yield f"{name}-{number:02}-{state}", show
