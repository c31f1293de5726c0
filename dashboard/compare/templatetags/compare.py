"""Tags of the comparison's templates: addresses with something changed, and the page's keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse

from dashboard.common.pages import keys
from dashboard.common.pages.notes import FORMS, CopyItem, copy_items
from dashboard.compare.keys import KEYS_BY_NAME

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

    from dashboard.compare.address import AskedComparison
    from dashboard.compare.strip import Strip
    from dashboard.runs.models import Run

register = template.Library()


@register.simple_tag
def compare_key(name: str, label: str = "") -> SafeString:
    """Return the attributes of the element that a key of the page clicks: {% compare_key "swap" %}."""
    return keys.attributes(KEYS_BY_NAME[name], label)


@register.simple_tag
def url_of(asked: AskedComparison, **changes: Any) -> str:
    """Return the address of the comparison with some of it changed."""
    return asked.url(**changes)


@register.simple_tag
def export_of(asked: AskedComparison, form: str) -> str:
    """Return where the comparison is had as a file."""
    return asked.export(form)


@register.simple_tag
def copied_notes(asked: AskedComparison) -> list[CopyItem]:
    """Return the forms in which the comparison can be copied in a few lines."""
    address = reverse("compare:note", args=[asked.slug, FORMS[0]]).removesuffix(f".{FORMS[0]}")
    return copy_items(address, asked.query, (KEYS_BY_NAME["copy-text"], KEYS_BY_NAME["copy-markdown"]))


@register.simple_tag
def choose_url(asked: AskedComparison, letter: str) -> str:
    """Return where another run is chosen for a side."""
    other, name = (asked.b, "b") if letter == "A" else (asked.a, "a")
    values = {name: other.run.number, f"{name}_seq": other.until}
    return f"{asked.path}?{urlencode({key: value for key, value in values.items() if value is not None})}"


@register.simple_tag
def own_steps(strip: Strip, letter: str) -> tuple[str, str]:
    """Return where a side steps back and on by itself, "" at its ends."""
    return strip.own_steps[letter]


@register.simple_tag
def compare_url(run: Run, other: Run | None = None) -> str:
    """Return where a run is compared: with another one, else where the other is chosen."""
    numbers = {"a": run.number} if other is None else {"a": run.number, "b": other.number}
    return f"{reverse('compare:page', args=[run.workspace.slug])}?{urlencode(numbers)}"
