"""Icons as rows of many use them: each is rendered once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dashboard.common.pages.pattern import EMPTY
from dashboard.common.templatetags.schedscope import icon

if TYPE_CHECKING:
    from django.utils.safestring import SafeString


@cache
def glyph(name: str, cls: str = "", label: str = "") -> SafeString:
    """Return an icon, nothing for no name."""
    return icon(name, label, cls) if name else EMPTY
