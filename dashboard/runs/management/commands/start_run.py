"""Imports files as a cluster's next revision and starts a run of it, for scripts and schedules."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from django.core.management.base import BaseCommand, CommandError

from dashboard.accounts.models import Member, Role
from dashboard.clusters.importing import reading, saving
from dashboard.clusters.importing.intake import mask_uploads
from dashboard.clusters.models import Cluster, Revision
from dashboard.clusters.revisions import actions as clusters
from dashboard.clusters.uploads.opening import Upload
from dashboard.common.pages import numbers
from dashboard.common.problems import Problem
from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.documents.extenders.actions import rules_in, tape_in
from dashboard.documents.timelines.actions import save_timeline
from dashboard.runs.actions import Launch, create_run
from dashboard.runs.models import ENDED, Run, Schedule, State
from dashboard.runs.progress import read_progress
from scheduler_core.explain.agreement import scheduler_events
from scheduler_core.simulate import Policies

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Mapping

    from dashboard.documents.extenders.answering import ExtenderAnswers
    from dashboard.documents.models import ConfigRevision, TimelineRevision

POLL_SECONDS = 0.1
ERASE_LINE = "\r\x1b[K"


class Command(BaseCommand):
    """manage.py start_run FILES... [--cluster NAME] [--schedule all] [--seed N] [--wait SECONDS]."""

    help = "Import files as a cluster's next revision, start a run of it and print it as one line of JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("files", nargs="+", metavar="FILE", help="YAML or JSON, gzip too")
        parser.add_argument("--cluster", default="imported", help="the cluster that gets the revision")
        parser.add_argument("--workspace", default="", help="its address; default: the only one")
        parser.add_argument("--email", default="", help="who starts the run; default: an admin of the workspace")
        parser.add_argument("--config", default="", metavar="FILE", help="a KubeSchedulerConfiguration")
        parser.add_argument(
            "--leave-out-unknown",
            action="store_true",
            help="go without plugins and extenders of the configuration that are not installed here",
        )
        answers = parser.add_mutually_exclusive_group()
        answers.add_argument(
            "--tape", default="", metavar="FILE", help="a tape that answers for the extenders of the configuration"
        )
        answers.add_argument(
            "--declared-extender", default="", metavar="FILE", help="rules in YAML that answer for them instead"
        )
        others = parser.add_mutually_exclusive_group()
        others.add_argument(
            "--serve-others",
            default="",
            metavar="PROFILE",
            help="decide pods of other schedulers as pods of this profile",
        )
        others.add_argument(
            "--others-bound",
            action="store_true",
            help="with --schedule all: such pods stay on the nodes that the files bind them to",
        )
        parser.add_argument("--preset", default="", metavar="NAME", help="a ready configuration with its policies")
        parser.add_argument(
            "--kubernetes", default="", metavar="VERSION", help="a train or a patch; default: what the cluster runs"
        )
        parser.add_argument(
            "--feature-gates", default="", metavar="NAME=true,...", help="gates that are not as usual in that version"
        )
        parser.add_argument("--timeline", default="", metavar="FILE", help="what happens when")
        parser.add_argument("--schedule", default=Schedule.ALL, choices=["pending", "all"])
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--policy", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
        parser.add_argument("--background", action="store_true", help="let short runs go first")
        parser.add_argument(
            "--keep-values",
            action="store_true",
            help="store environment variables, arguments and secret-looking annotations as they are; default: masked",
        )
        parser.add_argument("--wait", type=float, default=0.0, metavar="SECONDS", help="wait for the end so long")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print {"run", "state", "hash", ...}; exit status 1 if the run failed or did not end in time."""
        try:
            run = self._start(options)
        except (Problem, OSError) as error:
            raise CommandError(str(error)) from error
        run = self._waited(run, options["wait"])
        self.stdout.write(json.dumps(_described(run)))
        if options["wait"] and run.state != State.FINISHED:
            raise CommandError(f"run {run.number} is {run.state}. {run.error}".strip())

    def _start(self, options: dict[str, Any]) -> Run:
        member = _member(options["workspace"], options["email"])
        files = [Path(name) for name in options["files"]]
        revision = _revision(member, options["cluster"], files, keeps_values=options["keep_values"])
        timeline = _timeline(member, options["timeline"], revision, keeps_values=options["keep_values"])
        launch = Launch(
            revision,
            config=_config(member, options["config"]),
            preset=options["preset"],
            answers=_answers(member, options["tape"], options["declared_extender"]),
            serves_others=options["serve_others"],
            leaves_out=options["leave_out_unknown"],
            timeline=timeline,
            schedule=Schedule.TIMELINE if timeline else options["schedule"],
            seed=options["seed"],
            policies=_policies(options),
            is_background=options["background"],
        )
        return create_run(member, launch)

    def _waited(self, run: Run, seconds: float) -> Run:
        deadline = time.monotonic() + seconds
        while True:
            run = Run.everything.select_related("head", "workspace").get(pk=run.pk)
            if run.state in ENDED or time.monotonic() >= deadline:
                self._say("")
                return run
            self._say(_progress_text(run))
            time.sleep(POLL_SECONDS)

    def _say(self, text: str) -> None:
        """Show progress on a terminal, over the previous text; other outputs get the line of JSON only."""
        if self.stderr.isatty():
            self.stderr.write(f"{ERASE_LINE}{text}", ending="")
            self.stderr.flush()


