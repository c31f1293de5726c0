"""Addresses made from names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.text import slugify

if TYPE_CHECKING:
    from django.db.models import QuerySet

# Words that URLs use themselves.
RESERVED = {"new", "default", "import"}


def free_slug(existing: QuerySet[Any], name: str, fallback: str) -> str:
    """Return a slug for the name that none of `existing` has; `fallback` if the name has no usable character."""
    base = slugify(name)[:40].replace("_", "-").strip("-") or fallback
    taken = set(existing.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED
    return next(slug for n in range(len(taken) + 2) if (slug := base if n == 0 else f"{base}-{n + 1}") not in taken)
