"""The words of a page."""

from __future__ import annotations

import re


def text(response):
    """Return the words of a page without its marks."""
    return text_of(response.content.decode())


def text_of(html):
    """Return the words of a part of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))
