"""Views that are imported when they are first asked for: those of pages that the first page does without.

What a process imports before it answers is the longest part of its start.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse


class LaterView:
    """The view of a name in a module ("dashboard.devices.views"), with all that the view itself says of itself."""

    def __init__(self, module: str, name: str) -> None:
        self.__module__ = module
        self.__name__ = self.__qualname__ = name

    @cached_property
    def _view(self) -> Callable[..., HttpResponse]:
        view: Callable[..., HttpResponse] = getattr(import_module(self.__module__), self.__name__)
        return view

    def __call__(self, request: HttpRequest, **named: Any) -> HttpResponse:
        """Answer as the view does."""
        return self._view(request, **named)

    def __getattr__(self, name: str) -> Any:
        # Django asks each address of the process for these when it makes the first link.
        if name.startswith("_") or name == "view_class":
            raise AttributeError(name)
        return getattr(self._view, name)
