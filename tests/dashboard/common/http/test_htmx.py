"""What asks for a page or for a part of it, and where a form leads: as a redirect, or as an instruction to htmx."""

from __future__ import annotations

import pytest
from django.template import Context, Template
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from dashboard.common.http.htmx import framed, go, is_htmx, wants_part


def moved(request):
    return go(request, "/elsewhere/")


urlpatterns = [path("moved", moved)]


@pytest.fixture
def browser():
    with override_settings(ROOT_URLCONF=__name__):
        yield Client(raise_request_exception=False)


def test_go_redirects_forms_and_htmx(browser):
    assert browser.get("/moved")["Location"] == "/elsewhere/"
    answer = browser.get("/moved", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/elsewhere/")


@pytest.mark.parametrize(
    ("headers", "htmx", "part"),
    [
        ({}, False, False),
        ({"HX-Request": "true"}, True, True),
        ({"HX-Request": "true", "HX-Boosted": "true"}, True, False),
        ({"HX-Request": "true", "HX-Boosted": "true", "HX-Target": "devices"}, True, True),
        ({"HX-Request": "true", "HX-History-Restore-Request": "true"}, True, False),
        ({"HX-Boosted": "true"}, False, False),
    ],
)
def test_boosted_links_without_a_target_and_restored_history_get_the_whole_page(headers, htmx, part):
    request = RequestFactory().get("/", headers=headers)
    assert (is_htmx(request), wants_part(request)) == (htmx, part)
    assert ("frame" in framed(request)) == part


def test_a_page_in_the_frame_of_parts_is_its_part_alone():
    page = Template(
        '{% extends frame|default:"common/bare.html" %}{% block page %}'
        "<h1>Runs</h1>{% block part %}<p>12</p>{% endblock %}{% endblock %}"
    )
    request = RequestFactory().get("/", headers={"HX-Request": "true"})
    assert page.render(Context(framed(request))).strip() == "<p>12</p>"
