"""The form of a branch: fields, their conversion to changes, the place of the branch, objects as text to edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dashboard.clusters.editor.object_text import check_text
from dashboard.clusters.revisions.contents import read_contents
from dashboard.clusters.revisions.object_keys import normal_key
from dashboard.clusters.yaml_text import EDITOR, MAX_TEXT
from dashboard.debugger.panels.object_yaml import object_yaml
from dashboard.documents.configurations.checking import check_config
from dashboard.documents.models import ConfigRevision
from dashboard.runs.inputs import InputError, ignored_inputs, is_answered, policies_from
from dashboard.runs.models import Cycle
from dashboard.runs.policies import KUBELETS, POLICIES, TIMES, VERSIONS, plain_rules
from scheduler_core.manifests import Limits, ManifestSource, leave_out_again
from scheduler_core.manifests.kinds.registry import KINDS
from scheduler_core.manifests.parsing.sources import read_documents, read_text
from scheduler_core.simulate import OF_THE_START

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import QueryDict

    from dashboard.clusters.revisions.object_keys import Key
    from dashboard.common.problems import Problem
    from dashboard.debugger.cursor.cursor import Cursor
    from dashboard.debugger.page import CursorPage
    from scheduler_core.manifests import Finding

AS_IT_IS, DEFAULTS, WRITTEN = "", "defaults", "text"
EMPTY_CONFIGURATION = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
CHOICES = {"kubernetes": VERSIONS} | {name: options for name, options in POLICIES.items() if name not in OF_THE_START}
FIELDS = ("name", "gates", KUBELETS, "objects", "gone", "configuration", "configuration_text", "kind", "object_name")
SHOWN_FINDINGS = 5
NAME_LENGTH = 120
MOST_US = 24 * 3600 * 1_000_000
Raw = dict[str, Any]


@dataclass
class BranchForm:
    """The values of the fields; `errors` are sentences by field, available after `changes`."""

    page: CursorPage
    values: dict[str, str]
    entries: list[str]
    errors: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, page: CursorPage, data: QueryDict) -> BranchForm:
        """Return the submitted form."""
        names = (*FIELDS, *CHOICES, *(one for one, _ in TIMES.values()))
        values = {name: data.get(name, "").replace("\r\n", "\n") for name in names}
        if not data:
            values["kind"] = "Node" if page.moment.selection.node else "Pod"
        return cls(page, values, data.getlist("entry"))

    @property
    def first_name(self) -> str:
        """Return the initial name: of the selected node or pod, by the kind."""
        selected = self.page.moment.selection
        of_kind = {"Node": selected.node, "Pod": selected.pod}.get(self.values["kind"], "")
        return "" if self.values["object_name"] else of_kind

    def status(self, problem: Problem | None) -> int:
        """Return the HTTP status of the page that shows the form."""
        return 422 if problem is not None or self.errors else 200

    def changes(self, *, is_all: bool = True) -> list[Raw]:
        """Return all changes in the core's form; those without an error if some have one.

        `is_all`: there are no others, so that none at all is an error.
        """
        self.errors = {}
        changes = [*self._puts(), *self._deletions(), *self._configuration(), *self._policies(), *self._entries()]
        if is_all and not changes and not self.errors:
            self._wrong("objects", "Nothing is changed yet: without a change it would be the same run.")
        return changes

    def _wrong(self, name: str, sentence: str) -> None:
        self.errors.setdefault(name, []).append(sentence)

    def _found(self, name: str, findings: list[Finding]) -> bool:
        """Store the findings of a text as errors; return whether there are any."""
        wrong = [finding for finding in findings if finding.severity == "error"]
        for finding in wrong[:SHOWN_FINDINGS]:
            self._wrong(name, finding.text().replace(f"{EDITOR}:", "line ", 1).removeprefix(f"{EDITOR}: "))
        if len(wrong) > SHOWN_FINDINGS:
            self._wrong(name, f"And {len(wrong) - SHOWN_FINDINGS} more.")
        return bool(wrong)

    def _puts(self) -> list[Raw]:
        text = self.values["objects"]
        if not text.strip():
            return []
        if len(text) > MAX_TEXT:
            self._wrong("objects", f"The text has more than {MAX_TEXT >> 20} MiB.")
            return []
        checked = check_text(text, read_contents(self.page.run.revision).by_key)
        if self._found("objects", checked.findings):
            return []
        return [{"action": "put", "object": manifest} for manifest in checked.manifests]

    def _deletions(self) -> list[Raw]:
        changes = []
        for number, line in enumerate(self.values["gone"].splitlines(), start=1):
            kind, _, name = line.strip().partition(" ")
            if not kind:
                continue
            try:
                key = named(kind, name)
            except NotEditable as problem:
                self._wrong("gone", f"line {number}: {problem}")
                continue
            if not is_there(self.page, key):
                self._wrong("gone", f"line {number}: the run has no {key.label} at the cursor.")
                continue
            metadata = {"name": key.name} | ({"namespace": key.namespace} if key.namespace else {})
            changes.append({"action": "delete", "object": {"kind": key.kind, "metadata": metadata}})
        return changes

    def _configuration(self) -> list[Raw]:
        chosen = self.values["configuration"]
        if chosen == AS_IT_IS:
            return []
        if chosen == DEFAULTS:
            return [{"action": "configure", "configuration": EMPTY_CONFIGURATION}]
        name = "configuration_text" if chosen == WRITTEN else "configuration"
        text = self.values["configuration_text"] if chosen == WRITTEN else self._saved(chosen)
        if text is None:
            return []
        run = self.page.run
        left_out, answered = leave_out_again(ignored_inputs(run)), is_answered(run)
        if self._found(name, check_config(text, left_out, answered=answered)[1]):
            return []
        source, limits = ManifestSource(EDITOR, text.encode()), Limits(max_bytes=MAX_TEXT)
        documents = [one.value for one in read_documents(read_text(source, limits), limits) if one.value is not None]
        return [{"action": "configure", "configuration": documents[0]}]

    def _saved(self, slug: str) -> str | None:
        """Return the newest text of a configuration of the workspace."""
        revisions = ConfigRevision.objects.filter(config__workspace_id=self.page.run.workspace_id, config__slug=slug)
        newest = revisions.order_by("-number").first()
        if newest is None:
            self._wrong("configuration", "This configuration does not exist in this workspace.")
        return newest.text if newest is not None else None

    def _policies(self) -> list[Raw]:
        policies: Raw = {name: self.values[name] for name in CHOICES if self.values[name]}
        for name, options in CHOICES.items():
            if name in policies and policies[name] not in dict(options):
                self._wrong("policies", f'{name}: "{policies.pop(name)[:40]}" is no choice.')
        if gates := self.values["gates"].strip():
            policies["gates"] = gates
        try:
            policies |= {KUBELETS: rules} if (rules := plain_rules(self.values[KUBELETS])) else {}
        except ValueError as problem:
            self._wrong("policies", f"rules of kubelets: {problem}.")
        for name, (field_name, unit) in TIMES.items():
            text = self.values[field_name].strip()
            if not text:
                continue
            try:
                amount = int(float(text) * unit)
            except (ValueError, OverflowError):
                amount = -1
            if not 0 <= amount <= MOST_US:
                self._wrong("policies", f'{field_name}: "{text[:40]}" is no number from 0 to {MOST_US // unit:,}.')
            else:
                policies[name] = amount
        try:
            policies_from({**self.page.run.policies, **policies})
        except InputError as problem:
            self._wrong("policies", str(problem))
        return [{"action": "set_policies", "policies": policies}] if policies else []

    def _entries(self) -> list[Raw]:
        changes = []
        for text in self.entries:
            if not (text.isascii() and text.isdigit() and len(text) < 10):
                self._wrong("entry", f'"{text[:40]}" is no entry of the timeline.')
            else:
                changes.append({"action": "switch_off", "entry": int(text)})
        return changes


def choices_now(values: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the policies as selects: their name, what is chosen, and the options."""
    return [
        {"name": name, "label": name.replace("_", " "), "value": values.get(name, ""), "options": options}
        for name, options in CHOICES.items()
    ]


