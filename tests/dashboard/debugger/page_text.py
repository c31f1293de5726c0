"""The words of a page."""

from __future__ import annotations

import re


def text(response):
    """Return the words of a page without its marks."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))
