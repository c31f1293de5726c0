"""Template tags and filters of the design system; built in, so templates need no load tag."""

from __future__ import annotations

import re
import secrets
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from dashboard.common.http.origins import site_address
from dashboard.common.http.undo import message_link, undo_url
from dashboard.common.pages import numbers
from dashboard.common.pages.avatars import avatar_tone, initials
from dashboard.common.pages.names import ShortNames
from dashboard.common.pages.status_styles import state_style
from scheduler_core.recording.times import clock

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from dashboard.common.pages.pagination import Page

register = template.Library()
register.filter(initials)

_SYMBOL = re.compile(r'<symbol id="i-([^"]+)" viewBox="([^"]+)">(.*?)</symbol>')
_NO_GLYPH = ("0 0 16 16", SafeString())

# A part of a bar that is not nothing stays visible; exact figures stand beside it.
MIN_SHARE = 1.4
BAR_GAP = 0.4


@register.simple_tag
@cache
def icon(name: str, label: str = "", cls: str = "") -> SafeString:
    """Return the glyph `name` of icons.svg, an empty one for a name that it lacks; read out only with a label.

    cls: i-12, i-16, art. Its shapes stand in the page: a reference to the file has a browser ask for it at each place,
    and paint twice.
    """
    classes, (box, shapes) = f"i {cls}".strip(), _glyphs().get(name, _NO_GLYPH)
    if label:
        return format_html(
            '<svg class="{}" viewBox="{}" role="img" aria-label="{}"><title>{}</title>{}</svg>',
            *(classes, box, label, label, shapes),
        )
    return format_html(
        '<svg class="{}" viewBox="{}" aria-hidden="true" focusable="false">{}</svg>', classes, box, shapes
    )


@cache
def _glyphs() -> dict[str, tuple[str, SafeString]]:
    """{name: (box that it is drawn on, shapes)}."""
    sprite = (Path(settings.BASE_DIR) / "static" / "common" / "icons.svg").read_text()
    return {name: (box, mark_safe(shapes)) for name, box, shapes in _SYMBOL.findall(sprite)}


@register.simple_block_tag
def empty(
    content: str, glyph: str, title: str, action_url: str = "", action_label: str = "", action_glyph: str = ""
) -> SafeString:
    """Say what is true where nothing is to be shown; the block's content says what to do next."""
    # The content was rendered, and so escaped, as any other part of the template.
    context = {
        "glyph": glyph,
        "title": title,
        "text": mark_safe(" ".join(content.split())),
        "action_url": action_url,
        "action_label": action_label,
        "action_glyph": action_glyph,
    }
    return render_to_string("common/_empty.html", context)


@register.simple_block_tag
def words(content: str) -> SafeString:
    """Return a text that the template breaks over lines as one; `{% words as name %}` keeps it for an attribute."""
    # As above: the content is escaped already.
    return mark_safe(" ".join(content.split()))


@register.simple_tag
def once() -> SafeString:
    """Return the hidden field of a form that makes something: sent twice, it makes one (accounts/once.py)."""
    # Without autocomplete="off" Firefox would keep the old token when the page is loaded again.
    return format_html('<input type="hidden" name="once" value="{}" autocomplete="off">', secrets.token_urlsafe(16))


@register.filter
def toast_style(level: str) -> str:
    """Return the status style of a message's level."""
    return {"error": "error", "warning": "backoff"}.get(level, "bound")


@register.filter
def toast_glyph(level: str) -> str:
    """Return the icon of a message's level."""
    return "alert" if level in ("error", "warning") else "check"


@register.filter
def glyph(style: str) -> str:
    """Return the icon of a status style."""
    return state_style(style).glyph


@register.filter
def tailed(name: str) -> SafeString:
    """Return a name for a narrow place: where room is short, the part that tells it apart is cut last."""
    return ShortNames().html(name)


@register.simple_tag
def say(meaning: str, word: str = "", glyph: str = "") -> SafeString:
    """Return glyph and word of a state inside a row; both follow from the meaning unless given."""
    style = state_style(meaning)
    return format_html('<span class="say m-{}">{}{}</span>', meaning, icon(glyph or style.glyph), word or style.word)


@register.simple_tag
def pill(meaning: str, word: str = "", glyph: str = "", cls: str = "") -> SafeString:
    """Return the outcome of the thing in the title as a pill. cls: pill-sm."""
    style, classes = state_style(meaning), f"pill m-{meaning} {cls}".strip()
    return format_html('<span class="{}">{}{}</span>', classes, icon(glyph or style.glyph), word or style.word)


@register.simple_tag
def meter(whole: float, used: float, label: str, mine: float = 0, freed: float = 0) -> SafeString:
    """Return a meter: `used` grey, `mine` accent, `freed` magenta against `whole`; a sum above it turns hot."""
    parts = [("used", used), ("mine", mine), ("freed", freed)]
    total = sum(value for _, value in parts)
    if whole <= 0:
        title = f"{label}: none allocatable"
        return format_html('<svg class="meter" role="img" aria-label="{}"></svg>', title)
    scale = 100 / max(whole, total)
    rects, x = [], 0.0
    for name, value in parts:
        if value > 0:
            rects.append((name if total <= whole else f"{name} hot", f"{x:.2f}%", f"{value * scale:.2f}%"))
            x += value * scale
    title = f"{label}: {numbers.percent(used, whole)} of allocatable requested"
    title += "".join(
        f", {numbers.percent(more, whole)} {what}"
        for more, what in ((mine, "more asked for"), (freed, "freed"))
        if more > 0
    )
    body = format_html_join("", '<rect class="{}" x="{}" width="{}" height="100%"/>', rects)
    return format_html('<svg class="meter" role="img" aria-label="{}">{}</svg>', title, body)


