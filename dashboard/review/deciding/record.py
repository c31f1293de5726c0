"""A review as a Markdown file: what was decided, by whom, why and of which run, for where no link can be followed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC
from hashlib import sha256
from typing import TYPE_CHECKING

from dashboard.review import links, queries, threads
from dashboard.review.deciding.rules import approval_of
from dashboard.review.findings.gathering import gathered
from dashboard.review.models import ReviewRecord, ReviewState, SubjectKind, VerdictKind
from dashboard.review.queries import VERDICT_LOOKS
from dashboard.review.writing.markdown import to_html
from dashboard.review.writing.references import references_in
from dashboard.runs.list.lines import run_line
from dashboard.runs.models import Run, State
from scheduler_core import ENGINE_VERSION
from scheduler_core.compare.report import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.utils.safestring import SafeString

    from dashboard.accounts.models import Member, User
    from dashboard.review.findings.groups import Gathered
    from dashboard.review.models import Review, Verdict

THREADS_WRITTEN = 500
GONE_NOTE = "What this review was about has been deleted since. This is the record that was kept with the decision."
# Code, in which nothing means anything: fenced blocks and spans within a line.
_CODE = re.compile(r"(^```.*?^```[^\n]*$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
# A link that a record was written with, to a run, a comparison or a review; what people wrote may look the same.
_OWN_LINK = re.compile(
    r"\[(?P<label>(?:\\.|[^\]\\\n])*)\]"
    r"\((?P<url>/w/[\w-]+/(?P<page>runs|compare|reviews)/(?:(?P<number>\d+)/)?(?P<rest>[^\s)]*))\)"
)
_OTHER_LINK = re.compile(r"\]\((?=\s*(?!https?://|/)\S)|\]:(?=\s*(?!https?://|/)\S)")


def as_markdown(member: Member, of: Run | Review, origin: str, there: Gathered | None = None) -> str:
    """Return the record of a run's review or of another one; `origin` is the site's address, before every link.

    `there` are its findings, gathered again without it. Where everything that it was about is deleted, it is what was
    kept when it was decided.
    """
    review = queries.review_of(of) if isinstance(of, Run) else of
    if review is not None and is_gone(review) and (record := review.records.first()) is not None:
        return f"{stored_text(review, record, origin)}\n{GONE_NOTE}\n"
    return "\n".join(_lines(member, of, review, origin, there or gathered(member, of))) + "\n"


def keep_record(member: Member, review: Review, there: Gathered) -> None:
    """Keep what was decided just now, as it is; nothing for a review that is open. A transaction is open."""
    if review.state == ReviewState.OPEN:
        return
    # Threads go with their run: what the record needs of a run is stored with it.
    of = review.run if review.kind == SubjectKind.RUN and review.run else review
    if not review.about:
        review.about = review.subject
        review.save(update_fields=["about"])
    ReviewRecord.objects.create(
        review=review,
        outcome=review.state,
        decided_by=member.user,
        hashes=hashes_of(review),
        text="\n".join(_lines(member, of, review, "", there)) + "\n",
    )


def stored_text(review: Review, record: ReviewRecord, origin: str = "") -> str:
    """Return the text of a record whose review is gone: what its links led to and is deleted is not linked any more."""
    there = {run.number for run in queries.runs_of(review)}
    deleted = {what.removeprefix("run ") for what, _ in record.hashes if what.startswith("run ")} - set(map(str, there))

    def linked(match: re.Match[str]) -> str:
        named = {match["number"], *re.findall(r"(?:^|[?&][ab]=)(\d+)", match["rest"])}
        gone = {str(review.number)} if match["page"] == "reviews" else deleted
        return f"[{match['label']}]({origin}{match['url']})" if named.isdisjoint(gone) else match["label"]

    return _OWN_LINK.sub(linked, record.text)


def is_gone(review: Review) -> bool:
    """Return whether something that the review was about has been deleted, or is being deleted."""
    runs = {
        SubjectKind.RUN: (review.run,),
        SubjectKind.COMPARISON: (review.run, review.other_run),
    }.get(SubjectKind(review.kind), ())
    if any(run is None or run.state == State.DELETING for run in runs):
        return True
    return review.kind == SubjectKind.CLUSTER and review.revision is None and "changes" not in review.proposal


def hashes_of(review: Review) -> list[list[str]]:
    """Return [what, hash] of everything that the review is about: recordings, revisions, texts."""
    hashes = [[f"run {run.number}", run.recording_hash or "no recording hash yet"] for run in queries.runs_of(review)]
    hashes += [[str(one), one.sha256] for one in (review.base, review.revision) if one is not None]
    if "digest" in review.proposal:
        hashes.append(["draft as it was put up for review", review.proposal["digest"]])
    for side in ("before", "after"):
        if f"{side}_text" in review.proposal:
            text = review.proposal[f"{side}_text"]
            hashes.append([review.proposal[f"{side}_label"], sha256(text.encode()).hexdigest()])
    return hashes


def quoted(text: str) -> Iterator[str]:
    """Yield a text of somebody's as a quotation: its Markdown stays, but no HTML, image or script gets through."""
    parts = _CODE.split(text)
    harmless = "".join(part if i % 2 else _harmless(part) for i, part in enumerate(parts))
    for line in harmless.splitlines() or [""]:
        yield f"> {line}".rstrip()


def _harmless(text: str) -> str:
    return _OTHER_LINK.sub(lambda match: f"]\\{match[0][1:]}", text.replace("<", "\\<").replace("![", "!\\["))


# ---------------------------------------------------------------- parts


