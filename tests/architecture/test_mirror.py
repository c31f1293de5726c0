"""Every module has its tests at the same path, or a reason here, with the tests which run it.

What only declares (apps, addresses, constants, records without a function of their own) needs neither.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DECLARATIONS = {"__init__.py", "apps.py", "urls.py"}
# {reason: [(room, its modules without tests of their own, the file of tests/ that runs them)]}. A new module has tests.
REASONS = {
    "a part of admission, which recorded answers and runs go through": [
        (
            "scheduler_core/admission",
            "admitting amounts classes limit_ranges usage validity verdicts",
            "conformance/test_recorded_controllers.py",
        ),
        ("scheduler_core/engine/arrivals", "pods_at_start", "scheduler_core/engine/arrivals/test_admission.py"),
        (
            "scheduler_core/engine/consequences",
            "admissions retries",
            "scheduler_core/engine/arrivals/test_admission.py",
        ),
    ],
    "a part of the answers about owners, which their cases go through": [
        ("scheduler_core/controllers/rollouts", "unfinished", "contract/test_owner_cases.py"),
        ("scheduler_core/explain/rollouts", "model moving", "contract/test_owner_cases.py"),
        (
            "scheduler_core/explain/not_created",
            "of_classes of_quotas of_ranges proposals refused_pods",
            "contract/test_owner_cases.py",
        ),
        ("scheduler_core/explain/remedies", "whole_runs", "contract/test_owner_cases.py"),
    ],
    "a part of the controllers, which recorded histories and runs go through": [
        (
            "scheduler_core/controllers/rollouts",
            "daemon_sets played_jobs pods_seen progress replica_sets revisions shares stateful_sets",
            "conformance/test_recorded_controllers.py",
        ),
        (
            "scheduler_core/engine/consequences/owners",
            "deployment_syncs held readiness retries syncs",
            "scheduler_core/engine/consequences/owners/test_owners.py",
        ),
        (
            "scheduler_core/testing/controller_scenarios",
            "admitted api_events api_server comparing invalid playing pods reading states watching",
            "conformance/test_recorded_controllers.py",
        ),
    ],
    "records whose members are one expression each": [
        ("scheduler_core/api", "quotas taints", "scheduler_core/manifests/kinds/test_admission.py"),
        ("scheduler_core/explain/pending", "model", "scheduler_core/explain/pending/test_answer.py"),
        ("scheduler_core/explain/devices", "model", "scheduler_core/explain/devices/test_page.py"),
        ("scheduler_core/compare/upgrade", "model", "scheduler_core/compare/upgrade/test_lines.py"),
        ("scheduler_core/explain/messages", "model", "scheduler_core/explain/messages/test_answer.py"),
        ("scheduler_core/explain/rivals", "model", "scheduler_core/explain/rivals/test_compare.py"),
        ("scheduler_core/recording", "events", "scheduler_core/recording/test_chunks.py"),
        (
            "scheduler_core/workloads/generator",
            "description",
            "scheduler_core/workloads/generator/test_reading.py",
        ),
        (
            "scheduler_core/workloads/scheduler_perf",
            "benchmark",
            "scheduler_core/workloads/scheduler_perf/test_reading.py",
        ),
        ("scheduler_core/explain/watches", "model", "scheduler_core/explain/watches/test_parsing.py"),
        ("dashboard/answers", "questions", "dashboard/answers/test_asking.py"),
        ("dashboard/upgrade", "queries", "dashboard/upgrade/test_actions.py"),
        ("dashboard/runs/models", "recorded", "dashboard/runs/test_actions.py"),
        ("dashboard/review/models", "threads", "dashboard/review/test_actions.py"),
    ],
    "a part of one reader, whose tests go through it": [
        ("scheduler_core/manifests/parsing", "archive_entries", "scheduler_core/manifests/parsing/test_archives.py"),
        (
            "scheduler_core/manifests/expansion",
            "made_up_names makers ray_clusters spark_applications spark_settings",
            "scheduler_core/manifests/expansion/test_custom_kinds.py",
        ),
        ("scheduler_core/capacity/groups", "raw_objects", "scheduler_core/capacity/groups/test_node_pools.py"),
        ("scheduler_core/manifests/kinds", "makers", "scheduler_core/manifests/expansion/test_custom_kinds.py"),
        ("scheduler_core/manifests/forms/traces", "rows", "scheduler_core/manifests/forms/traces/test_pai.py"),
        ("scheduler_core/manifests/bundle", "folding lines packed", "scheduler_core/manifests/bundle/test_reading.py"),
        ("scheduler_core/manifests/forms", "model", "scheduler_core/manifests/forms/test_recognising.py"),
        (
            "scheduler_core/explain/reality",
            "causes configurations divergence judging model situation typed_changes",
            "scheduler_core/explain/reality/test_comparing.py",
        ),
        (
            "scheduler_core/explain/reality",
            "record event_places failures victims",
            "scheduler_core/explain/reality/test_reading_record.py",
        ),
        ("scheduler_core/manifests/forms", "bundles", "scheduler_core/manifests/bundle/test_reading.py"),
        ("scheduler_core/explain/agreement", "sampling", "scheduler_core/explain/agreement/test_causes.py"),
    ],
    "a part of the evaluator, whose tests go through selectors": [
        (
            "scheduler_core/cel",
            "checking compiling errors evaluating lexing macros operators parsing patterns values",
            "scheduler_core/cel/test_cel_go.py",
        ),
        (
            "scheduler_core/cel/library",
            "amounts conversions formatting lists networks optionals registry strings times",
            "scheduler_core/cel/test_library.py",
        ),
    ],
    "a part of allocation, whose tests go through the search or recorded decisions": [
        ("scheduler_core/api", "devices", "scheduler_core/plugins/dynamic_resources/test_search.py"),
        (
            "scheduler_core/plugins/dynamic_resources",
            "constraints counters pools requests selecting",
            "scheduler_core/plugins/dynamic_resources/test_search.py",
        ),
        (
            "scheduler_core/plugins/dynamic_resources",
            "capacity claims events extended reserving results work",
            "conformance/test_recorded_decisions.py",
        ),
        (
            "scheduler_core/plugins/dynamic_resources",
            "args",
            "scheduler_core/engine/consequences/test_device_binding.py",
        ),
        ("scheduler_core/framework/plugin_helpers", "device_classes", "conformance/test_recorded_decisions.py"),
        (
            "scheduler_core/manifests/kinds/devices",
            "capacities values",
            "scheduler_core/manifests/kinds/devices/test_slices.py",
        ),
        ("scheduler_core/testing", "device_scenarios", "conformance/test_recorded_decisions.py"),
    ],
    "a part of one command, whose tests go through it against a server": [
        ("scheduler_core/collect", "description preparing", "scheduler_core/collect/test_collection.py"),
        ("scheduler_core/collect", "dry_run role", "scheduler_core/cli/live/test_collect.py"),
        ("scheduler_core/collect/sending", "address", "scheduler_core/collect/sending/test_following.py"),
    ],
    "shared by consumers, whose tests go through it": [
        ("dashboard/live", "sockets", "dashboard/live/test_workspace_consumer.py"),
        ("dashboard/runs", "origins", "dashboard/agreement/reality/test_views.py"),
    ],
    "a part of one page, which its tests read as a person does: over HTTP": [
        ("dashboard/review", "place request_form", "dashboard/review/test_page_views.py"),
        ("dashboard/review/drafts", "queries", "dashboard/review/drafts/test_actions.py"),
        ("dashboard/review/findings", "evidence groups", "dashboard/review/test_page_views.py"),
        ("dashboard/documents/configurations", "kind", "dashboard/documents/configurations/test_views.py"),
        (
            "dashboard/agreement/reality",
            "actions computing page rows strip tiles",
            "dashboard/agreement/reality/test_views.py",
        ),
        ("dashboard/clusters/importing", "bundle_saving bundles", "dashboard/agreement/reality/test_keeping.py"),
        ("scheduler_core/manifests/masking", "bundles", "dashboard/agreement/reality/test_keeping.py"),
        ("dashboard/documents", "kind", "dashboard/documents/test_views.py"),
        ("dashboard/documents/timelines", "kind", "dashboard/documents/timelines/test_views.py"),
        ("dashboard/documents/extenders", "kind", "dashboard/documents/extenders/test_views.py"),
        ("dashboard/documents/extenders", "tape_page", "dashboard/documents/extenders/test_tape_views.py"),
        ("dashboard/documents/extenders", "tape_files", "dashboard/documents/extenders/test_actions.py"),
        ("dashboard/documents/extenders", "answering", "dashboard/runs/extenders/test_source.py"),
        ("dashboard/runs/launch", "answers", "dashboard/runs/launch/test_answers_field.py"),
        (
            "dashboard/clusters/forms",
            "matching mends page writing",
            "dashboard/clusters/forms/test_views.py",
        ),
        (
            "dashboard/debugger/branches",
            "addresses collecting",
            "dashboard/debugger/branches/test_list_views.py",
        ),
        ("dashboard/debugger/why", "adding", "dashboard/debugger/branches/test_list_views.py"),
        ("dashboard/debugger/templatetags", "change_lists", "dashboard/debugger/branches/test_list_views.py"),
        ("dashboard/runs/branches", "change_lists", "dashboard/debugger/branches/test_list_views.py"),
        ("dashboard/runs/workers", "claims", "dashboard/preview/test_claims.py"),
        ("dashboard/upgrade", "form progress", "dashboard/upgrade/test_views.py"),
        ("dashboard/upgrade", "rows", "dashboard/upgrade/test_report_page.py"),
        ("dashboard/upgrade", "timelines", "dashboard/upgrade/test_computing.py"),
        ("dashboard/debugger/inputs", "layout", "dashboard/debugger/test_page.py"),
        (
            "dashboard/search",
            "answer cluster_hits place run_hits workspace_hits",
            "dashboard/search/test_views.py",
        ),
        (
            "dashboard/search/query_page",
            "address export gathering panel side table",
            "dashboard/search/query_page/test_views.py",
        ),
        ("dashboard/debugger/outcomes", "labels rows side", "dashboard/debugger/outcomes/test_table.py"),
        ("dashboard/debugger/outcomes", "unplaced", "dashboard/home/test_needs_look.py"),
        ("dashboard/home/tour", "context steps", "dashboard/home/tour/test_views.py"),
        ("dashboard/debugger/why", "address siblings views", "dashboard/debugger/why/test_pending.py"),
        (
            "dashboard/debugger/why/node",
            "address asked lines page rivals",
            "dashboard/debugger/why/node/test_views.py",
        ),
    ],
    "a part of receiving, folding and showing pieces, which its tests do": [
        (
            "dashboard/following/receiving",
            "checked_pieces scopes taking",
            "dashboard/following/receiving/test_views.py",
        ),
        ("dashboard/following/moments", "contents folded revisions", "dashboard/following/workers/test_folding.py"),
        ("dashboard/following/workers", "queue working", "dashboard/following/workers/test_folding.py"),
        ("dashboard/following/live_page", "actions page", "dashboard/following/live_page/test_views.py"),
    ],
    "one step of an answer; page and command line are compared as wholes": [
        ("dashboard/review/findings", "pods", "dashboard/review/findings/test_comparison.py"),
        ("dashboard/debugger/inputs", "attempts", "dashboard/debugger/test_asked.py"),
        ("scheduler_core/explain/remedies", "situation", "scheduler_core/explain/remedies/test_search.py"),
        ("scheduler_core/explain", "report", "scheduler_core/cli/answers/test_why.py"),
        (
            "scheduler_core/explain/messages",
            "inferring lines",
            "scheduler_core/explain/messages/test_answer.py",
        ),
        ("scheduler_core/query", "cell_plan cells", "scheduler_core/query/test_scan.py"),
        ("dashboard/query", "compiling expressions", "dashboard/query/test_rows.py"),
        ("dashboard/runs/keeping", "configuration entries plan", "dashboard/runs/keeping/test_actions.py"),
        ("dashboard/answers/answering", "cluster_source", "dashboard/answers/answering/test_placing.py"),
        ("dashboard/answers/answering", "source", "dashboard/answers/answering/test_room.py"),
    ],
    "what a command prints; its tests run the command": [
        (
            "dashboard/accounts/management/commands",
            "delete_person",
            "dashboard/accounts/leaving/test_removing.py",
        ),
        ("dashboard/accounts/leaving", "named", "dashboard/accounts/leaving/test_archive.py"),
        ("scheduler_core/cli/answers", "agree_text", "scheduler_core/cli/answers/test_agree.py"),
        ("scheduler_core/cli/common", "inputs", "scheduler_core/cli/runs/test_simulate.py"),
    ],
    "a table of fields; objects are written by it and read again": [
        ("scheduler_core/manifests/writing", "fields values", "scheduler_core/manifests/writing/test_objects.py"),
    ],
    "small parts of one answer; the engine's own verdicts on generated clusters are what they are held against": [
        ("scheduler_core/explain/matches", "model terms", "scheduler_core/explain/matches/test_engine.py"),
    ],
    "facts are recounted by a second implementation, for all plugins at once": [
        ("scheduler_core/plugins/inter_pod_affinity", "facts", "scheduler_core/explain/facts/test_collect.py"),
        ("scheduler_core/plugins/node_resources", "facts", "scheduler_core/explain/facts/test_collect.py"),
        ("scheduler_core/plugins/pod_topology_spread", "facts", "scheduler_core/explain/facts/test_collect.py"),
        ("scheduler_core/plugins/volume_binding", "claims facts", "scheduler_core/explain/facts/test_collect.py"),
    ],
    "what keeps claims from devices is removed on generated clusters, and the engine asked again": [
        (
            "scheduler_core/plugins/dynamic_resources/explaining",
            "explainer listing relaxing requested",
            "scheduler_core/explain/diagnosis/test_device_properties.py",
        ),
    ],
    "a cache or a fast form: it has to equal the plain engine, and is compared with that cycle by cycle": [
        (
            "scheduler_core/framework/incremental",
            "dirty_rows filter_cache",
            "scheduler_core/framework/incremental/test_phases.py",
        ),
        (
            "scheduler_core/framework/runtime",
            "cacheable_answers phases",
            "scheduler_core/framework/incremental/test_phases.py",
        ),
        (
            "scheduler_core/framework/preemption",
            "decision dry_run examination",
            "scheduler_core/framework/preemption/test_bulk_dry_run.py",
        ),
        (
            "scheduler_core/plugins/inter_pod_affinity",
            "refiltering",
            "scheduler_core/framework/incremental/test_phases.py",
        ),
    ],
    "the ground that every run of the engine stands on; wrong, it fails the recordings of the real scheduler": [
        ("scheduler_core/columns", "node_view", "conformance/test_recorded_decisions.py"),
        ("scheduler_core/engine", "attempt", "scheduler_core/engine/test_plugins_that_raise.py"),
        ("scheduler_core/engine", "taken_over", "scheduler_core/engine/consequences/test_claims.py"),
        ("scheduler_core/engine/consequences", "evictions", "scheduler_core/engine/test_plugins_that_raise.py"),
        ("dashboard/runs/storage", "recordings", "dashboard/runs/test_execution.py"),
    ],
    "the contract itself, which is checked of each plugin": [
        ("scheduler_core/framework/contracts", "plugin", "contract/test_plugins.py"),
        ("scheduler_core/testing", "generated", "contract/test_plugins.py"),
    ],
    "made for tests; it works where they do": [
        (
            "scheduler_core/testing",
            "agreement_checks fact_checks plugin_subject state_checks",
            "scheduler_core/testing/test_check_plugin.py",
        ),
        ("scheduler_core/testing", "scenario_steps", "scheduler_core/testing/test_scheduling_scenarios.py"),
        ("scheduler_core/testing/extending", "steps", "conformance/test_recorded_decisions.py"),
    ],
    "the API server's rules, one table of cases for all kinds that share them": [
        (
            "scheduler_core/manifests/kinds/storage",
            "volume_rules",
            "scheduler_core/manifests/kinds/storage/test_persistent_volumes.py",
        ),
    ],
}


@cache
def without_tests() -> frozenset[Path]:
    """Return the modules of both trees without tests at their path, relative to the project's folder."""
    paths = [path for tree in ("scheduler_core", "dashboard") for path in (ROOT / tree).rglob("*.py")]
    return frozenset(
        path.relative_to(ROOT)
        for path in paths
        if path.name not in DECLARATIONS
        and path.parent.name != "migrations"
        and not (ROOT / mirrored(path.relative_to(ROOT))).exists()
        and does_something(path)
    )