def _progress_text(run: Run) -> str:
    run_progress = read_progress(run)
    if not run_progress.cycles:
        return f"run {run.number}: {run.state}"
    left = f", about {numbers.roughly(run_progress.seconds_left)} left" if run_progress.seconds_left is not None else ""
    share = f"{numbers.percent(run_progress.share)}, " if run_progress.share is not None else ""
    return f"run {run.number}: {share}{run_progress.cycles:,} cycles, {run_progress.rate:,.0f} cycles/s{left}"


def _member(slug: str, email: str) -> Member:
    members = Member.objects.select_related("workspace", "user").filter(user__is_active=True)
    members = members.filter(workspace__slug=slug) if slug else members
    members = members.filter(user__email=email.lower()) if email else members.filter(role=Role.ADMIN)
    member = members.order_by("joined_at").first()
    if member is None:
        raise Problem("No such member or workspace. Name them by --workspace and --email.")
    return member


def _revision(member: Member, name: str, files: list[Path], *, keeps_values: bool) -> Revision:
    """Return a new revision of the cluster of this name, which is created if there is none."""
    uploads = [Upload(str(path), path.read_bytes()) for path in files]
    # Files with errors are not stored, so they are reported as they are.
    masked = mask_uploads(uploads, keeps_values=keeps_values)
    loaded = reading.load(uploads if masked.unread else masked.uploads)
    if not loaded.ok:
        raise Problem("\n".join(finding.text() for finding in loaded.errors[:20]))
    contents, source = saving.contents_from(loaded), f"import of {files[0].name}"
    events = scheduler_events(loaded.events)
    cluster = Cluster.objects.filter(workspace=member.workspace, name=name, archived_at=None).first()
    if cluster is None:
        cluster = clusters.create_cluster(member, clusters.NewCluster(name), contents, source=source, events=events)
        return clusters.newest_revision(cluster)
    return clusters.import_revision(member, cluster, contents, "", source, events)


def _policies(options: Mapping[str, Any]) -> dict[str, Any]:
    """The policies that the options name, and no others: a preset sets the rest."""
    texts = [*options["policy"], *(["other_schedulers=bound"] if options["others_bound"] else [])]
    texts += [f"kubernetes={options['kubernetes']}"] if options["kubernetes"] else []
    texts += [f"gates={options['feature_gates']}"] if options["feature_gates"] else []
    try:
        changed = msgspec.to_builtins(Policies().with_texts(texts))
    except ValueError as error:
        raise Problem(f"--policy: {error}") from error
    names = [text.partition("=")[0] for text in texts]
    return {name: changed[name] for name in names}


def _config(member: Member, name: str) -> ConfigRevision | None:
    return save_config(member, None, NewText(Path(name).stem, Path(name).read_text())) if name else None


def _answers(member: Member, tape: str, rules: str) -> ExtenderAnswers | None:
    if tape:
        return tape_in(member, Path(tape))
    return rules_in(member, Path(rules)) if rules else None


def _timeline(member: Member, name: str, revision: Revision, *, keeps_values: bool) -> TimelineRevision | None:
    if not name:
        return None
    new = NewText(Path(name).stem, Path(name).read_text())
    return save_timeline(member, None, new, revision, keeps_values=keeps_values)


def _described(run: Run) -> dict[str, Any]:
    return {
        "workspace": run.workspace.slug,
        "run": run.number,
        "id": run.pk,
        "state": run.state,
        "reason": run.finish_reason or run.error,
        "hash": run.recording_hash,
        "cycles": run.head.cycle,
        "events": run.head.seq,
        "scheduled": run.head.scheduled,
        "pending": run.head.pending,
        "size_bytes": run.head.size_bytes,
        "busy_seconds": round(run.head.busy_seconds, 3),
    }