HERE, BEFORE = "here", "before"


# ---------------------------------------------------------------- the place


@dataclass(frozen=True)
class BranchPlace:
    """A cursor as the place of a branch: `cycle` is the cycle at which the cursor is, None if there is none.

    `is_inside`: the cursor is inside that cycle, so the branch always begins before it.
    """

    cursor: Cursor
    cycle: Cycle | None
    is_inside: bool
    chosen: str

    @property
    def seq(self) -> int:
        """Return the seq of the branch; the engine moves it to the beginning of its step."""
        if self.cycle is not None and (self.is_inside or self.chosen == BEFORE):
            return self.cycle.first_seq
        return self.cursor.seq

    @property
    def next_cycle(self) -> int | None:
        """Return the number of the cycle that comes next at the place, None where it is not a cycle's beginning."""
        return self.cycle.number if self.cycle is not None and self.seq == self.cycle.first_seq else None

    @property
    def has_choice(self) -> bool:
        """Return whether both places are possible."""
        return self.cycle is not None and not self.is_inside


def branch_place(cursor: Cursor, fields: Mapping[str, str]) -> BranchPlace:
    """Return the place for a cursor and the form's `where`; the default at a decision is before it."""
    run, seq = cursor.run, cursor.seq
    inside = Cycle.objects.filter(run_id=run.pk, first_seq__lte=seq, last_seq__gte=seq).order_by("number").first()
    if inside is not None:
        return BranchPlace(cursor, inside, True, BEFORE)
    shown = cursor.cycle if cursor.cycle is not None and cursor.cycle.last_seq + 1 == seq else None
    usual = BEFORE if shown is not None else HERE
    where = fields.get("where", usual)
    return BranchPlace(cursor, shown, False, where if where in (HERE, BEFORE) else usual)


