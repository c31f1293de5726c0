"""The addresses of static files on pages: of what the build made of them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage

from dashboard.common.assets.build import build, read_names

TEMPLATES = Path(settings.BASE_DIR) / "templates"


def build_static_files() -> bool:
    """Build the files where their sources changed, or the image has them built; return whether it did."""
    return not settings.STATIC_COLLECTED and build(
        Path(settings.STATICFILES_DIRS[0]), TEMPLATES, Path(settings.STATIC_ROOT)
    )


class BuiltStaticFiles(StaticFilesStorage):
    """Gives the address of the built file for the name of a source."""

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the build, which is made here where a process serves pages that nobody prepared."""
        build_static_files()
        return read_names(Path(settings.STATIC_ROOT))

    def url(self, name: str | None, *_args: Any, **_options: Any) -> str:
        """Return the address. Raises KeyError for a file that is not there, so that no page is sent without it."""
        return super().url(self.names[name or ""])
