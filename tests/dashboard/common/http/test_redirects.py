"""Which addresses from outside are gone to, and which page htmx asks from."""

from __future__ import annotations

import pytest
from django.http import HttpResponseRedirect
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st

from dashboard.common.http.redirects import LONGEST_ADDRESS, current_page, own_address

OTHERWISE = "/w/team/"


def address_for(address, below="", *, secure=False):
    return own_address(RequestFactory().get("/", secure=secure), address, OTHERWISE, below)


@pytest.mark.parametrize(
    "address", ["/", "/w/team/runs/?page=2#top", "/w/t\u00e9am/", "http://testserver/w/team/", "/w/team:runs", "/a.b"]
)
def test_whole_addresses_of_this_site_are_gone_to(address):
    assert address_for(address) == address


@pytest.mark.parametrize(
    "address",
    [
        *("", "foo", "runs:list", "a.b", "a/b", "./a", "../a", "?page=2", "#top", " /w/team/"),
        *(
            "//",
            "/\\",
            "//evil.example/",
            "/\\evil.example/",
            "\\/evil.example",
            "///evil.example",
            "/\t/evil.example/",
        ),
        *("http://evil.example/", "https:evil.example", "http:///evil.example", "http://[", "//["),
        *("javascript:alert(1)", "data:text/html,x", "mailto:a@b.example", "/" + "a" * LONGEST_ADDRESS),
    ],
)
def test_others_are_not(address):
    assert address_for(address) == OTHERWISE


def test_a_site_that_came_by_https_leads_to_no_page_without():
    assert address_for("http://testserver/w/team/", secure=True) == OTHERWISE
    assert address_for("https://testserver/w/team/", secure=True) == "https://testserver/w/team/"


def test_an_address_may_have_to_be_below_another():
    assert address_for("/w/team/clusters/prod/nodes/", "/w/team/clusters/prod/") == "/w/team/clusters/prod/nodes/"
    assert address_for("/w/team/clusters/test/nodes/", "/w/team/clusters/prod/") == OTHERWISE


@given(st.text(st.sampled_from("/\\.:?#@[]%ah \t\n\0\u00e9"), max_size=12))
def test_whatever_is_sent_gives_a_redirect_to_this_site(address):
    to = HttpResponseRedirect(address_for(address))["Location"]
    assert to.startswith(("/", "http://testserver"))
    assert not to.startswith(("//", "/\\"))


@pytest.mark.parametrize(
    ("named", "path", "query"),
    [
        ("http://testserver/w/team/?q=1", "/w/team/", "q=1"),
        ("http://[", "", ""),
        ("", "", ""),
    ],
)
def test_the_page_that_htmx_names(named, path, query):
    page = current_page(RequestFactory().get("/", headers={"HX-Current-URL": named}))
    assert (page.path, page.query) == (path, query)
    assert current_page(RequestFactory().get("/")).path == ""
