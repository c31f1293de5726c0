"""The addresses of static files on pages: of what the build made of them."""

from __future__ import annotations

from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage

from dashboard.common.assets.build import build, read_names

TEMPLATES = Path(settings.BASE_DIR) / "templates"


def collect_static_files() -> bool:
    """Build the files of the settings where their sources changed; return whether they did."""
    return build(Path(settings.STATICFILES_DIRS[0]), TEMPLATES, Path(settings.STATIC_ROOT))


def build_static_files() -> None:
    """Build the files where their sources changed, unless an image has them built."""
    if not settings.STATIC_COLLECTED:
        collect_static_files()


class BuiltStaticFiles(StaticFilesStorage):
    """Gives the address of the built file for a source; with SCHEDSCOPE_DEBUG, for the source as it is now."""

    _names: dict[str, str]
    _until = -inf

    def names(self) -> dict[str, str]:
        """Return the names of the build, which is made here where a process serves pages that nobody prepared."""
        if monotonic() >= self._until:
            build_static_files()
            self._names = read_names(Path(settings.STATIC_ROOT))
            self._until = monotonic() + 1 if settings.DEBUG else inf
        return self._names

    def url(self, name: str | None, *_args: Any, **_options: Any) -> str:
        """Return the address. Raises KeyError for a file that is not there, so that no page is sent without it."""
        return super().url(self.names()[name or ""])