@register.simple_tag
def outcome_bar(parts: Iterable[tuple[str, int, str]]) -> SafeString:
    """Return a bar of shares from (meaning, count, word) triples; small parts keep a visible minimum."""
    shown = [part for part in parts if part[1] > 0]
    for meaning, _, _ in shown:
        state_style(meaning)
    title = outcome_words(shown)
    shares = _visible_shares([count for _, count, _ in shown])
    rects, x = [], 0.0
    for (meaning, _, _), share in zip(shown, shares, strict=True):
        rects.append((meaning, f"{x:.2f}%", f"{max(share - BAR_GAP, 0.2):.2f}%"))
        x += share
    body = format_html_join("", '<rect class="m-{}" x="{}" width="{}" height="8"/>', rects)
    return format_html('<svg class="bars" role="img" aria-label="{}">{}</svg>', title or "nothing yet", body)


@register.filter
def outcome_words(parts: Iterable[tuple[str, int, str]]) -> str:
    """Return the parts of an outcome bar in words: "6,902 bound, 31 pending"."""
    return ", ".join(f"{numbers.grouped(count)} {word}" for _, count, word in parts)


def _visible_shares(counts: list[int]) -> list[float]:
    total = sum(counts)
    shares = [max(100 * count / total, MIN_SHARE) for count in counts] if total else []
    return [share * 100 / sum(shares) for share in shares]


@register.simple_tag
def bar(share: float, label: str, cls: str = "progress") -> SafeString:
    """Return a bar; share is 0..1. cls: progress (of work that goes on), countdown (a picture of what is left)."""
    filled = 100 * min(max(share, 0.0), 1.0)
    role = mark_safe('role="img"')
    if cls == "progress":
        values = 'role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-valuenow="{}"'
        role = format_html(values, int(filled))
    return format_html(
        '<svg class="{}" {} aria-label="{}"><rect width="{}" height="100%"/></svg>', cls, role, label, f"{filled:.2f}%"
    )


@register.simple_tag
def avatar(person: Any, cls: str = "") -> SafeString:
    """Return the initials of a user (anything with .label) or of a plain name; None is somebody who left."""
    label = str(getattr(person, "label", person) or "somebody who left")
    classes = f"avatar avatar-{avatar_tone(person or label)} {cls}".strip()
    return format_html(
        '<span class="{}" title="{}" role="img" aria-label="{}">{}</span>', classes, label, label, initials(label)
    )


@register.simple_tag
def when(moment: datetime | None, form: str = "ago") -> SafeString:
    """Return a wall time as <time>, in UTC until a script shows the reader's zone. form: ago, date, full."""
    if moment is None:
        return mark_safe('<span class="muted">never</span>')
    utc = moment.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-when="{}">{} UTC</time>', utc.isoformat(), form, f"{utc:%d %b %Y, %H:%M}"
    )


@register.simple_tag
def crumb(text: str, url: str = "") -> SafeString:
    """Return one step of the place in the app bar; without an address it is the page one is on."""
    sep = mark_safe('<span class="crumb-sep" aria-hidden="true">/</span>')
    if url:
        return format_html('{}<a class="crumb cut" href="{}" title="{}">{}</a>', sep, url, text, text)
    return format_html('{}<span class="crumb cut" aria-current="page" title="{}">{}</span>', sep, text, text)


@register.simple_tag(takes_context=True, name="site_address")
def site(context: template.Context) -> str:
    """Return what links to be sent to others begin with."""
    return site_address(context["request"])


@register.simple_tag(takes_context=True)
def page_link(context: template.Context, page: Page[Any], number: int) -> str:
    """Return the address of another page of the same list, with all other query parameters kept."""
    request = context["request"]
    query = request.GET.copy()
    query[page.param] = str(number)
    return f"{request.path}?{query.urlencode()}"


@register.filter
def num(value: int | float | None) -> str:
    """1500 -> "1,500"."""
    return numbers.grouped(value)


@register.filter
def percent(part: float | None, whole: float | None = 1.0) -> str:
    """0.38 -> "38 %"; with an argument part of whole."""
    return numbers.percent(part, whole)


@register.filter
def vtime_us(value: int | None) -> str:
    """Virtual microseconds -> "00:27:39.250"."""
    return numbers.UNKNOWN if value is None else clock(value)


register.filter("undo_url", undo_url)
register.filter("message_link", message_link)
register.filter("cpu", numbers.cpu)
register.filter("memory", numbers.memory)
register.filter("amount", numbers.amount)
register.filter("data_size", numbers.data_size)
register.filter("duration", numbers.duration)
register.filter("roughly", numbers.roughly)
register.filter("signed", numbers.signed)
register.filter("counted", numbers.counted)
