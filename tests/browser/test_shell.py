"""The promises that every page keeps in a real browser."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions
from dashboard.accounts.models import User


def test_server_answers_a_real_browser(browser_page, live_server_url):
    response = browser_page.goto(f"{live_server_url}/healthz")
    assert response.status == 200
    assert json.loads(browser_page.evaluate("document.body.innerText"))["database"] == "sqlite"


def test_policy_refuses_inline_script_and_style(browser_context, live_server_url):
    page = browser_context.new_page()
    page.goto(f"{live_server_url}/healthz")
    refused = page.evaluate(
        """() => new Promise((resolve) => {
            const seen = new Set();
            document.addEventListener('securitypolicyviolation', (event) => {
                seen.add(event.effectiveDirective);
                if (seen.size === 2) resolve([...seen].sort());
            });
            const script = document.createElement('script');
            script.textContent = 'window.ranInline = true';
            document.head.append(script);
            const style = document.createElement('style');
            style.textContent = 'body { color: red }';
            document.head.append(style);
        })"""
    )
    assert refused == ["script-src-elem", "style-src-elem"]
    assert page.evaluate("window.ranInline") is None


TOAST = "async ([text, options]) => void (await pageModule('common/toast.js')).toast(text, options)"


@pytest.fixture
def signed_in_page(browser_page, live_server_url, sign_in):
    """Return the page of a workspace's settings, opened by its admin."""
    user = User.objects.create_user("asha@example.org", "Asha")
    actions.create_workspace(user, "Team", "team")
    sign_in(user)
    browser_page.goto(f"{live_server_url}/w/team/settings/")
    return browser_page


def test_the_same_toast_said_again_is_counted(signed_in_page):
    page = signed_in_page
    for _ in range(3):
        page.evaluate(TOAST, ["No connection to the server.", {"meaning": "error"}])
    expect(page.locator(".toast")).to_have_count(1)
    expect(page.locator(".toast .count")).to_have_text("3 times")


def test_toasts_lie_over_the_bars_and_not_over_the_page(signed_in_page):
    page = signed_in_page
    for number in range(4):
        page.evaluate(TOAST, [f"Saved as revision {number}", {}])
    expect(page.locator(".toast")).to_have_count(2)
    boxes = [one.bounding_box() for one in page.locator(".toast").all()]
    top_of_page = page.locator("main").bounding_box()["y"]
    assert all(box["y"] + box["height"] <= top_of_page for box in boxes)


def test_a_toast_stands_at_the_control_that_it_answers(signed_in_page):
    place = """async ([control, size]) => (await pageModule('common/toast.js'))
        .placeNear(control, size, {width: 1280, height: 800})"""
    control = {"left": 600, "right": 700, "top": 100, "bottom": 128}
    assert signed_in_page.evaluate(place, [control, {"width": 90, "height": 36}]) == {"left": 610, "top": 134}
    at_the_foot = {"left": 0, "right": 40, "top": 760, "bottom": 788}
    assert signed_in_page.evaluate(place, [at_the_foot, {"width": 90, "height": 36}]) == {"left": 6, "top": 718}


def test_the_question_before_a_run_is_stopped_names_both_answers(signed_in_page):
    page = signed_in_page
    page.evaluate(
        """() => {
            const form = document.querySelector('main form');
            Object.assign(form.dataset, {confirm: 'Stop run 5?', confirmYes: 'Stop run', confirmNo: 'Keep running'});
            form.requestSubmit();
        }"""
    )
    expect(page.locator("#confirm button")).to_have_text(["Keep running", "Stop run"])
    page.locator("#confirm [data-no]").click()
    expect(page.locator("#confirm")).to_be_hidden()


def test_what_is_missing_in_a_form_is_said_below_its_field(signed_in_page):
    page = signed_in_page
    page.fill("input[name=name]", "")
    page.click("main form button")
    said = page.locator("main .bad")
    expect(said).to_have_text("Name is missing.")
    expect(page.locator("input[name=name]")).to_be_focused()
    expect(page.locator("input[name=name]")).to_have_attribute("aria-invalid", "true")
    page.fill("input[name=name]", "T")
    expect(said).to_have_count(0)


def test_an_empty_import_marks_the_field_and_goes_there(signed_in_page, live_server_url):
    page = signed_in_page
    page.goto(f"{live_server_url}/w/team/import/")
    page.click("[data-send]")
    expect(page.locator("#import .bad")).to_contain_text("Choose files above, or paste")
    expect(page.locator("#text")).to_be_focused()
    expect(page.locator(".toast")).to_have_count(0)


def test_sign_in_says_what_is_missing_below_the_field(browser_page, live_server_url):
    page = browser_page
    page.goto(f"{live_server_url}/signin")
    page.click("form button")
    expect(page.locator(".si .bad").first).to_have_text("E-mail is missing.")
    expect(page.locator("[name=email]")).to_be_focused()