def _lines(member: Member, of: Run | Review, review: Review | None, origin: str, there: Gathered) -> Iterator[str]:
    slug = member.workspace.slug
    title = str(of.name or f"Run {of.number}") if isinstance(of, Run) else of.subject
    yield f"# Review: {escaped(review.title if review and review.title else title)}"
    yield ""
    runs = [of] if isinstance(of, Run) else queries.runs_of(of)
    for run in runs:
        yield from _run_lines(run, f"{origin}{links.run_url(slug, run.number)}")
    if review is not None and not isinstance(of, Run) and review.kind != SubjectKind.COMPARISON:
        yield f"- About: {escaped(review.subject)}"
        yield from (f"- Hash of {escaped(what)}: `{value}`" for what, value in hashes_of(review))
    if review is not None:
        yield from _decision(review)
        if review.description:
            yield from ("", "## What to look at", "", *quoted(review.description))
    yield from _verdicts(member, of, review)
    yield from _findings(there, origin)
    yield from _threads(member, of, origin)


def _run_lines(run: Run, url: str) -> Iterator[str]:
    line = run_line(run)
    yield f"- Run: [{escaped(str(run))}]({url}) of {escaped(str(run.revision))}, {line.word}"
    yield f"- Inputs: {escaped(str(line.inputs))}"
    yield f"- Recording: `{run.recording_hash or 'none yet'}`, engine `{run.engine_version or ENGINE_VERSION}`"


def _decision(review: Review) -> Iterator[str]:
    approval = approval_of(review)
    yield f"- State: {review.get_state_display()}, {approval.text}; rule: {escaped(approval.rule)}"
    if review.is_asked:
        yield f"- Asked by {_name(review.opened_by)}, {_at(review.opened_at)}"
    if review.decided_at:
        yield f"- Decided {_at(review.decided_at)}"
    if names := [_name(one) for one in review.reviewers.all()]:
        yield f"- Reviewers: {', '.join(names)}"
    if review.closed_at:
        yield from (f"- Closed by {_name(review.closed_by)}, {_at(review.closed_at)}:", "")
        yield from quoted(review.closing_text)


def _verdicts(member: Member, of: Run | Review, review: Review | None) -> Iterator[str]:
    lines = verdicts_of(member, review) if review else []
    run = of if isinstance(of, Run) else None
    yield from ("", "## Verdicts", "")
    if not lines:
        yield "Nobody has given a verdict."
    for line in lines:
        one = line.one
        past = " (withdrawn)" if one.withdrawn_at else " (replaced)" if line.is_past else ""
        place = f", at event {one.seq:,} of {run.head.seq:,}" if run and one.seq != run.head.seq else ""
        yield f"- **{_name(one.author)}** {VerdictKind(one.kind).label}, {_at(one.given_at)}{place}{past}"
        if one.text:
            yield ""
            yield from (f"  {text}".rstrip() for text in quoted(one.text))
            yield ""


def _findings(there: Gathered, origin: str) -> Iterator[str]:
    yield from ("", "## Findings", "")
    if there.note:
        yield f"{'Not complete when this was written: ' if there.is_waiting else ''}{escaped(there.note)}."
        yield ""
    if not there.groups and not there.note:
        yield "None."
    for group in there.groups:
        yield f"- {escaped(group.title)}"
        for one in group.findings:
            what = f"[{escaped(one.what)}]({origin}{one.url})" if one.url else escaped(one.what)
            yield f"  - {what}: {escaped(one.more)}"
        if group.n_more:
            yield f"  - and {group.n_more:,} more"


def _threads(member: Member, of: Run | Review, origin: str) -> Iterator[str]:
    total = threads.threads_of(of).count()
    views = threads.thread_views(member, list(threads.threads_of(of)[:THREADS_WRITTEN]))
    yield from ("", "## Threads")
    if not views:
        yield from ("", "Nobody has commented.")
    for view in views:
        run = "" if isinstance(of, Run) or view.thread.run is None else f"run {view.thread.run.number}"
        about = ", ".join(filter(None, [run, view.about]))
        state = f"resolved by {_name(view.thread.resolved_by)}" if view.thread.is_resolved else "open"
        yield from ("", f"### [{escaped(about[0].upper() + about[1:])}]({origin}{view.url}) ({state})")
        if view.thread.fact:
            yield from ("", escaped(view.thread.fact))
        for line in view.comments:
            edited = ", edited" if line.comment.edited_at else ""
            yield from ("", f"**{_name(line.comment.author)}**, {_at(line.comment.created_at)}{edited}", "")
            yield from quoted(line.comment.text)
            if number := line.comment.suggested_number:
                yield from ("", f"Suggests the branch run {number}.")
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


# ---------------------------------------------------------------- verdicts


@dataclass(frozen=True)
class VerdictLine:
    """A verdict with its words as HTML."""

    one: Verdict
    html: SafeString

    @property
    def look(self) -> tuple[str, str]:
        """Return (meaning, glyph)."""
        return VERDICT_LOOKS[self.one.kind]

    @property
    def is_past(self) -> bool:
        """Return whether it was withdrawn or replaced."""
        return not self.one.stands and self.one.kind != VerdictKind.COMMENT


def verdicts_of(member: Member, review: Review, limit: int = 100) -> list[VerdictLine]:
    """Return the newest verdicts, newest first; withdrawn and replaced ones among them."""
    newest = list(review.verdicts.select_related("author").order_by("-given_at", "-id")[:limit])
    references = references_in((one.text for one in newest), member, review.run)
    return [VerdictLine(verdict, to_html(verdict.text, references)) for verdict in newest]
