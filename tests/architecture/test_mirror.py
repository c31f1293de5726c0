"""Every module has its tests at the same path, or a line here that names the tests which hold it.

What only declares (apps, addresses) needs neither: nothing works without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DECLARATIONS = {"__init__.py", "apps.py", "routing.py", "urls.py"}
# (room, its modules, the file of tests/ that runs what they do). A new module has tests of its own.
HELD_BY = [
    ("dashboard", "webserver", "dashboard/common/processes/test_supervisor.py"),
    ("dashboard", "celery", "dashboard/common/processes/test_worker.py"),
    ("dashboard/accounts", "models", "dashboard/accounts/test_actions.py"),
    ("dashboard/accounts", "audit context forms", "dashboard/accounts/test_pages.py"),
    ("dashboard/accounts/management/commands", "signin_link", "dashboard/accounts/test_sign_in.py"),
    ("dashboard/accounts/views", "account workspace", "dashboard/accounts/test_pages.py"),
    ("dashboard/accounts/views", "sign_in", "dashboard/accounts/test_sign_in.py"),
    ("dashboard/agreement", "chosen why_actions", "dashboard/agreement/test_why_views.py"),
    ("dashboard/answers", "outcomes questions registry messages", "dashboard/answers/test_asking.py"),
    ("dashboard/answers", "computing tasks", "dashboard/answers/test_asking.py"),
    ("dashboard/answers/answering", "time_limit", "dashboard/answers/answering/test_trials.py"),
    ("dashboard/answers/transport", "broker", "services/test_answers.py"),
    ("dashboard/answers/answering", "source", "dashboard/answers/answering/test_room.py"),
    ("dashboard/answers", "models", "dashboard/answers/test_figures.py"),
    ("dashboard/answers/answering", "memory", "dashboard/answers/answering/test_sessions.py"),
    ("dashboard/answers", "panel", "dashboard/debugger/test_answer_views.py"),
    ("dashboard/clusters", "models", "dashboard/clusters/importing/test_intake.py"),
    ("dashboard/clusters", "yaml_text", "dashboard/clusters/test_pages.py"),
    ("dashboard/clusters/configurations", "kind", "dashboard/clusters/configurations/test_views.py"),
    ("dashboard/clusters/configurations", "actions", "dashboard/clusters/documents/test_actions.py"),
    ("dashboard/clusters/documents", "kind views", "dashboard/clusters/configurations/test_views.py"),
    ("dashboard/clusters/editor", "views", "dashboard/clusters/test_pages.py"),
    ("dashboard/clusters/importing", "excerpts progress reading", "dashboard/clusters/importing/test_actions.py"),
    ("dashboard/clusters/importing", "views", "dashboard/clusters/importing/test_intake.py"),
    ("dashboard/clusters/revisions", "told", "dashboard/agreement/test_why_views.py"),
    ("dashboard/clusters/revisions", "forms", "dashboard/accounts/test_pages.py"),
    ("dashboard/clusters/revisions", "diff object_keys object_rows", "dashboard/clusters/revisions/test_contents.py"),
    ("dashboard/clusters/revisions", "export_views page_context views", "dashboard/clusters/test_pages.py"),
    ("dashboard/clusters/tables", "query", "dashboard/clusters/revisions/test_contents.py"),
    ("dashboard/clusters/tables", "views", "dashboard/clusters/test_pages.py"),
    ("dashboard/clusters/templatetags", "clusters", "dashboard/clusters/test_pages.py"),
    ("dashboard/clusters/timelines", "kind", "dashboard/clusters/timelines/test_views.py"),
    ("dashboard/common", "problems", "dashboard/common/http/test_problem_pages.py"),
    ("dashboard/common/http", "uploads", "dashboard/clusters/importing/test_intake.py"),
    ("dashboard/common/http", "htmx", "dashboard/common/http/test_problem_pages.py"),
    ("dashboard/common/http", "context", "dashboard/home/test_pages.py"),
    ("dashboard/common/management/commands", "compact_database", "dashboard/common/test_compact_database.py"),
    ("dashboard/common/management/commands", "serve", "dashboard/common/test_start.py"),
    ("dashboard/common/monitoring", "metrics", "dashboard/common/monitoring/test_views.py"),
    ("dashboard/common/pages", "status_styles", "dashboard/common/test_styles.py"),
    ("dashboard/common/pages", "extension_points", "dashboard/debugger/test_pages.py"),
    ("dashboard/common/templatetags", "schedscope", "dashboard/common/test_tags.py"),
    ("dashboard/debugger", "timeline_views", "dashboard/debugger/events/test_address.py"),
    ("dashboard/debugger", "attempt moment page views", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/cursor", "cycle_events", "dashboard/debugger/cursor/test_grains.py"),
    ("dashboard/debugger/events", "about kinds", "dashboard/debugger/events/test_words.py"),
    ("dashboard/debugger/events", "chain panel walk", "dashboard/debugger/events/test_listing.py"),
    ("dashboard/debugger/inputs", "configuration layout", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/panels", "asks", "dashboard/debugger/panels/test_untried.py"),
    ("dashboard/debugger/panels", "refusal_reason", "dashboard/debugger/panels/test_refused_node.py"),
    ("dashboard/debugger/panels", "cycle_list glyphs", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/panels/cluster_map", "panel", "dashboard/debugger/test_map_views.py"),
    ("dashboard/debugger/panels/cycle", "from_recording", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/panels/cycle", "view_model", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/panels/matrix", "groups", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/panels/scrubber", "gaps", "dashboard/debugger/panels/scrubber/test_density.py"),
    ("dashboard/debugger/templatetags", "debugger", "dashboard/debugger/test_pages.py"),
    ("dashboard/debugger/inputs", "attempts found_nodes", "dashboard/debugger/test_explained.py"),
    ("dashboard/debugger/why", "address keys siblings views", "dashboard/debugger/why/test_pending.py"),
    ("dashboard/debugger/why/node", "address page rivals", "dashboard/debugger/why/node/test_views.py"),
    ("dashboard/home", "views", "dashboard/home/test_pages.py"),
    ("dashboard/live", "heads messages pages views wakeups", "dashboard/live/test_consumers.py"),
    ("dashboard/debugger/outcomes", "keys rows side words", "dashboard/debugger/outcomes/test_table.py"),
    ("dashboard/review", "models", "dashboard/review/test_actions.py"),
    ("dashboard/review", "context findings form_views views", "dashboard/review/test_pages.py"),
    ("dashboard/review", "links threads", "dashboard/review/test_queries.py"),
    ("dashboard/runs", "policies", "dashboard/runs/launch/test_views.py"),
    ("dashboard/runs", "inputs", "dashboard/runs/list/test_views.py"),
    ("dashboard/runs/models", "recorded run", "dashboard/runs/test_actions.py"),
    ("dashboard/runs", "demo", "dashboard/test_demo.py"),
    ("dashboard/runs/launch", "choices forms", "dashboard/runs/launch/test_views.py"),
    ("dashboard/runs/lifecycle", "deaths leases", "dashboard/runs/lifecycle/test_reconcile.py"),
    ("dashboard/runs/lifecycle", "quotas", "dashboard/runs/test_actions.py"),
    ("dashboard/runs/lifecycle", "wakeups", "dashboard/runs/test_execution.py"),
    ("dashboard/runs/list", "lines", "dashboard/runs/list/test_views.py"),
    ("dashboard/runs/management/commands", "load_demo", "dashboard/test_demo.py"),
    ("dashboard/runs/storage", "deletion metrics", "dashboard/runs/test_actions.py"),
    ("dashboard/runs/storage", "batches bulk recordings rows", "dashboard/runs/test_execution.py"),
    ("dashboard/runs/templatetags", "runs", "dashboard/runs/list/test_views.py"),
    ("scheduler_core", "simulate", "scheduler_core/engine/test_aftermath.py"),
    ("scheduler_core", "__main__", "scheduler_core/test_main.py"),
    ("scheduler_core/api", "objects", "scheduler_core/engine/test_aftermath.py"),
    ("scheduler_core/api", "config", "scheduler_core/manifests/configuration/test_configurations.py"),
    ("scheduler_core/api", "resources", "scheduler_core/manifests/test_admission.py"),
    ("scheduler_core/columns", "zones", "contract/test_plugins.py"),
    ("scheduler_core/columns", "cluster pods tallies", "scheduler_core/columns/test_candidates.py"),
    ("scheduler_core/columns", "node_view", "scheduler_core/engine/test_aftermath.py"),
    ("scheduler_core/columns", "row_block", "scheduler_core/plugins/test_agreement.py"),
    ("scheduler_core/compiled", "interface", "scheduler_core/compiled/test_kernel.py"),
    ("scheduler_core/controllers", "decision registry", "scheduler_core/controllers/test_jobs.py"),
    ("scheduler_core/engine", "ownership policies", "scheduler_core/engine/test_aftermath.py"),
    ("scheduler_core/engine", "checkpoint evictions", "scheduler_core/engine/test_determinism.py"),
    ("scheduler_core/engine", "listed", "scheduler_core/engine/test_equal_victims.py"),
    ("scheduler_core/engine", "world", "scheduler_core/engine/test_objects_made_during_a_run.py"),
    ("scheduler_core/engine", "attempt", "scheduler_core/engine/test_plugins_that_raise.py"),
    (
        "scheduler_core/explain/outcomes",
        "groups members node_texts pod_texts room",
        "scheduler_core/explain/outcomes/test_summary.py",
    ),
    ("scheduler_core/explain/outcomes", "objects usage", "scheduler_core/explain/outcomes/test_tally.py"),
    (
        "scheduler_core/explain/remedies",
        "candidate model pod_edits shortages situation state_edits",
        "scheduler_core/explain/remedies/test_candidates.py",
    ),
    ("scheduler_core/explain/agreement", "model", "scheduler_core/explain/agreement/test_bound.py"),
    ("scheduler_core/explain/agreement", "texts", "scheduler_core/cli/test_agree.py"),
    ("scheduler_core/explain/rivals", "model", "scheduler_core/explain/rivals/test_compare.py"),
    ("scheduler_core/cli", "inputs", "scheduler_core/cli/test_simulate.py"),
    ("scheduler_core/cli", "agree_text", "scheduler_core/cli/test_agree.py"),
    ("scheduler_core/cli", "why_text", "scheduler_core/cli/test_why.py"),
    ("scheduler_core/explain/pending", "groups history model nodes", "scheduler_core/explain/pending/test_answer.py"),
    ("scheduler_core/explain/facts", "model", "scheduler_core/explain/facts/test_texts.py"),
    ("scheduler_core/framework/contracts", "handle plugin", "contract/test_plugins.py"),
    ("scheduler_core/framework/contracts/facts", "base", "contract/test_check_plugin.py"),
    (
        "scheduler_core/framework/contracts/facts",
        "nodes pods scores volumes",
        "scheduler_core/explain/facts/test_texts.py",
    ),
    ("scheduler_core/framework/contracts", "verdicts", "scheduler_core/engine/test_answers_of_wrong_shape.py"),
    ("scheduler_core/framework/contracts", "traits", "scheduler_core/engine/test_plugins_that_raise.py"),
    ("scheduler_core/framework/contracts", "waiting_pod", "scheduler_core/engine/test_two_waits.py"),
    ("scheduler_core/framework/contracts", "run_context", "scheduler_core/framework/preemption/test_evaluator.py"),
    ("scheduler_core/framework/contracts", "filter_outcome", "scheduler_core/framework/runtime/test_filter_phase.py"),
    ("scheduler_core/framework/contracts", "status", "scheduler_core/framework/runtime/test_filter_phase.py"),
    ("scheduler_core/framework/contracts", "cycle_state", "scheduler_core/framework/runtime/test_missing_state.py"),
    ("scheduler_core/framework/contracts", "events", "scheduler_core/plugins/node_resources/test_fit.py"),
    ("scheduler_core/framework/contracts", "behaviours", "scheduler_core/plugins/test_taint_toleration.py"),
    ("scheduler_core/framework/contracts", "change_set", "scheduler_core/recording/frames/test_codec.py"),
    ("scheduler_core/framework/incremental", "dirty_rows", "scheduler_core/framework/incremental/test_phases.py"),
    ("scheduler_core/framework/incremental", "filter_cache", "scheduler_core/framework/incremental/test_phases.py"),
    ("scheduler_core/framework/incremental", "filter_phase", "scheduler_core/framework/incremental/test_phases.py"),
    (
        "scheduler_core/framework/plugin_helpers",
        "volume_claims",
        "scheduler_core/plugins/volume_binding/test_plugin.py",
    ),
    ("scheduler_core/framework/preemption", "decision", "scheduler_core/framework/preemption/test_bulk_dry_run.py"),
    ("scheduler_core/framework/preemption", "dry_run", "scheduler_core/framework/preemption/test_bulk_dry_run.py"),
    ("scheduler_core/framework/preemption", "victim_order", "scheduler_core/framework/preemption/test_bulk_dry_run.py"),
    ("scheduler_core/framework/preemption", "generic_evaluator", "scheduler_core/plugins/test_generic_preemption.py"),
    ("scheduler_core/framework/runtime", "fit_error", "dashboard/runs/test_queries.py"),
    ("scheduler_core/framework/runtime", "cacheable_answers", "scheduler_core/framework/incremental/test_phases.py"),
    ("scheduler_core/framework/runtime", "phases", "scheduler_core/framework/incremental/test_phases.py"),
    ("scheduler_core/framework/runtime", "framework", "scheduler_core/framework/runtime/test_filter_phase.py"),
    ("scheduler_core/framework/runtime", "pre_filter_phase", "scheduler_core/framework/runtime/test_filter_phase.py"),
    ("scheduler_core/framework/topology", "domain_rows", "scheduler_core/framework/topology/test_domains.py"),
    ("scheduler_core/manifests", "single_object", "scheduler_core/manifests/test_admission.py"),
    ("scheduler_core/manifests", "finding_log items loader model", "scheduler_core/manifests/test_corpus.py"),
    ("scheduler_core/manifests/checking", "memo names raw_values", "scheduler_core/manifests/test_verdicts.py"),
    (
        "scheduler_core/manifests/configuration",
        "older_versions",
        "scheduler_core/manifests/configuration/test_configurations.py",
    ),
    (
        "scheduler_core/manifests/configuration",
        "plugin_args",
        "scheduler_core/manifests/configuration/test_configurations.py",
    ),
    ("scheduler_core/manifests/expansion", "pending_pods", "scheduler_core/manifests/expansion/test_workloads.py"),
    ("scheduler_core/manifests/kinds", "pod_groups", "scheduler_core/manifests/test_admission.py"),
    ("scheduler_core/manifests/kinds", "disruption_budgets metadata", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/kinds", "namespaces nodes priority_classes", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/kinds", "registry resource_claims", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/kinds", "resource_lists workload_selectors", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/kinds/pods", "affinity containers", "scheduler_core/manifests/test_admission.py"),
    ("scheduler_core/manifests/kinds/pods", "pod_specs pods", "scheduler_core/manifests/test_admission.py"),
    ("scheduler_core/manifests/kinds/storage", "csi persistent_volumes", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/kinds/storage", "storage_classes", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/kinds/storage", "volume_rules volumes", "scheduler_core/manifests/test_rules.py"),
    ("scheduler_core/manifests/parsing", "line_positions", "scheduler_core/manifests/expansion/test_workloads.py"),
    ("scheduler_core/manifests/parsing", "json_values", "scheduler_core/manifests/parsing/test_json_lists.py"),
    ("scheduler_core/manifests/parsing", "yaml_events", "scheduler_core/manifests/parsing/test_sources.py"),
    ("scheduler_core/plugins", "default_binder priority_sort", "scheduler_core/plugins/test_queue_plugins.py"),
    ("scheduler_core/plugins", "scheduling_gates", "scheduler_core/plugins/test_queue_plugins.py"),
    ("scheduler_core/plugins/inter_pod_affinity", "refiltering", "scheduler_core/engine/test_aftermath.py"),
    ("scheduler_core/plugins/inter_pod_affinity", "common", "scheduler_core/plugins/inter_pod_affinity/test_plugin.py"),
    (
        "scheduler_core/plugins/inter_pod_affinity",
        "filtering",
        "scheduler_core/plugins/inter_pod_affinity/test_plugin.py",
    ),
    (
        "scheduler_core/plugins/inter_pod_affinity",
        "scoring",
        "scheduler_core/plugins/inter_pod_affinity/test_plugin.py",
    ),
    ("scheduler_core/plugins/node_resources", "allocation", "scheduler_core/plugins/node_resources/test_strategies.py"),
    (
        "scheduler_core/plugins/pod_topology_spread",
        "common",
        "scheduler_core/plugins/pod_topology_spread/test_plugin.py",
    ),
    (
        "scheduler_core/plugins/pod_topology_spread",
        "filtering",
        "scheduler_core/plugins/pod_topology_spread/test_plugin.py",
    ),
    (
        "scheduler_core/plugins/pod_topology_spread",
        "scoring",
        "scheduler_core/plugins/pod_topology_spread/test_plugin.py",
    ),
    ("scheduler_core/plugins/volume_binding", "assumed", "scheduler_core/plugins/volume_binding/test_plugin.py"),
    ("scheduler_core/plugins/inter_pod_affinity", "facts", "scheduler_core/explain/facts/test_collect.py"),
    ("scheduler_core/plugins/pod_topology_spread", "facts", "scheduler_core/explain/facts/test_collect.py"),
    ("scheduler_core/plugins/volume_binding", "claims", "scheduler_core/explain/facts/test_collect.py"),
    ("scheduler_core/plugins/node_resources", "facts", "scheduler_core/explain/facts/test_collect.py"),
    ("scheduler_core/plugins/volume_binding", "binder facts", "scheduler_core/plugins/volume_binding/test_plugin.py"),
    ("scheduler_core/profiles", "args", "contract/test_plugins.py"),
    ("scheduler_core/profiles", "build defaults registry", "scheduler_core/profiles/test_plugin_sets.py"),
    ("scheduler_core/recording", "events", "scheduler_core/recording/test_chunks.py"),
    ("scheduler_core/recording", "errors stores", "scheduler_core/recording/test_reader.py"),
    ("scheduler_core/recording/frames", "decoder encoder", "scheduler_core/recording/frames/test_codec.py"),
    ("scheduler_core/recording/frames", "group_writer", "scheduler_core/recording/frames/test_codec.py"),
    ("scheduler_core/testing", "engines", "conformance/test_recorded_decisions.py"),
    ("scheduler_core/testing", "check_plugin facts plugin_subject", "contract/test_check_plugin.py"),
    ("scheduler_core/testing", "following generated", "contract/test_plugins.py"),
    ("scheduler_core/testing", "builders", "scheduler_core/columns/test_node_table.py"),
    ("scheduler_core/testing", "agreement fake_handle", "scheduler_core/plugins/test_agreement.py"),
    ("scheduler_core/testing", "scenario_steps", "scheduler_core/testing/test_scheduling_scenarios.py"),
    ("scheduler_core/workloads", "timeline", "scheduler_core/engine/test_timelines.py"),
]


def modules() -> Iterator[Path]:
    """Yield the modules of both trees, relative to the project's folder."""
    for tree in ("scheduler_core", "dashboard"):
        for path in (ROOT / tree).rglob("*.py"):
            if path.name not in DECLARATIONS and path.parent.name != "migrations":
                yield path.relative_to(ROOT)


def mirrored(module: Path) -> Path:
    """Return the file of tests at the same path."""
    return Path("tests") / module.parent / f"test_{module.name}"


def listed() -> dict[Path, Path]:
    """Return {module: file of tests} of the lines."""
    return {
        Path(room) / f"{name}.py": Path("tests") / tests for room, names, tests in HELD_BY for name in names.split()
    }


def test_every_module_has_tests_at_its_path_or_a_line_here():
    without = {module for module in modules() if not (ROOT / mirrored(module)).exists()}
    assert sorted(map(str, without - listed().keys())) == []


def test_no_line_is_left_of_a_module_that_has_its_own_tests_or_is_gone():
    without = {module for module in modules() if not (ROOT / mirrored(module)).exists()}
    assert sorted(map(str, listed().keys() - without)) == []


def test_the_tests_that_lines_name_are_there():
    assert sorted({str(tests) for tests in listed().values() if not (ROOT / tests).exists()}) == []
    assert sum(len(names.split()) for _room, names, _tests in HELD_BY) == len(listed()), "a module has two lines"
