"""A person with a browser who repeats a form until the server answers, as one does while it is being killed."""

from __future__ import annotations

import http.client
import time
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any, NamedTuple
from urllib.parse import urlencode

CSRF = "a" * 32
PATIENCE_SECONDS = 120.0
# No answer, or one that says "not now": the server is gone, starting, or without its database.
NOT_NOW = 500


URL_ENCODED = "application/x-www-form-urlencoded"
Files = Sequence[tuple[str, str, bytes]]


class Answer(NamedTuple):
    """What came back; `tries` is how often it was asked for."""

    status: int
    text: str
    location: str
    tries: int


class Person:
    """Somebody signed in by a session key."""

    def __init__(self, port: int, session: str) -> None:
        self.port = port
        self.cookie = f"schedscope_session={session}; schedscope_session_csrf={CSRF}"
        self.repeated = 0

    def get(self, path: str) -> Answer:
        """Return the page, as soon as there is one."""
        return self._insist("GET", path, "")

    def post(self, path: str, fields: dict[str, Any]) -> Answer:
        """Send the form until it is answered; the same form each time, with its token."""
        return self._insist("POST", path, urlencode(fields, doseq=True))

    def once(self, path: str, fields: dict[str, Any] | None = None, files: Files = ()) -> Answer:
        """Ask once for a page, or send a form with its files ((field, file name, content)); any answer is one."""
        if files:
            return self._ask("POST", path, *_multipart(fields or {}, files))
        return self._ask("GET" if fields is None else "POST", path, urlencode(fields or {}, doseq=True).encode())

    def form(self, path: str, action: str) -> dict[str, list[str]]:
        """Return the fields of the page's form that leads to `action`, as a browser would send them."""
        answer = self.get(path)
        assert answer.status == 200, f"{path}: {answer.status}"
        reader = _Form(action)
        reader.feed(answer.text)
        assert reader.is_there, f"{path} has no form to {action}"
        return reader.fields

    def _insist(self, method: str, path: str, body: str) -> Answer:
        deadline, tries = time.monotonic() + PATIENCE_SECONDS, 0
        while True:
            tries += 1
            try:
                answer = self._ask(method, path, body.encode(), tries=tries)
                if answer.status < NOT_NOW:
                    return answer
                problem = str(answer.status)
            except (OSError, http.client.HTTPException) as error:
                problem = repr(error)
            assert time.monotonic() < deadline, f"{method} {path}: {problem} after {tries} tries"
            self.repeated += 1
            time.sleep(0.1)

    def _ask(self, method: str, path: str, body: bytes, content_type: str = URL_ENCODED, tries: int = 1) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Cookie": self.cookie}
        if method == "POST":
            headers |= {"Content-Type": content_type, "X-CSRFToken": CSRF}
        try:
            connection.request(method, path, body or None, headers)
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
            return Answer(response.status, text, response.getheader("Location", ""), tries)
        finally:
            connection.close()


def _multipart(fields: dict[str, Any], files: Files) -> tuple[bytes, str]:
    """Return the body of a form with files, and its content type."""
    boundary = b"----a-boundary-that-no-file-has"
    parts = []
    for name, values in fields.items():
        for value in values if isinstance(values, list) else [values]:
            parts.append(b'name="%s"\r\n\r\n%s' % (name.encode(), str(value).encode()))
    for name, file_name, content in files:
        parts.append(b'name="%s"; filename="%s"\r\n\r\n%s' % (name.encode(), file_name.encode(), content))
    body = b"".join(b"--%s\r\nContent-Disposition: form-data; %s\r\n" % (boundary, part) for part in parts)
    return body + b"--%s--\r\n" % boundary, f"multipart/form-data; boundary={boundary.decode()}"


class _Form(HTMLParser):
    """Collects the fields of one form."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
        self.is_there = self.inside = False
        self.fields: dict[str, list[str]] = {}
        self.select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = values.get("action", "").endswith(self.action)
            self.is_there |= self.inside
        elif not self.inside:
            return
        elif tag == "input" and (values.get("type") not in ("checkbox", "radio") or "checked" in values):
            self.add(values.get("name", ""), values.get("value", ""))
        elif tag == "select":
            self.select = values.get("name", "")
        elif tag == "option" and self.select and ("selected" in values or self.select not in self.fields):
            self.fields[self.select] = [values.get("value", "")]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False
        elif tag == "select":
            self.select = ""

    def add(self, name: str, value: str) -> None:
        if name:
            self.fields.setdefault(name, []).append(value)
