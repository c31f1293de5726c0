"""The states of the review pages: lists, asking, the page of a review with its threads, verdicts and people."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import Page, expect

from dashboard.accounts.models import Role
from dashboard.review import actions
from dashboard.review.reading.attention import set_muted
from dashboard.runs.keeping.actions import keep_as_draft
from tests.gallery import more_reviews
from tests.gallery.review_rows import ReviewRows, written
from tests.gallery.steps import CUT_OFF, REFUSED, button, click, sees, then, types

if TYPE_CHECKING:
    from tests.browser.team import Team

State = Callable[[ReviewRows], Page]
RUN = "runs/1/review/"


def rows(team: Team) -> ReviewRows:
    """Write what the pages show."""
    return written(team)


# ---------------------------------------------------------------- steps from one state to another


def at(path: str, user: str = "mara") -> State:
    """Return a function that opens a page of the workspace."""
    return lambda all_rows: all_rows.open(path, user)


def review_of(name: str, more: str = "", user: str = "mara") -> State:
    """Return a function that opens the page of a review."""
    return lambda all_rows: all_rows.open(all_rows.review(name) + more, user)


def chosen(finding: str) -> Callable[[Page], None]:
    """Return a step: to choose the first finding with this text."""

    def choose(page: Page) -> None:
        page.locator("#findings .rv-find", has_text=finding).first.click()
        expect(page.locator("#evidence[data-finding]:not([data-finding=''])")).to_be_visible()
        expect(page.locator("#evidence .skeleton")).to_have_count(0)
        page.mouse.move(0, 0)

    return choose


def thread_of(name: str, *steps: Callable[[Page], object], user: str = "mara", answers: str = "") -> State:
    """Return a function that opens a thread at the side of its evidence."""

    def show(all_rows: ReviewRows) -> Page:
        thread = all_rows.threads[name]
        assert thread.run is not None
        path = f"runs/{thread.run.number}/review/?thread={thread.pk}#thread-{thread.pk}"
        page = all_rows.open(path, user, answers) if answers else all_rows.open(path, user)
        expect(page.locator(f"#thread-{thread.pk}")).to_be_visible()
        for step in steps:
            step(page)
        return page

    return show


FIRST = "#anchored article.thread, article.thread"
EFFECT = sees(".rv-effect.is-loaded dl")


# ---------------------------------------------------------------- states of their own


def list_empty(all_rows: ReviewRows) -> Page:
    """A workspace in which nobody has reviewed anything."""
    return all_rows.quiet.open(all_rows.people["mara"], "/w/quiet/reviews/")


def nothing_waits(all_rows: ReviewRows) -> Page:
    """Somebody who came after everything was written has nothing unread."""
    all_rows.people["noor"] = all_rows.team.join("Noor Haddad", Role.VIEWER)
    page = all_rows.open("reviews/?show=waiting", "noor")
    expect(page.locator("#reviews")).to_contain_text("Nothing waits for you")
    return page


def home_empty(all_rows: ReviewRows) -> Page:
    """Its first page, where nothing waits."""
    return all_rows.quiet.open(all_rows.people["mara"], "/w/quiet/")


def asking(name: str) -> State:
    """Return a function that opens the form that asks for a review of something."""

    def show(all_rows: ReviewRows) -> Page:
        cluster = all_rows.draft.cluster.slug
        query = {
            "comparison": f"a={all_rows.first.number}&b={all_rows.branch.number}",
            "draft": f"cluster={cluster}&draft={all_rows.draft.pk}",
            "revision": f"cluster={cluster}&revision={all_rows.revision.number}",
            "configuration": f"configuration={all_rows.config.config.slug}&revision={all_rows.config.number}",
        }[name]
        return all_rows.open(f"reviews/new/?{query}")

    return show


def effect_waits(all_rows: ReviewRows) -> Page:
    """The effect of a configuration while a worker computes it."""
    page = all_rows.open(all_rows.review("effect"), answers="tests.gallery.answers.waiting")
    expect(page.locator("#findings .answer-note")).to_be_visible()
    return page


def suggestion_taken(all_rows: ReviewRows) -> Page:
    """A suggestion that somebody took into a draft."""
    keep_as_draft(all_rows.member("mara"), all_rows.branch, "With a budget for batch")
    return thread_of("suggested", EFFECT, sees(".rv-effect", "into draft"))(all_rows)


def muted(all_rows: ReviewRows) -> Page:
    """A review that its reader mutes."""
    member = all_rows.member("lin")
    set_muted(member, all_rows.reviews["comparison"], True)
    return all_rows.open(all_rows.review("comparison"), "lin")


def draft_thread(all_rows: ReviewRows) -> Page:
    """The field of a changed object with its thread."""
    before = all_rows.reviews["draft before"]
    finding = before.threads.get().finding
    page = all_rows.open(f"{all_rows.review('draft before')}?finding={finding}")
    expect(page.locator("#evidence .rv-own table, #evidence .rv-own dl").first).to_be_visible()
    return page


def carried_change(all_rows: ReviewRows) -> Page:
    """A field whose thread is from the review before."""
    finding = all_rows.reviews["draft before"].threads.get().finding
    page = all_rows.open(f"{all_rows.review('draft')}?finding={finding}&show=all")
    expect(page.locator(".rv-carried")).to_contain_text("outdated")
    return page


def several_people(all_rows: ReviewRows) -> Page:
    """Others look at the same review."""
    path = all_rows.of(all_rows.review("comparison"))
    for name in ("jonas", "asha", "max"):
        all_rows.team.open(all_rows.people[name], path)
    page = all_rows.open(all_rows.review("comparison"))
    expect(page.locator("#people [data-avatars] .avatar")).to_have_count(3)
    return page


def following(all_rows: ReviewRows) -> Page:
    """Somebody is followed."""
    path = f"runs/{all_rows.first.number}/?cycle=3&tab=matrix"
    all_rows.team.open(all_rows.people["max"], all_rows.of(path))
    page = all_rows.open(path)
    page.locator("#people summary").click()
    page.locator("#people [data-follow]").click()
    expect(page.locator("#follow-bar")).to_contain_text("Following")
    return page


def pointing(all_rows: ReviewRows) -> Page:
    """Somebody points at a cell."""
    path = f"runs/{all_rows.first.number}/?cycle=3&tab=matrix"
    other = all_rows.team.open(all_rows.people["jonas"], all_rows.of(path))
    page = all_rows.open(path)
    expect(page.locator("#people [data-avatars] .avatar")).to_have_count(1)
    other.locator("[data-matrix] tbody tr[data-node] td.fc").first.hover()
    other.keyboard.press("q")
    expect(page.locator(".pointed")).to_be_visible()
    return page


def versions(all_rows: ReviewRows) -> Page:
    """What a comment said before."""
    comment = all_rows.threads["cycle"].comments.exclude(edited_at=None).get()
    return all_rows.open(f"comments/{comment.pk}/versions/")


def unread(all_rows: ReviewRows) -> Page:
    """A comment that its reader has not seen, in the run's debugger."""
    thread = all_rows.threads["cycle"]
    actions.reply(all_rows.member("jonas"), thread, "Then with 50, as @mara-lindqvist said.")
    page = all_rows.open(f"runs/{all_rows.first.number}/?cycle={thread.cycle}&tab=threads")
    expect(page.locator(".comment.is-new").first).to_be_visible()
    return page


