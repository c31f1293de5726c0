"""Static files as the browser gets them."""

from __future__ import annotations

import pytest


def test_file_is_served_whole_with_type_and_length(client, settings):
    response = client.get("/static/common/favicon.svg")
    icon = (settings.BASE_DIR / "static/common/favicon.svg").read_bytes()
    assert response.status_code == 200
    assert not response.streaming
    assert response.content == icon
    assert response["Content-Type"] == "image/svg+xml"
    assert response["Content-Length"] == str(len(icon))


def test_unchanged_file_is_not_sent_again(client):
    first = client.get("/static/common/favicon.svg")
    again = client.get("/static/common/favicon.svg", headers={"If-Modified-Since": first["Last-Modified"]})
    assert again.status_code == 304
    assert again.content == b""


def test_part_of_a_file_can_be_asked_for(client):
    response = client.get("/static/common/favicon.svg", headers={"Range": "bytes=0-3"})
    assert response.status_code == 206
    assert len(response.content) == 4


@pytest.mark.parametrize("path", ["/static/../manage.py", "/static/common/%2e%2e/%2e%2e/manage.py", "/static/nothing"])
@pytest.mark.django_db
def test_nothing_else_is_served(client, path):
    assert client.get(path).status_code == 404