def does_something(path: Path) -> bool:
    """Return whether the module has a function or method that is more than a declaration, or a model's name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    functions = [function for function in functions if function.name != "__str__"]
    return not all(isinstance(function.body[-1], ast.Expr) for function in functions)


def mirrored(module: Path) -> Path:
    """Return the file of tests at the same path."""
    return Path("tests") / module.parent / f"test_{module.stem.strip('_')}.py"


def listed() -> dict[Path, Path]:
    """Return {module: file of tests} of the list."""
    return {
        Path(room) / f"{name}.py": Path("tests") / tests
        for lines in REASONS.values()
        for room, names, tests in lines
        for name in names.split()
    }


@pytest.mark.slow
def test_every_module_has_tests_at_its_path_or_a_reason_here():
    assert sorted(map(str, without_tests() - listed().keys())) == []


@pytest.mark.slow
def test_no_line_is_left_of_a_module_that_has_its_own_tests_or_is_gone():
    assert sorted(map(str, listed().keys() - without_tests())) == []


def test_the_tests_that_lines_name_are_there():
    assert sorted({str(tests) for tests in listed().values() if not (ROOT / tests).exists()}) == []
    assert sum(len(names.split()) for lines in REASONS.values() for _room, names, _tests in lines) == len(listed()), (
        "a module has two lines"
    )
