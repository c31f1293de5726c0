"""The promises that every page keeps in a real browser."""

from __future__ import annotations


def test_server_answers_a_real_browser(browser_page, live_server_url):
    response = browser_page.goto(f"{live_server_url}/healthz")
    assert response.status == 200
    assert browser_page.evaluate("document.body.innerText").strip() == '{"status": "ok", "database": "sqlite"}'


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