# ---------------------------------------------------------------- objects as text


class NotEditable(Exception):
    """The object has no text to edit; the message says why and what to do instead."""


def named(kind: str, name: str) -> Key:
    """Return the key of a form's kind and name (namespace/name); raises NotEditable if they are invalid."""
    namespace, _, bare = name.strip().rpartition("/")
    if kind not in KINDS:
        raise NotEditable(f'"{kind[:40]}" is no kind of object that a run reads.')
    if not bare:
        raise NotEditable(f"Which {kind}? Write its name, with its namespace as in shop/web-1.")
    return normal_key(kind, namespace, bare)


def editable_text(page: CursorPage, key: Key) -> str:
    """Return the object's YAML as of the cursor, with its node if it is bound; raises NotEditable."""
    shown = object_yaml(page.run, page.moment.facts, page.moment.state, key.kind, key.path)
    if shown is None:
        raise NotEditable(f"Run {page.run.number} has no {key.label} at the cursor.")
    if not shown.text:
        raise NotEditable(f"{key.label}: {' '.join(shown.notes)}")
    if shown.is_partial:
        raise NotEditable(
            f"{key.label} is {shown.origin.partition(';')[0]}, so it has no manifest of its own. Put it whole, or"
            " change its workload in the cluster."
        )
    # Including what pages fold: a node's allocatable amounts are in its status.
    return shown.text + "".join(fold.text for fold in shown.folds if fold.name == "status")


def is_there(page: CursorPage, key: Key) -> bool:
    """Return whether the run has the object at the cursor."""
    if key.kind == "Node":
        return key.name in page.moment.state.nodes
    shown = object_yaml(page.run, page.moment.facts, page.moment.state, key.kind, key.path)
    return shown is not None and bool(shown.text)


def offered_kinds(page: CursorPage) -> list[str]:
    """Return the kinds that the form offers: those of the cluster first, then the others that a run reads."""
    present = {key.kind for key in read_contents(page.run.revision).by_key}
    usual = [kind for kind in ("Pod", "Node", "PodDisruptionBudget", "PriorityClass") if kind in KINDS]
    return [*usual, *sorted(present - set(usual)), *sorted(set(KINDS) - present - set(usual))]
