"""Problems as pages and as htmx answers, Django's own refusals included."""

from __future__ import annotations

import logging
from urllib.parse import unquote

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import Http404
from django.test import Client, override_settings
from django.urls import path

from dashboard.common import problems
from tests.dashboard.helpers import assert_strict_csp

RAISED = {
    "query": problems.BadQuery('"cycle" must be a whole number.'),
    "conflict": problems.Conflict("Asha saved r42 — 名."),
    "large": problems.TooLarge("The file has 300 MB; the limit is 256 MB."),
    "way": problems.NotFound(
        "Run 214 has cycles 1 to 7,316.", way_out=problems.WayOut("/last", "Go to the last cycle")
    ),
    "http404": Http404("secret detail"),
    "denied": PermissionDenied("Not today."),
    "toobig": RequestDataTooBig("x"),
    "files": TooManyFilesSent("x"),
    "fields": TooManyFieldsSent("x"),
    "broken": RuntimeError("boom"),
}


def explode(request, name):
    raise RAISED[name]


urlpatterns = [path("boom/<name>", explode)]
handler400 = "dashboard.common.http.problem_pages.page_400"
handler403 = "dashboard.common.http.problem_pages.page_403"
handler404 = "dashboard.common.http.problem_pages.page_404"
handler500 = "dashboard.common.http.problem_pages.page_500"


@pytest.fixture
def browser(monkeypatch):
    # Problem pages link to the first page; here it has no route of its own.
    monkeypatch.setattr("django.template.defaulttags.URLNode.render", lambda node, context: "/")
    with override_settings(ROOT_URLCONF=__name__):
        yield Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        ("query", 400, "must be a whole number"),
        ("conflict", 409, "Asha saved r42"),
        ("large", 413, "300 MB"),
        ("way", 404, '<a class="btn btn-sm btn-primary" href="/last">Go to the last cycle</a>'),
        ("http404", 404, "Nothing is here"),
        ("denied", 403, "Not today."),
        ("toobig", 413, "The text in the form is larger than this installation takes (32 MiB)"),
        ("files", 413, "More than 2,000 files were sent at once"),
        ("fields", 413, "The form has more than 5,000 fields"),
    ],
)
def test_page(browser, name, status, sentence):
    response = browser.get(f"/boom/{name}")
    assert response.status_code == status
    assert sentence in response.content.decode()
    assert "secret detail" not in response.content.decode()
    assert_strict_csp(response.content)


def test_a_failure_of_ours_has_a_number_that_the_log_has_too(browser, caplog):
    with caplog.at_level(logging.ERROR):
        response = browser.get("/boom/broken")
    page = response.content.decode()
    number = page.split("under the number ")[1].split(".")[0]
    assert response.status_code == 500
    assert "boom" not in page
    assert any(number in record.getMessage() and record.exc_info for record in caplog.records)


def test_htmx_gets_a_fragment_and_the_words_in_a_header(browser):
    response = browser.get("/boom/conflict", headers={"HX-Request": "true"})
    assert response.status_code == 409
    assert unquote(response["X-Problem"]) == "Asha saved r42 — 名."
    assert "<html" not in response.content.decode()
