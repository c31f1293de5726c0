"""A review as a Markdown file: what was decided, by whom, why and of which run, for where no link can be followed."""

from __future__ import annotations

import re
from datetime import UTC
from typing import TYPE_CHECKING

from dashboard.review import links, queries, threads
from dashboard.review.deciding.rules import approval_of
from dashboard.review.deciding.verdicts import verdicts_of
from dashboard.review.findings.run import findings_of
from dashboard.review.models import VerdictKind
from dashboard.runs.list.lines import line_of
from scheduler_core import ENGINE_VERSION
from scheduler_core.compare.report import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from dashboard.accounts.models import Member, User
    from dashboard.review.models import Review
    from dashboard.runs.models import Run

THREADS_WRITTEN = 500
# Code, in which nothing means anything: fenced blocks and spans within a line.
_CODE = re.compile(r"(^```.*?^```[^\n]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_OTHER_LINK = re.compile(r"\]\((?=\s*(?!https?://|/)\S)|\]:(?=\s*(?!https?://|/)\S)")


def as_markdown(member: Member, run: Run, origin: str) -> str:
    """Return the record of a run's review; `origin` is the site's address, before every link."""
    return "\n".join(_lines(member, run, origin)) + "\n"


def quoted(text: str) -> Iterator[str]:
    """Yield a text of somebody's as a quotation: its Markdown stays, but no HTML, image or script gets through."""
    parts = _CODE.split(text)
    harmless = "".join(part if i % 2 else _harmless(part) for i, part in enumerate(parts))
    for line in harmless.splitlines() or [""]:
        yield f"> {line}".rstrip()


def _harmless(text: str) -> str:
    return _OTHER_LINK.sub(lambda match: f"]\\{match[0][1:]}", text.replace("<", "\\<").replace("![", "!\\["))


# ---------------------------------------------------------------- parts


def _lines(member: Member, run: Run, origin: str) -> Iterator[str]:
    slug = member.workspace.slug
    review = queries.review_of(run)
    title = review.title if review and review.title else run.name or f"Run {run.number}"
    yield f"# Review: {escaped(title)}"
    yield ""
    yield from _head(run, review, f"{origin}{links.run_url(slug, run.number)}")
    if review and review.description:
        yield from ("", "## What to look at", "", *quoted(review.description))
    yield from _verdicts(member, run, review)
    yield from _findings(run, slug, origin)
    yield from _threads(member, run, origin)


def _head(run: Run, review: Review | None, url: str) -> Iterator[str]:
    line = line_of(run)
    yield f"- Run: [{escaped(str(run))}]({url}) of {escaped(str(run.revision))}, {line.word}"
    yield f"- Inputs: {escaped(str(line.inputs))}"
    yield f"- Recording: `{run.recording_hash or 'none yet'}`, engine `{run.engine_version or ENGINE_VERSION}`"
    if review is None:
        return
    approval = approval_of(review)
    yield f"- State: {review.get_state_display()}, {approval.text}; rule: {escaped(approval.rule)}"
    if review.is_asked:
        yield f"- Asked by {_name(review.opened_by)}, {_at(review.opened_at)}"
    if names := [_name(one) for one in review.reviewers.all()]:
        yield f"- Reviewers: {', '.join(names)}"


def _verdicts(member: Member, run: Run, review: Review | None) -> Iterator[str]:
    lines = verdicts_of(member, review) if review else []
    yield from ("", "## Verdicts", "")
    if not lines:
        yield "Nobody has given a verdict."
    for line in lines:
        one = line.one
        past = " (withdrawn)" if one.withdrawn_at else " (replaced)" if line.is_past else ""
        place = f", at event {one.seq:,} of {run.head.seq:,}" if one.seq != run.head.seq else ""
        yield f"- **{_name(one.author)}** {VerdictKind(one.kind).label}, {_at(one.given_at)}{place}{past}"
        if one.text:
            yield ""
            yield from (f"  {text}".rstrip() for text in quoted(one.text))
            yield ""


def _findings(run: Run, slug: str, origin: str) -> Iterator[str]:
    yield from ("", "## Findings", "")
    groups = findings_of(run, slug)
    if not groups:
        yield "None."
    for group in groups:
        yield f"- {group.title}"
        for one in group.findings:
            yield f"  - [{escaped(one.what)}]({origin}{one.url}): {escaped(one.more)}"
        if group.n_more:
            yield f"  - and {group.n_more:,} more"


def _threads(member: Member, run: Run, origin: str) -> Iterator[str]:
    total = threads.threads_of(run).count()
    views = threads.thread_views(member, list(threads.threads_of(run)[:THREADS_WRITTEN]))
    yield from ("", "## Threads")
    if not views:
        yield from ("", "Nobody has commented.")
    for view in views:
        about = ", ".join(filter(None, [f"Cycle {view.thread.cycle:,}", view.row.pod if view.row else "", view.pin]))
        state = f"resolved by {_name(view.thread.resolved_by)}" if view.thread.is_resolved else "open"
        yield from ("", f"### [{escaped(about)}]({origin}{view.url}) ({state})")
        for line in view.comments:
            edited = ", edited" if line.comment.edited_at else ""
            yield from ("", f"**{_name(line.comment.author)}**, {_at(line.comment.created_at)}{edited}", "")
            yield from quoted(line.comment.text)
            given = [one for one in line.reactions if one.people]
            if given:
                yield ""
                yield "; ".join(f"{one.kind.label} by {', '.join(map(escaped, one.people))}" for one in given)
    if total > len(views):
        yield from ("", f"{total - len(views):,} more threads are not written here.")


def _name(user: User | None) -> str:
    return escaped(user.label) if user else "somebody who left"


def _at(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
