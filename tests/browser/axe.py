"""What axe finds grave on an open page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Page

GRAVE = ("serious", "critical")
# Off by default in axe; a control's name has to hold what is written on it.
RULES = {"label-content-name-mismatch": {"enabled": True}}
# What another theme can change: colours, and which of two pictures is shown.
RULES_OF_THEMES = ["color-contrast", "link-in-text-block", "image-alt", "role-img-alt", "svg-img-alt"]
# Findings alone: what passed is a hundred kilobytes a page.
RUN = """async (options) => (await axe.run({resultTypes: ['violations'], ...options})).violations
    .map(({id, impact, nodes}) => ({id, impact, html: nodes.slice(0, 3).map((node) => node.html.slice(0, 120))}))"""


def grave_findings(page: Page) -> list[tuple[str, str, str, list[str]]]:
    """Return what is grave, in light by all rules and in dark by those of colours: (address, theme, rule, marks)."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE_SCRIPT)
    grave = []
    for theme, chosen in (("light", {"rules": RULES}), ("dark", {"runOnly": RULES_OF_THEMES})):
        page.emulate_media(color_scheme=theme)
        violations = page.evaluate(RUN, chosen)
        grave += [
            (page.url, theme, one["id"], one["html"])
            for one in violations
            if one["impact"] in GRAVE or one["id"] == "landmark-unique"
        ]
    page.emulate_media(color_scheme="light")
    return grave
