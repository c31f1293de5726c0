"""What the dashboard's tests share beside fixtures."""

from __future__ import annotations

from html.parser import HTMLParser

from django.http import HttpResponse

# Attributes whose value would be run or parsed as code.
URL_ATTRIBUTES = {"href", "src", "action", "formaction", "hx-get", "hx-post"}
# The one place outside that people are led to: changes of Kubernetes, by their numbers.
UPSTREAM = "https://github.com/kubernetes/kubernetes/pull/"
OUTSIDE = ("javascript:", "data:text/html", "http://", "https://", "//")


class _Inspector(HTMLParser):
    """Collects what a strict Content Security Policy would refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[str] = []
        self.in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        where = f"<{tag}> in line {self.getpos()[0]}"
        if tag == "style":
            self.violations.append(f"{where}: inline style element")
        if tag == "base":
            self.violations.append(f"{where}: base element")
        self.in_script = tag == "script" and values.get("type") != "application/json"
        if self.in_script and not values.get("src"):
            self.violations.append(f"{where}: inline script")
        for name, value in attrs:
            self._attribute(where, name, value or "")

    def _attribute(self, where: str, name: str, value: str) -> None:
        if name == "style":
            self.violations.append(f'{where}: style="{value}"')
        if name.startswith(("on", "hx-on")):
            self.violations.append(f"{where}: handler {name}")
        if name.startswith("hx-") and value.lstrip().startswith(("js:", "javascript:")):
            self.violations.append(f"{where}: {name} evaluates code")
        if name == "hx-trigger" and "[" in value:
            self.violations.append(f"{where}: hx-trigger filter evaluates code")
        is_upstream = where.startswith("<a>") and name == "href" and value.startswith(UPSTREAM)
        if name in URL_ATTRIBUTES and value.lstrip().lower().startswith(OUTSIDE) and not is_upstream:
            self.violations.append(f"{where}: {name} leads outside or runs code: {value}")

    def handle_data(self, data: str) -> None:
        if self.in_script and data.strip():
            self.violations.append(f"line {self.getpos()[0]}: script text")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.in_script = False


def assert_strict_csp(html: str | bytes) -> None:
    """Return if the page has no inline script, style or handler, evaluates nothing, loads nothing from elsewhere."""
    inspector = _Inspector()
    inspector.feed(html.decode() if isinstance(html, bytes) else html)
    inspector.close()
    assert inspector.violations == []


def strict_html(response: HttpResponse, status: int = 200) -> str:
    """Return the text of a page that has this status and obeys the strict policy."""
    assert response.status_code == status
    assert_strict_csp(response.content)
    return response.content.decode()
