"""Addresses inside of the panel."""

from __future__ import annotations

from dashboard.answers.outcomes import TooLate
from dashboard.fit.panel import FitPanel
from dashboard.fit.templatetags.fit import fit_link


def test_a_link_keeps_the_pod_and_says_order_and_page():
    panel = FitPanel(TooLate(), "default/web", "r1", "defaults", "verdict", "", "/fit/", query={"fit": "default/web"})
    assert fit_link(panel, "-node", 3) == "/fit/?fit=default/web&sort=-node&fit_page=3"
