"""Text of an editor on its way in, and YAML on its way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.common.problems import TooLarge

if TYPE_CHECKING:
    from django.http import HttpRequest


EDITOR = "editor"
MAX_TEXT = 4 << 20
MAX_TEXT_VALUES = 250_000
"""Keys, values and entries of an editor's text."""
YAML_TYPE = "application/yaml; charset=utf-8"


def text_in(request: HttpRequest) -> str:
    """Return the editor's text with plain line ends; raises TooLarge."""
    text = request.POST.get("text", "")
    if len(text) > MAX_TEXT:
        raise TooLarge(f"The text has more than {MAX_TEXT >> 20} MiB. Import it as a file.")
    return text.replace("\r\n", "\n")
