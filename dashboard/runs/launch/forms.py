"""The launch form: resolves choices to the workspace's objects and validates them before an action gets them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError

from dashboard.accounts.forms import no_nul
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.contents import cluster_version
from dashboard.common.http.params import INT32_MAX
from dashboard.documents.configurations import presets
from dashboard.documents.configurations.checking import extenders_in
from dashboard.documents.extenders.answering import ExtenderAnswers
from dashboard.documents.extenders.tape_page import public_address
from dashboard.runs.actions import BACKGROUND_PODS, MAX_CYCLES, MAX_VIRTUAL_US, SEED_LIMIT, Launch
from dashboard.runs.launch.answers import answers_problem
from dashboard.runs.launch.choices import (
    Choices,
    ConfigFacts,
    Preview,
    config_facts,
    named,
    numbered,
    revision_preview,
    timeline_problem,
)
from dashboard.runs.launch.fields import HINTS, LABELS, PolicyFields, parse_clock
from dashboard.runs.models import Schedule
from dashboard.runs.policies import (
    BEFORE_VERSIONS,
    FIELDS,
    KUBELETS,
    OTHERS,
    POLICIES,
    USUAL,
    VERSIONS,
    form_policies,
    policy_fields,
    rules_words,
    train_name,
    version_words,
)
from scheduler_core.versions.gates import GateError, gates_text, read_gates
from scheduler_core.versions.semantics import behaviours_of
from scheduler_core.versions.trains import NEWEST_MEASURED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dashboard.clusters.models import Revision
    from dashboard.documents.models import ConfigRevision, TimelineRevision
    from scheduler_core.api.config import Extender
    from scheduler_core.profiles.presets import Preset

NO_CLUSTER = "Choose a cluster of this workspace."
DEFAULT_LIMIT = "24:00:00"
# Fields that another choice of cluster, configuration or timeline makes meaningless.
DEPENDENT = {
    "cluster": ("r", "kubernetes", "schedule", "timeline", "timeline_r"),
    "config": ("config_r", "leave_out", "serve_others", "answers", "answers_r"),
    "timeline": ("timeline_r",),
    "answers": ("answers_r",),
}
# Before the name of a preset in the field `config`; no address of a saved configuration has a colon.
PRESET = "preset:"
# The value of `serve_others` for pods of other schedulers that stay bound; else a profile, or "" for pending.
OTHERS_BOUND = ":bound"
BACKGROUND = [
    ("auto", f"by size: background from {BACKGROUND_PODS:,} pods"),
    ("no", "before background runs"),
    ("yes", "in the background, behind others"),
]
FIXED = USUAL | {
    "max_cycles": str(MAX_CYCLES),
    "max_time": DEFAULT_LIMIT,
    "background": "auto",
    "name": "",
    "config": "",
}


class LaunchForm(PolicyFields):
    """All inputs of a run. `choices` are those of the workspace."""

    cluster = forms.CharField(max_length=50, error_messages={"required": NO_CLUSTER})
    r = forms.IntegerField(min_value=1, max_value=INT32_MAX, error_messages={"required": "Choose a revision."})
    config = forms.CharField(max_length=50, required=False)
    config_r = forms.IntegerField(min_value=1, max_value=INT32_MAX, required=False)
    kubernetes = forms.ChoiceField(choices=VERSIONS, required=False)
    gates = forms.CharField(
        max_length=1_000,
        required=False,
        widget=forms.TextInput({"autocomplete": "off", "placeholder": "as usual"}),
    )
    leave_out = forms.BooleanField(required=False)
    serve_others = forms.CharField(max_length=NAME_LENGTH, required=False)
    schedule = forms.ChoiceField(choices=Schedule.choices)
    # "tape:SLUG" or "declared:SLUG"; "" where nothing answers for extenders.
    answers = forms.CharField(max_length=60, required=False)
    answers_r = forms.IntegerField(min_value=1, max_value=INT32_MAX, required=False)
    timeline = forms.CharField(max_length=50, required=False)
    timeline_r = forms.IntegerField(min_value=1, max_value=INT32_MAX, required=False)
    seed = forms.IntegerField(
        min_value=0,
        max_value=SEED_LIMIT - 1,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"),
            "Write a whole number from 0 to 9,223,372,036,854,775,807.",
        ),
    )
    name = forms.CharField(
        max_length=NAME_LENGTH,
        required=False,
        validators=[no_nul],
        widget=forms.TextInput({"autocomplete": "off", "placeholder": "optional"}),
    )
    max_cycles = forms.IntegerField(
        min_value=1,
        max_value=MAX_CYCLES,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), "Write a whole number from 1 to 1000000."
        ),
    )
    max_time = forms.CharField(max_length=20)
    background = forms.ChoiceField(choices=BACKGROUND)

    def __init__(self, choices: Choices, given: Mapping[str, str]) -> None:
        """Take the given fields without meaningless ones, and defaults for the others."""
        self.choices = choices
        self.chosen_cluster: Any = None
        self.revision: Revision | None = None
        self.preview: Preview | None = None
        self.config_revision: ConfigRevision | None = None
        self.preset: Preset | None = None
        self.config_facts = ConfigFacts([])
        # The chosen tape or declared extenders, and its revision.
        self.chosen_answers: Any = None
        self.answering: ExtenderAnswers | None = None
        self.answers_problem = ""
        # (scheduler name, number of pods) that wait and that no profile serves.
        self.unserved: list[tuple[str, int]] = []
        # How many of the pods to schedule no profile takes up.
        self.n_left_pending = 0
        self.chosen_timeline: Any = None
        self.timeline_revision: TimelineRevision | None = None
        super().__init__(self._completed(_relevant(given)))
        if not self.data["kubernetes"]:
            # Of a run that named none.
            self.fields["kubernetes"].choices = [("", BEFORE_VERSIONS), *VERSIONS]  # type: ignore[attr-defined]

    # ---------------------------------------------------------------- choosing

    def _completed(self, given: dict[str, str]) -> dict[str, str]:
        self.preset = _preset(given.get("config", ""))
        preset = policy_fields(self.preset.policies) if self.preset else {}
        data = {**FIXED, **preset, "seed": str(secrets.randbelow(1_000_000)), **given}
        if "cluster" not in data:
            data["cluster"] = self.choices.recent_cluster
        cluster = self.chosen_cluster = named(self.choices.clusters, data["cluster"])
        if cluster is not None:
            data.setdefault("r", str(cluster.newest))
            self.revision = numbered(cluster, data["r"])
        if self.revision is not None:
            self.revision.cluster = cluster
            self.preview = revision_preview(self.revision)
        self._complete_version(data)
        self.extenders: Sequence[Extender] = ()
        self._complete_config(data)
        self._complete_timeline(data)
        data.setdefault("schedule", self._default_schedule())
        self._complete_others(data)
        return data

    def _complete_version(self, data: dict[str, str]) -> None:
        """Choose the version that the cluster runs, unless one is given or a preset names one."""
        self.cluster_version = cluster_version(self.revision) if self.revision is not None else None
        usual = self.cluster_version.train if self.cluster_version else NEWEST_MEASURED
        data["kubernetes"] = train_name(data.get("kubernetes", usual))
        data.setdefault("gates", "")

    def _complete_others(self, data: dict[str, str]) -> None:
        self.others_bound = data.get("serve_others") == OTHERS_BOUND and data["schedule"] == Schedule.ALL
        if self.preview:
            profiles = self.config_facts.profiles
            self.unserved = self.preview.unserved(profiles, data["schedule"])
            self.preview = self.preview.with_others_bound(profiles) if self.others_bound else self.preview
            if data.get("serve_others") not in profiles:
                left = self.preview.unserved(profiles, data["schedule"])
                self.n_left_pending = sum(count for _, count in left)

    def _complete_config(self, data: dict[str, str]) -> None:
        config = named(self.choices.configs, data["config"])
        if config is not None:
            data.setdefault("config_r", str(config.newest))
            self.config_revision = numbered(config, data["config_r"])
        chosen = self.config_revision or self.preset
        text = chosen.text if chosen else None
        self._complete_answers(data, extenders_in(text) if text is not None else ())
        leaves_out, answered = data.get("leave_out") == "on", self.answering is not None
        self.config_facts = config_facts(text, leaves_out=leaves_out, answered=answered)

    def _complete_answers(self, data: dict[str, str], extenders: Sequence[Extender]) -> None:
        """Choose what answers for the configuration's extenders: what is given, else the first one that fits."""
        self.extenders = extenders
        if not extenders:
            data["answers"] = ""
            return
        if "answers" not in data:
            is_left_out = data.get("leave_out") == "on"
            data["answers"] = "" if is_left_out else self.choices.answers.fitting(extenders, self.revision)
        self.chosen_answers = self.choices.answers.named(data.get("answers", ""))
        if self.chosen_answers is None:
            return
        data.setdefault("answers_r", str(self.chosen_answers.newest))
        revision = numbered(self.chosen_answers, data["answers_r"])
        if revision is not None:
            self.answering = ExtenderAnswers(revision)
            self.answers_problem = answers_problem(self.answering, extenders, self.revision)

    def _complete_timeline(self, data: dict[str, str]) -> None:
        earlier = [line.run.timeline_revision for line in self.preview.earlier] if self.preview else []
        usual = next((one.timeline.slug for one in earlier if one), "")
        own = self.choices.timeline_for(self.chosen_cluster)
        data.setdefault("timeline", usual if named(self.choices.timelines, usual) else own)
        self.chosen_timeline = timeline = named(self.choices.timelines, data["timeline"])
        if timeline is not None:
            data.setdefault("timeline_r", str(timeline.newest))
            self.timeline_revision = numbered(timeline, data["timeline_r"])

    def _default_schedule(self) -> str:
        if self.preview is None:
            return Schedule.ALL
        nothing = not any(self.preview.to_schedule.values())
        return Schedule.TIMELINE if nothing and self.chosen_timeline else self.preview.default

    # ---------------------------------------------------------------- checking

    def clean_cluster(self) -> str:
        """Return the slug of one of the workspace's clusters."""
        if self.chosen_cluster is None:
            raise ValidationError("This cluster does not exist here, or is archived. " + NO_CLUSTER)
        return str(self.cleaned_data["cluster"])

    def clean_r(self) -> int:
        """Return the number of a revision of the cluster."""
        number = int(self.cleaned_data["r"])
        if self.chosen_cluster is not None and self.revision is None:
            raise ValidationError(f"{self.chosen_cluster} has no revision {number}. Choose another.")
        return number

    def clean_config(self) -> str:
        """Return the slug of a valid configuration, "preset:NAME" of a valid preset, or "" for the default one."""
        slug = str(self.cleaned_data["config"])
        if slug.startswith(PRESET) and self.preset is None:
            raise ValidationError(presets.missing(slug.removeprefix(PRESET)))
        if slug and self.config_revision is None and self.preset is None:
            raise ValidationError("This configuration or its revision does not exist here, or is archived.")
        if self.config_facts.problem:
            raise ValidationError(self.config_facts.problem)
        return slug

    def clean_gates(self) -> str:
        """Return the gates by name; what cannot be followed in the version is refused by name."""
        try:
            gates = gates_text(read_gates(self.cleaned_data["gates"]))
            behaviours_of(self.cleaned_data.get("kubernetes", ""), gates)
        except GateError as problem:
            raise ValidationError(f"{problem}.") from problem
        return gates

    def clean_answers(self) -> str:
        """Return what answers for the extenders: "tape:SLUG" or "declared:SLUG", "" for nothing."""
        chosen = str(self.cleaned_data["answers"])
        if chosen and self.extenders:
            if self.answering is None:
                raise ValidationError("This tape or its revision does not exist here, or is archived.")
            if self.answers_problem:
                raise ValidationError(self.answers_problem)
        return chosen

    def clean_max_time(self) -> int:
        """Return the limit of virtual time in microseconds."""
        limit = parse_clock(self.cleaned_data["max_time"])
        if limit is None:
            raise ValidationError(
                "Write hours, minutes and seconds, such as 24:00:00, or minutes and seconds, as 50:00."
            )
        if not 0 < limit <= MAX_VIRTUAL_US:
            raise ValidationError("A run may have at most 24 hours of virtual time, and more than none.")
        return limit

    def clean(self) -> dict[str, Any]:
        """Check what depends on several fields: that there is something to schedule."""
        schedule = self.cleaned_data.get("schedule")
        if schedule == Schedule.TIMELINE:
            self._check_timeline()
        elif schedule and self.preview and not self.preview.to_schedule[schedule]:
            what = (
                "is pending" if schedule == Schedule.PENDING else "could be scheduled: the cluster has none of its own"
            )
            self.add_error("schedule", f"No pod of {self.preview.revision} {what}. Choose something else.")
        return self.cleaned_data

    def _check_timeline(self) -> None:
        if self.timeline_revision is None:
            message = (
                "Choose a timeline." if self.choices.timelines else "This workspace has no timeline yet. Make one."
            )
            self.add_error("timeline", message)
        elif self.revision and (problem := timeline_problem(self.timeline_revision, self.revision)):
            self.add_error("timeline", problem)

    # ---------------------------------------------------------------- launching

    def launch(self) -> Launch:
        """Return the launch that a valid form describes."""
        data = self.cleaned_data
        assert self.revision is not None
        return Launch(
            self.revision,
            config=self.config_revision,
            preset=self.preset.name if self.preset else "",
            leaves_out=data["leave_out"],
            serves_others="" if data["serve_others"] == OTHERS_BOUND else data["serve_others"],
            answers=self.answering,
            timeline=self.timeline_revision if data["schedule"] == Schedule.TIMELINE else None,
            schedule=data["schedule"],
            policies=self._policies(data),
            seed=data["seed"],
            name=data["name"],
            is_background={"yes": True, "no": False}.get(data["background"]),
            max_cycles=data["max_cycles"],
            max_virtual_us=data["max_time"],
        )

    def _policies(self, data: Mapping[str, Any]) -> dict[str, Any]:
        version = {"kubernetes": data["kubernetes"], "gates": data["gates"]}
        return form_policies(data) | version | ({OTHERS: "bound"} if self.others_bound else {})

    @property
    def version_origin(self) -> str:
        """Return what the cluster's version was taken from, as a sentence."""
        return _sentence(self.cluster_version.origin) if self.cluster_version else ""

    @property
    def version_words(self) -> str:
        """Return what would be followed, with its evidence."""
        return version_words(self.data)

    @property
    def extender_lines(self) -> list[str]:
        """Return the addresses of the extenders, without users and passwords, in the order of the configuration."""
        return [public_address(one.url_prefix) for one in self.extenders]

    @property
    def policies(self) -> list[Any]:
        """Return the fields of the policies that are choices."""
        return [self[name] for name in POLICIES]

    @property
    def has_own_policies(self) -> bool:
        """Return whether a policy or limit differs from its default or is invalid."""
        names = [*FIELDS, "max_cycles", "max_time", "background"]
        return any(self.data.get(name) != FIXED[name] or self[name].errors for name in names)

    @property
    def by_preset(self) -> list[str]:
        """Return the labels of the fields that the preset sets."""
        fields = policy_fields(self.preset.policies) if self.preset else {}
        return [LABELS[name] for name in fields if name != "kubernetes"]

    @property
    def is_version_of_preset(self) -> bool:
        """Return whether the version is the preset's."""
        return self.preset is not None and self.preset.policies.get("kubernetes") == self.data["kubernetes"]

    @property
    def own_policies(self) -> list[tuple[str, str]]:
        """Return (label, value) of the policies that differ from their defaults."""
        shown = {name: dict(options) for name, options in POLICIES.items()}
        differing = [name for name in FIELDS if self.data.get(name) != USUAL[name] and not self[name].errors]
        return [(LABELS[name], shown.get(name, {}).get(self.data[name], self._in_unit(name))) for name in differing]

    def _in_unit(self, name: str) -> str:
        if name == KUBELETS:
            return rules_words(self.data[name])
        if not self.data[name]:
            return "forever" if name == "job_s" else "as usual"
        return f"{self.data[name]} {name.rpartition('_')[2]}"


for _name, _label in LABELS.items():
    LaunchForm.base_fields[_name].label = _label
for _name, _hint in HINTS.items():
    LaunchForm.base_fields[_name].help_text = _hint


def _relevant(given: Mapping[str, str]) -> dict[str, str]:
    """Return the fields without those that belong to a cluster, configuration or timeline other than the chosen one."""
    relevant = {name: given[name] for name in LaunchForm.base_fields if name in given}
    for name, dependents in DEPENDENT.items():
        if f"of_{name}" in given and given[f"of_{name}"] != given.get(name, ""):
            # Policies that a preset sets belong to it; all others stay as chosen.
            presets_of = (_preset(given["of_config"]), _preset(given.get("config", ""))) if name == "config" else ()
            set_by_preset = {field for one in presets_of if one for field in policy_fields(one.policies)}
            relevant = {key: value for key, value in relevant.items() if key not in {*dependents, *set_by_preset}}
    return relevant


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _preset(config: str) -> Preset | None:
    """Return the preset that a value of the field `config` names, None where it names none that is available."""
    return presets.available().get(config.removeprefix(PRESET)) if config.startswith(PRESET) else None
