"""Log lines as JSON."""

from __future__ import annotations

import json
import logging
import sys

from dashboard.common.logs import JsonFormatter


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
