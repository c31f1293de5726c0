"""Somebody who asks a question of a run by clicking, and counts the clicks."""

from __future__ import annotations

MOST_CLICKS = 2


class Reader:
    """Somebody who opens the run's first tab and clicks; more than two clicks fail the test."""

    def __init__(self, tab, first):
        self.tab = tab
        self.first = first
        self.clicks = 0

    def start(self):
        """Open the first tab anew."""
        self.tab.goto(self.first)
        self.tab.wait_for_selector("html[data-outcomes=ready]")
        self.clicks = 0
        return self

    def click(self, target):
        """Click, and count it."""
        self.clicks += 1
        assert self.clicks <= MOST_CLICKS
        target.click()
        return self.tab

    def why(self, row):
        """Return the page behind Why of a row of the first tab, one click away."""
        self.start()
        self.click(self.tab.locator("tr.g", has_text=row).get_by_role("link", name="Why"))
        # Its scripts start behind its style sheets: before, nothing stands where it will.
        self.tab.wait_for_selector("html[data-debugger=ready]")
        return self.tab

    def first_of_list(self, row):
        """Return the page behind Why of the first pod of a row's list, two clicks away."""
        self.start()
        self.click(self.tab.locator("tr", has_text=row).get_by_role("link", name="List"))
        self.click(self.tab.locator("tr.oc-pod").first.get_by_role("link", name="Why"))
        self.tab.wait_for_selector("#rivals-table")
        return self.tab
