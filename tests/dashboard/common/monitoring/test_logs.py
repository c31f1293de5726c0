"""Log lines as JSON."""

from __future__ import annotations

import json
import logging
import sys
import urllib.error
import urllib.request

import pytest

from dashboard.accounts.models import new_secret
from dashboard.common.monitoring.logs import JsonFormatter, TextFormatter, without_secrets
from tests.faults.processes import embedded_environment, prepare, process, wait_until
from tests.patience import PATIENCE
from tests.seeds import long_after
from tests.services.servers import free_port


def record(message, *arguments, exc_info=None, **extra):
    made = logging.LogRecord("dashboard.runs", logging.WARNING, __file__, 1, message, arguments, exc_info)
    vars(made).update(extra)
    return json.loads(JsonFormatter().format(made))


def test_line_holds_level_logger_message_and_extra_fields():
    line = record("run %s stopped", "r-7 ☃", run="r-7", cycles=12)
    assert line.pop("time").endswith("+00:00")
    assert line == {
        "level": "WARNING",
        "logger": "dashboard.runs",
        "message": "run r-7 ☃ stopped",
        "run": "r-7",
        "cycles": 12,
    }


def test_traceback_stays_in_its_line():
    try:
        raise ValueError("no such node")
    except ValueError:
        line = record("failed", exc_info=sys.exc_info())
    assert line["traceback"].endswith("ValueError: no such node")


SECRET = "Gx-PUYmw3ML5bUpGz6VTG26pVFz2U1pzWYEAQkx06kf"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (f"Forbidden: /join/{SECRET}", "Forbidden: /join/***"),
        ("Not Found: /signin/cut-short", "Not Found: /signin/***"),
        (
            f'"GET /signin?next=%2Fjoin%2F{SECRET}&x=1 HTTP/1.1" 200',
            '"GET /signin?next=%2Fjoin%2F***&x=1 HTTP/1.1" 200',
        ),
        (f"<ASGIRequest: POST '/join/{SECRET}'>", "<ASGIRequest: POST '/join/***'>"),
        (f"NoReverseMatch: {{'token': '{SECRET}'}}", "NoReverseMatch: {'token': '***'}"),
    ],
)
def test_secret_of_a_link_is_in_no_line(line, shown):
    assert without_secrets(line) == shown


@pytest.mark.parametrize(
    "line",
    [
        "Not Found: /signin",
        "Forbidden: /w/team/members/",
        "pod kube-prometheus-stack-kube-state-metrics-5b is pending",
        "hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ],
)
def test_other_words_stay(line):
    assert without_secrets(line) == line


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_secret_is_neither_in_arguments_nor_in_extra_fields_nor_in_a_traceback(formatter):
    made = logging.LogRecord(
        "django.request", logging.WARNING, __file__, 1, "%s: %s", ("Gone", f"/join/{SECRET}"), None
    )
    made.request = f"<ASGIRequest: GET '/join/{SECRET}'>"
    try:
        raise LookupError(SECRET)
    except LookupError:
        made.exc_info = sys.exc_info()
    line = formatter.format(made)
    assert SECRET not in line
    assert line.count("***") == (3 if isinstance(formatter, JsonFormatter) else 2)


def test_every_handler_of_the_settings_writes_lines_without_secrets(settings):
    formatters = settings.LOGGING["formatters"]
    made = {formatters[handler["formatter"]]["()"] for handler in settings.LOGGING["handlers"].values()}
    assert made <= {f"{kind.__module__}.{kind.__qualname__}" for kind in (TextFormatter, JsonFormatter)}
    assert without_secrets(f"fresh: {new_secret()}") == "fresh: ***"


@pytest.mark.slow
@pytest.mark.parametrize("kind", long_after(["json", "text"], 1))
def test_real_server_logs_refused_links_without_their_secrets(tmp_path, kind):
    """With uvicorn's access log on, as somebody may start it: invitations, sign-in links, a form without a token."""
    environment = embedded_environment(tmp_path / "data") | {"SCHEDSCOPE_LOG": kind}
    prepare(environment)
    port, log = free_port(), tmp_path / "web.log"
    command = ["-m", "uvicorn", "dashboard.asgi:application", "--port", str(port), "--lifespan", "off"]
    with process(environment, [sys.executable, *command], log):
        wait_until(lambda: "running on" in log.read_text(), "the web server", log)
        for path in (f"/join/{SECRET}", f"/signin/{SECRET}", f"/signin?next=%2Fjoin%2F{SECRET}"):
            for data in (None, b"name=x"):
                status(f"http://127.0.0.1:{port}{path}", data)
        wait_until(lambda: log.read_text().count("HTTP/1.1") == 6, "six lines of the access log", log)
    text = log.read_text()
    assert SECRET not in text
    assert "/join/***" in text
    assert "/signin/***" in text
    assert "%2Fjoin%2F***" in text
    assert "CSRF" in text


def status(url, data):
    try:
        with urllib.request.urlopen(url, data, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