def workbench(all_rows: ReviewRows) -> Page:
    """The threads of a draft beside what it changes."""
    page = all_rows.open(f"clusters/{all_rows.draft.cluster.slug}/drafts/{all_rows.draft.pk}/")
    expect(page.locator("#change-thread-list")).to_be_visible()
    return page


def offline(page: Page) -> None:
    """The connection goes, and somebody clicks."""
    page.context.set_offline(True)
    page.locator("#findings .rv-find").nth(1).click()
    expect(page.locator(".toast").first).to_be_visible()


def all_viewed(page: Page) -> None:
    """Each finding is marked as viewed."""
    while page.locator("#findings .rv-row:not(.is-viewed)").count():
        left = page.locator("#findings .rv-row:not(.is-viewed)").count()
        page.locator("#findings .rv-row:not(.is-viewed) .rv-tick").first.click()
        expect(page.locator("#findings .rv-row:not(.is-viewed)")).to_have_count(left - 1)


def printed(page: Page) -> None:
    """As it comes on paper."""
    page.emulate_media(media="print")


COMPLAINTS = {"offline": CUT_OFF, "ask-refused": REFUSED}
STATES: dict[str, State] = {
    "list-empty": list_empty,
    "list-all": at("reviews/?show=all"),
    "list-waiting": at("reviews/?show=waiting"),
    "list-nothing-waits": nothing_waits,
    "list-closed": at("reviews/?show=closed"),
    "list-no-match": at("reviews/?show=all&q=nothing+like+it"),
    "home-waits": at(""),
    "home-empty": home_empty,
    "ask-run": then(at("runs/4/review/"), button("Ask for a review"), sees("#ask")),
    "ask-comparison": asking("comparison"),
    "ask-draft": asking("draft"),
    "ask-revision": asking("revision"),
    "ask-configuration": asking("configuration"),
    "ask-refused": then(
        asking("configuration"), types("#ask-people", "@nobody-here"), button("Ask for a review"), sees(".note.m-error")
    ),
    "ask-changed": then(review_of("comparison"), button("Edit"), sees("#ask")),
    "close": then(review_of("comparison"), button("Close"), sees("#close-review")),
    "run-overview": at(RUN),
    "run-not-asked": at("runs/4/review/"),
    "run-as-viewer": at(RUN, "vera"),
    "run-why": then(at(RUN), chosen("batch-10"), sees("#do-this", "verified")),
    "run-preemption": then(at(RUN), chosen("db-primary-0 evicts"), sees("#inspector table")),
    "run-matrix": then(at(RUN), chosen("drawn by the seed"), sees("#inspector tr[data-node]")),
    "run-cell": then(
        at(RUN),
        chosen("drawn by the seed"),
        click("#evidence tr[data-node] td.sc"),
        sees("#cellbar .formula"),
    ),
    "run-imbalance": then(at(RUN), chosen("cpu is"), sees("#evidence-part *")),
    "run-viewed": then(at(RUN, "asha"), click(".rv-tick"), sees(".rv-row.is-viewed")),
    "run-all-viewed": then(at(RUN, "lin"), all_viewed),
    "run-nothing-to-see": at("runs/6/review/"),
    "comparison-overview": review_of("comparison"),
    "comparison-divergence": then(review_of("comparison"), chosen("Event"), sees("#evidence-part *")),
    "comparison-b": then(
        review_of("comparison"),
        chosen("Event"),
        click("#evidence .seg a:nth-child(3)"),
        sees("#inspector .insp-tabs"),
    ),
    "comparison-decided": review_of("gone"),
    "draft-field-thread": draft_thread,
    "draft-outdated": carried_change,
    "draft-approved": review_of("draft"),
    "revision-closed": review_of("revision"),
    "configuration-field": then(review_of("configuration"), chosen("scoringStrategy")),
    "configuration-effect": then(review_of("effect", user="jonas"), chosen("Event"), sees("#inspector .insp-tabs")),
    "configuration-computing": effect_waits,
    "thread-drafts": thread_of("cycle", EFFECT),
    "thread-reply": thread_of("cycle", EFFECT, types("article.thread:target .reply textarea", "Good, but")),
    "thread-mentions": thread_of(
        "cycle", EFFECT, types("article.thread:target .reply textarea", "cc @m"), sees(".mentions li")
    ),
    "thread-quote": thread_of("cycle", EFFECT, click("article.thread:target [data-quote]")),
    "thread-edit-draft": thread_of("cycle", EFFECT, click("article.thread:target .rv-draft .said-edit summary")),
    "thread-edit": thread_of("cycle", EFFECT, click("article.thread:target .said-edit summary"), user="asha"),
    "thread-versions": versions,
    "thread-suggested": thread_of("suggested", EFFECT),
    "thread-suggested-waits": thread_of("suggested", sees(".rv-effect"), answers="tests.gallery.answers.waiting"),
    "thread-suggested-failed": thread_of(
        "suggested", sees(".rv-effect [role=status]"), answers="tests.gallery.answers.failed"
    ),
    "thread-suggested-taken": suggestion_taken,
    "thread-resolved": thread_of("resolved"),
    "thread-reopened": thread_of(
        "resolved", click("article.thread:target form[action$=reopen] button"), sees(".toast")
    ),
    "thread-carried": at("runs/3/review/?show=all"),
    "thread-hostile": thread_of("hostile"),
    "thread-forty": at("runs/2/review/?page=2"),
    "thread-unread": unread,
    "thread-in-draft": workbench,
    "verdict-mine": review_of("comparison", user="jonas"),
    "attention": then(review_of("comparison", user="jonas"), click("#review-attention summary")),
    "muted": muted,
    "people": several_people,
    "people-list": then(several_people, click("#people summary")),
    "people-following": following,
    "people-pointing": pointing,
    "offline": then(at(RUN, "jonas"), offline),
    "keys": then(at(RUN, "jonas"), lambda page: page.keyboard.press("?"), sees("#keys")),
    "printed": then(review_of("comparison"), printed),
    "record-gone-printed": then(review_of("gone"), printed),
    "people-meeting": more_reviews.meeting,
    "people-meeting-waits": more_reviews.meeting_waits,
    "list-pages": more_reviews.list_pages,
    "list-last-page": then(more_reviews.list_pages, click("#reviews a[rel=next]"), sees("#reviews", "31 to")),
    "thread-outdated": more_reviews.outdated,
}
