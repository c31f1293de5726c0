"""Fields of log lines: those of the surrounding work, without what the caller says itself."""

from __future__ import annotations

import logging

from django.conf import settings

from dashboard.common.monitoring.log_context import WithContext, field, log_also, log_from_now_on, logged_with


def record(**extra):
    """Return the fields that the filter put on a record."""
    made = logging.makeLogRecord(extra)
    before = set(vars(made))
    assert WithContext().filter(made) is True
    return {name: value for name, value in vars(made).items() if name not in before}


def test_fields_are_those_of_the_surrounding_work_until_its_end():
    with logged_with(run=1):
        with logged_with(task=2):
            assert record() == {"run": 1, "task": 2}
        assert record() == {"run": 1}
    assert record() == {}


def test_what_the_caller_says_is_left():
    with logged_with(run=1, path="/a"):
        assert record(run=7) == {"path": "/a"}


def test_what_is_known_later_is_added_until_the_same_end():
    log_also(member=3)
    with logged_with(run=1):
        log_also(member=3)
        assert record() == {"run": 1, "member": 3}
        assert (field("member"), field("task")) == (3, "")
    assert record() == {}


def test_a_task_of_its_own_has_fields_to_its_end():
    import contextvars

    def task():
        log_from_now_on(person=5)
        return record()

    assert contextvars.copy_context().run(task) == {"person": 5}
    assert record() == {}


def test_every_handler_of_the_settings_has_the_filter():
    handlers = settings.LOGGING["handlers"].values()
    assert [handler for handler in handlers if "with_context" not in handler["filters"]] == []
