"""The page of tokens: the secret is shown once, what is wrong stands at its field."""

from __future__ import annotations

from dashboard.accounts.models import AccessToken, Member
from tests.dashboard.helpers import strict_html

PAGE = "/w/team/tokens/"
FORM = {"name": "prod collector", "kind": "collect", "about": "prod", "days": "30"}


def test_a_secret_is_shown_once(owner):
    response = owner.post(f"{PAGE}make", FORM)
    assert (response.status_code, response["Location"]) == (302, PAGE)
    first = strict_html(owner.get(PAGE))
    token = AccessToken.objects.get()
    assert 'id="new-token"' in first
    secret = first.partition('id="new-token">')[2].partition("<")[0]
    assert secret.startswith(token.hint)
    assert "collect --follow http://testserver/w/team/collect/prod/" in first
    second = owner.get(PAGE).content.decode()
    assert secret not in second
    assert token.hint in second


def test_what_is_wrong_stands_at_its_field(owner):
    for field, value in (("name", ""), ("about", ""), ("about", "a\x01b"), ("days", "7")):
        strict_html(owner.post(f"{PAGE}make", {**FORM, field: value}), 422)
    owner.post(f"{PAGE}make", FORM)
    assert owner.post(f"{PAGE}make", FORM).status_code == 422
    assert AccessToken.objects.count() == 1


def test_a_token_is_revoked_and_shown_among_those_that_ended(owner):
    owner.post(f"{PAGE}make", FORM)
    token = AccessToken.objects.get()
    assert owner.post(f"{PAGE}{token.pk}/revoke").status_code == 302
    page = owner.get(PAGE).content.decode()
    assert "revoked" in page
    assert owner.post(f"{PAGE}{token.pk}/revoke").status_code == 404


def test_a_token_whose_maker_left_is_marked_and_can_be_taken_over(owner, editor):
    owner.post(f"{PAGE}make", FORM)
    owner.get(PAGE)
    AccessToken.objects.update(made_by=editor.user)
    Member.objects.filter(user=editor.user).delete()
    page = strict_html(owner.get(PAGE))
    assert "count-hot" in page
    token = AccessToken.objects.get()
    assert owner.post(f"{PAGE}{token.pk}/take-over").status_code == 302
    assert "count-hot" not in owner.get(PAGE).content.decode().partition('<nav class="tabs"')[2].partition("</nav>")[0]
