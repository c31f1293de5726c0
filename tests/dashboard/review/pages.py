"""Pages of reviews."""

from __future__ import annotations


def page(person, url, **headers):
    response = person.get(url, headers=headers)
    assert response.status_code == 200
    return response.content.decode()
