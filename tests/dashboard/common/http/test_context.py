"""Theme, density and motion of pages: chosen by the reader, rendered by the server."""

from __future__ import annotations


class TestLooks:
    def test_are_rendered_by_the_server(self, viewer):
        viewer.post("/look", {"theme": "dark", "density": "roomy", "motion": "off"})
        page = viewer.get("/account/").content.decode()
        assert '<html lang="en" data-theme="dark" data-density="roomy" data-motion="off">' in page

    def test_system_forgets(self, viewer):
        viewer.post("/look", {"theme": "dark"})
        viewer.post("/look", {"theme": "system"})
        assert '<html lang="en">' in viewer.get("/account/").content.decode()

    def test_odd_values_are_refused_and_odd_cookies_ignored(self, viewer):
        assert viewer.post("/look", {"theme": '"><script>'}).status_code == 400
        viewer.cookies["look_theme"] = "pink"
        assert '<html lang="en">' in viewer.get("/account/").content.decode()
