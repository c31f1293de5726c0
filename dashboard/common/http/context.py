"""What every template knows without being told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.http import HttpRequest

# The reader's choices; a cookie with another value is as good as none.
LOOKS: dict[str, tuple[str, ...]] = {
    "theme": ("light", "dark"),
    "density": ("normal", "roomy"),
    "motion": ("on", "off"),
}


def chosen_look(request: HttpRequest) -> dict[str, str]:
    """Return the reader's chosen theme, density and motion; a name is absent where they chose nothing."""
    cookies = {name: request.COOKIES.get(f"look_{name}", "") for name in LOOKS}
    return {name: value for name, value in cookies.items() if value in LOOKS[name]}


def look(request: HttpRequest) -> dict[str, dict[str, str]]:
    """Context processor: `look.theme`, `look.density`, `look.motion` for the attributes of <html>."""
    return {"look": chosen_look(request)}
