"""What the field "Search and commands" asks for: hits, and what is remembered of an opened one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render

from dashboard.accounts.access import WRITE, workspace_view
from dashboard.accounts.models import Role
from dashboard.common.http.params import choice_param, text_param
from dashboard.common.problems import BadQuery
from dashboard.search import recent
from dashboard.search.answer import KINDS, SearchQuestion, search
from dashboard.search.place import place_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access

# The field takes as many letters.
MOST_LETTERS = 100
# Longer addresses are as good as none: then the whole workspace is searched.
MOST_OF_ADDRESS = 4_000


@workspace_view(Role.VIEWER)
def results(request: HttpRequest, access: Access) -> HttpResponse:
    """Return the hits for `q` as a list of options; `at` is the address of the page, `kind` shows one kind alone."""
    asked = SearchQuestion(text_param(request.GET, "q", MOST_LETTERS), choice_param(request.GET, "kind", KINDS, ""))
    address = request.GET.get("at", "")
    place = place_of(access, address if len(address) <= MOST_OF_ADDRESS else "")
    answer = search(access, place, asked, request.session)
    return render(request, "search/_results.html", {"answer": answer})


@workspace_view(Role.VIEWER, WRITE)
def opened(request: HttpRequest, access: Access) -> HttpResponse:
    """Remember for the reader's session that they opened a hit; changes nothing else."""
    ref = recent.ref_in(request.POST.get("ref", ""))
    if ref is None:
        raise BadQuery('"ref" must name something that the search found.')
    recent.remember(request.session, access, ref)
    return HttpResponse(status=204)
