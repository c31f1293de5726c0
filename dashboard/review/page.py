"""Everything that the page of a review shows, gathered once per request."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dashboard.accounts.models import Role
from dashboard.common.http.origins import site_address
from dashboard.common.http.params import choice_param, int_param, optional_int, text_param
from dashboard.common.pages.pagination import paginate
from dashboard.review import actions, links, queries, threads
from dashboard.review.deciding.record import is_gone, stored_text, verdicts_of
from dashboard.review.deciding.rules import MOST_APPROVALS, ROLES, approval_of
from dashboard.review.deciding.verdicts import may_close
from dashboard.review.drafts.queries import draft_lines
from dashboard.review.feed import topics_shown
from dashboard.review.findings.changes import change_url
from dashboard.review.findings.evidence import evidence_of, evidence_of_thread
from dashboard.review.findings.viewing import finding_walk
from dashboard.review.models import FIELD_LENGTH, FINDING_LENGTH, TITLE_LENGTH, Review, ReviewState, VerdictKind
from dashboard.review.pins.carried_fields import carried_to_review
from dashboard.review.pins.carrying import carried_to
from dashboard.review.reading.attention import is_muted
from dashboard.review.request_form import RequestFields
from dashboard.review.suggesting.effect import branch_choices, choices_beside
from dashboard.review.writing.markdown import NONE, to_html
from dashboard.review.writing.people import people_of
from dashboard.review.writing.references import references_in
from dashboard.review.writing.text import TEXT_LIMIT
from dashboard.runs.list import lines as listing
from dashboard.runs.models import Run

if TYPE_CHECKING:
    from django.http import HttpRequest

    from dashboard.accounts.access import Access
    from dashboard.common.pages.pagination import Page
    from dashboard.review.findings.evidence import Evidence
    from dashboard.review.findings.viewing import FindingWalk
    from dashboard.review.models import Thread
    from dashboard.review.pins.carried_fields import CarriedThread
    from dashboard.review.place import ReviewPlace
    from dashboard.review.suggesting.effect import BranchChoice
    from dashboard.review.threads import ThreadView
    from dashboard.review.writing.people import Person

THREADS_PER_PAGE = 20
HERE, OPEN, RESOLVED, ALL = "here", "open", "resolved", "all"
THREADS_SHOWN = (HERE, OPEN, RESOLVED, ALL)
# What of a thing in the evidence a comment names besides its cycle.
PINS = ("kind", "seq", "point", "plugin", "node", "pod", "uid")


class ReviewPage:
    """The page at the address that a request names."""

    def __init__(self, request: HttpRequest, access: Access, place: ReviewPlace):
        self.request = request
        self.access = access
        self.place = place
        self.review = place.review

    # ---------------------------------------------------------------- what is chosen

    @cached_property
    def walk(self) -> FindingWalk:
        """The findings with the reader's marks."""
        return finding_walk(self.access.member, self.place.of)

    @cached_property
    def thread(self) -> Thread | None:
        """The thread that ?thread= names."""
        number = optional_int(self.request.GET, "thread")
        return queries.find_thread(self.access.workspace, number) if number is not None else None

    @cached_property
    def evidence(self) -> Evidence | None:
        """The evidence of the finding or thread that is chosen, None for the overview."""
        if self.thread is not None:
            view = threads.thread_views(self.access.member, [self.thread])[0]
            finding = self.walk.finding(self.thread.finding) if self.thread.finding else None
            return evidence_of_thread(self.place.of, view, finding)
        key = text_param(self.request.GET, "finding", FINDING_LENGTH)
        finding = self.walk.finding(key) if key else None
        if finding is None:
            return None
        return evidence_of(self.place.of, finding, int_param(self.request.GET, "panel", 0, low=0, high=9))

    @cached_property
    def field(self) -> str:
        """The field of a diff that a new comment is about."""
        return text_param(self.request.GET, "field", FIELD_LENGTH)

    # ---------------------------------------------------------------- threads

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many threads there are by what can be shown."""
        of = self.place.of
        n_all, n_open = threads.threads_of(of).count(), sum(self.places.values())
        here = self._here().count() if self.evidence is not None else 0
        return {HERE: here, OPEN: n_open, RESOLVED: n_all - n_open, ALL: n_all}

    @cached_property
    def show(self) -> str:
        """Which threads are listed."""
        if self.thread is not None and "show" not in self.request.GET:
            return ALL
        first = OPEN
        if self.counts[HERE]:
            first = HERE
        elif isinstance(self.place.of, Run) and queries.has_unread_resolved(self.access.member, self.place.of):
            first = ALL
        return choice_param(self.request.GET, "show", THREADS_SHOWN, first)

    @cached_property
    def places(self) -> dict[str, int]:
        """How many open threads there are by place: the findings show them."""
        return threads.counts_by_place(self.place.of)

    def _here(self) -> Any:
        assert self.evidence is not None
        return threads.about_these(threads.threads_of(self.place.of), self.evidence.cycles, self.evidence.key)

    @cached_property
    def page(self) -> Page[Thread]:
        """One page of the threads."""
        query = self.request.GET.copy()
        if self.show == HERE:
            listed = self._here() if self.evidence is not None else threads.threads_of(self.place.of).none()
        else:
            listed = threads.threads_of(self.place.of, show=self.show)
        if self.thread is not None and self.show == ALL and "page" not in query:
            query["page"] = str(threads.page_of(self.place.of, self.thread, THREADS_PER_PAGE, self.show))
        return paginate(listed, query, size=THREADS_PER_PAGE)

    def _seen(self) -> list[ThreadView]:
        """The page's threads as the reader has not seen them yet, who has now."""
        views = threads.thread_views(self.access.member, self.page.items)
        actions.mark_read(self.access.member, [view.thread for view in views])
        return views

    def _carried(self) -> list[CarriedThread]:
        """Open threads of earlier runs or reviews of the same, after the last page of one's own."""
        of = self.place.of
        if self.is_gone or self.show not in (OPEN, ALL) or self.page.has_next:
            return []
        return carried_to(self.access.member, of) if isinstance(of, Run) else carried_to_review(self.access.member, of)

    # ---------------------------------------------------------------- context

    def around(self) -> dict[str, Any]:
        """The template context of a review's page apart from findings, evidence and threads."""
        return self._frame() | self._about()

    def _frame(self) -> dict[str, Any]:
        """What every part of the page knows."""
        run = self.place.of if isinstance(self.place.of, Run) else None
        return {
            "urls": self.place.urls,
            "topics": " ".join(topics_shown(run, self.review)),
            "run": run,
            "review": self.review,
            "counts": self.counts,
            "text_limit": TEXT_LIMIT,
            "is_gone": self.is_gone,
            "drafts": draft_lines(self.access.member, self.place.of),
        }

    def context(self, *, is_part: bool, has_all: bool) -> dict[str, Any]:
        """The context of the page or of a part of it, one of the threads alone where it has not all."""
        context = {
            **self._frame(),
            "place": self.place,
            "runs": self.place.runs,
            "evidence": self.evidence,
            "chosen": self.evidence.key if self.evidence else "",
            "page": self.page,
            "threads": self._seen(),
            "carried": self._carried(),
            "branch_choices": self._branch_choices(),
            "suggest": optional_int(self.request.GET, "suggest"),
            "show": self.show,
            "places": json.dumps(self.places),
            "origin": site_address(self.request),
            "here": self._here_url(),
            "selection": self._selection(),
            "composer": self._composer(),
            "composer_pins": PINS,
            "is_part": is_part,
        }
        if has_all:
            context["walk"] = self.walk
            context |= self._about()
        return context

    @cached_property
    def is_gone(self) -> bool:
        """Whether something that the review is about has been deleted."""
        return self.review is not None and is_gone(self.review)

    def _branch_choices(self) -> list[BranchChoice]:
        """Which branches a comment can suggest; a viewer writes none."""
        of = self.place.of
        if not self.access.member.may(Role.REVIEWER):
            return []
        return branch_choices([of]) if isinstance(of, Run) else choices_beside(of)

    def _composer(self) -> dict[str, Any]:
        """Where a comment goes: to the first cycle that the evidence is about, or to a finding without one, or to a
        cycle that is typed."""
        by_key = {run.pk: run for run in self.place.runs}
        cycles = self.evidence.cycles if self.evidence is not None else ()
        run_key, cycle = cycles[0] if cycles else (0, 0)
        finding = self.evidence.key if self.evidence is not None and not cycles else ""
        run = by_key.get(run_key) or next(iter(by_key.values()), None)
        return {"run": run, "cycle": cycle, "finding": finding, "field": self.field if finding else ""}

    def _selection(self) -> str:
        """The part of the query that names what is chosen."""
        if self.thread is not None:
            return f"thread={self.thread.pk}&"
        return f"finding={self.evidence.key}&panel={self.evidence.at}&" if self.evidence is not None else ""

    def _here_url(self) -> str:
        return f"{self.request.path}?{self._selection()}show={self.show}&page={self.page.number}"

    def _about(self) -> dict[str, Any]:
        """What stands around the threads: state, verdicts, outcome."""
        review, of = self.review, self.place.of
        run = self.place.runs[0] if self.place.runs else None
        verdicts = verdicts_of(self.access.member, review) if review else []
        standing = [line for line in verdicts if line.one.stands and line.one.kind != VerdictKind.COMMENT]
        described = review.description if review else ""
        references = references_in([described], self.access.member, run) if described else NONE
        record = review.records.first() if review else None
        people = self._reviewers(review) if review else []
        return {
            "look": queries.STATE_LOOKS[review.state] if review else None,
            "subject": str(of) if isinstance(of, Run) else of.subject,
            "description": to_html(described, references) if described else "",
            "verdicts": verdicts,
            "standing": standing,
            "my_verdict": next((line for line in standing if line.one.author_id == self.access.user.pk), None),
            "lines": [listing.run_line(one) for one in self.place.runs],
            "turn": queries.turn(review) if review else "",
            "is_my_turn": review is not None and self._is_my_turn(review),
            "approval": approval_of(review) if review else None,
            "is_muted": review is not None and is_muted(self.access.member, review),
            "may_close": review is not None and not self.is_gone and may_close(self.access.member, review),
            "record": record,
            "record_look": queries.STATE_LOOKS[record.outcome] if record else None,
            "record_html": to_html(stored_text(review, record), NONE) if review and record and self.is_gone else "",
            "change_url": change_url(of, self.access.workspace.slug) if isinstance(of, Review) else "",
            "review_name": f"Review {of.number}",
            "rule_roles": ROLES,
            "most_approvals": MOST_APPROVALS,
            "reviewers": people,
            "fields": RequestFields.of(review, people),
            "kinds": VerdictKind,
            "title_length": TITLE_LENGTH,
            "run_name": (of.name or f"Run {of.number}") if isinstance(of, Run) else "",
            "run_url": links.run_url(self.access.workspace.slug, of.number) if isinstance(of, Run) else "",
        }

    def _is_my_turn(self, review: Review) -> bool:
        """Whether the reader's verdict is requested, or changes by them."""
        member = self.access.member
        if review.state == ReviewState.CHANGES:
            return queries.owner_id(review) == member.user_id
        return member.may(Role.REVIEWER) and queries.asked_of(member).filter(pk=review.pk).exists()

    def _reviewers(self, review: Review) -> list[Person]:
        """Whom the review asks by name, as far as they are still here."""
        asked = {user.pk for user in review.reviewers.all()}
        people = people_of(self.access.workspace).values() if asked else ()
        return [one for one in people if one.user.pk in asked]
