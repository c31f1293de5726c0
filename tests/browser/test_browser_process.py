"""A browser that does not answer is waited for no longer than it was given, and the tests behind get another one."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error


def test_a_browser_that_never_answers_is_killed_and_the_next_one_works(browser_process, profile):
    tab = profile.tab("first")
    with pytest.raises(TimeoutError, match="more than 1 s") as raised, browser_process.killed_after(1):
        tab.evaluate("new Promise(() => {})")
    assert isinstance(raised.value.__context__, Error)
    assert profile.tab("first").evaluate("1 + 1") == 2


def test_a_browser_that_answers_is_left_alone(browser_process):
    browser = browser_process.browser
    with browser_process.killed_after(60):
        assert browser.version
    assert browser_process.browser is browser
