"""The scheduling framework: points, handle, registry, configuration, plugins of others."""

from __future__ import annotations

from tests.docs.documents.rows import Document, meaningless, works

POINTS = "engine/test_extension_points:"
RUNTIME = "framework/runtime"
CONTRACT = "framework/contracts/plugin.py"
GANG = "examples/test_coscheduling:"
QUOTA = "examples/test_capacity_scheduling:"
ALL = f"{POINTS}a_pod_passes_all_points_and_is_bound"
AFFINITY = "plugins/test_node_affinity:"

DOCUMENT = Document(
    "Scheduler Framework (2021)",
    "Plugins are written as `docs/plugins.md` says; two packages beside the product show how.",
    {
        "Extension points": [
            works(
                "QueueSort",
                CONTRACT,
                "plugins/test_priority_sort:higher_priority_goes_first_and_equal_ones_in_order_of_time",
                f"{GANG}groups_follow_each_other_in_the_queue",
            ),
            works(
                "PreFilter: all have to succeed",
                RUNTIME,
                f"{GANG}pods_of_a_group_that_is_too_small_are_not_tried_on_nodes",
                "docs/test_plugins_page:every_extension_point_is_in_the_table",
            ),
            works(
                "PreFilter's AddPod, RemovePod",
                CONTRACT,
                "plugins/inter_pod_affinity/test_generated:adding_and_removing_pods_equals_counting_again",
            ),
            works(
                "Filter: all of them, the first refusal counts",
                RUNTIME,
                "framework/contracts/test_filter_outcome:a_node_counts_with_its_first_refusal",
            ),
            works(
                "PostFilter: the first success",
                RUNTIME,
                "profiles/test_profiles_at_work:with_default_preemption_the_lower_pod_is_evicted",
                "profiles/test_profiles_at_work:without_any_post_filter_the_failure_is_that_of_the_filters",
            ),
            works(
                "PreScore, Score, NormalizeScore",
                RUNTIME,
                "framework/runtime/test_score_phase:totals_are_those_of_the_plugins_that_do_not_skip",
                "framework/contracts/test_normalizers:default_normalisation_as_in_normalize_score_go",
            ),
            works("Reserve", RUNTIME, ALL),
            works(
                "Unreserve, in the reverse order",
                f"{RUNTIME}/binding_points.py",
                "framework/runtime/test_binding_points:plugins_unreserve_in_the_reverse_order_in_which_they_reserved",
            ),
            works(
                "Permit: allow, reject, wait with a time-out",
                f"{RUNTIME}/binding_points.py",
                f"{POINTS}a_waiting_pod_can_be_rejected_by_another_call",
                f"{POINTS}a_waiting_pod_times_out_and_goes_back_to_the_queue",
                "engine/test_two_waits:the_earlier_time_out_rejects",
            ),
            works(
                "PreBind: a failure gives the place back, and the pod is tried again",
                f"{RUNTIME}/binding_points.py",
                f"{POINTS}a_failed_pre_bind_returns_the_pod_with_an_error_and_backoff",
            ),
            works(
                "Bind: the first that does not skip",
                f"{RUNTIME}/binding_points.py",
                "plugins/test_default_binder:the_default_binder_takes_every_pod",
            ),
            works(
                "PostBind",
                f"{RUNTIME}/binding_points.py",
                ALL,
                f"{GANG}a_whole_group_is_bound_once_its_last_pod_has_a_node",
            ),
            works(
                "PreEnqueue, which is newer",
                CONTRACT,
                "plugins/test_scheduling_gates:a_pod_with_gates_waits_and_all_of_them_are_named",
            ),
            works(
                "the picture of the points",
                "templates/debugger",
                "dashboard/debugger/panels/cycle/test_call_strip:preemption_is_the_result_of_post_filter",
                "browser/test_inspector:extension_points_are_one_stop_of_tab_and_move_with_arrows",
                note="as the strip of a cycle",
            ),
            works(
                "the binding cycle apart from the scheduling cycle: assume, forget",
                "engine/scheduler.py",
                f"{POINTS}a_refusal_after_the_choice_takes_the_place_back",
                "engine/test_scheduler:a_pod_refused_while_it_waits_for_its_binding_is_not_woken_by_its_own_room",
            ),
        ],
        "Framework, Handle and CycleState": [
            works("the framework's Run methods", RUNTIME, "conformance/test_recorded_decisions:as_recorded"),
            meaningless("HasFilterPlugins, ListPlugins and the like", "lists are plain attributes"),
            works(
                "SnapshotSharedLister",
                "framework/contracts/handle.py",
                "scheduler_core/testing/test_fake_handle:time_stands_still_placed_pods_are_known_and_draws_are_the_smallest",
                note="`handle.cluster`",
            ),
            works(
                "IterateOverWaitingPods, RejectWaitingPod",
                "framework/contracts/waiting_pod.py",
                f"{GANG}waiting_ends_with_the_time_out_and_takes_the_whole_group",
            ),
            works(
                "GetWaitingPod(uid)",
                "framework/contracts/run_context.py",
                f"{POINTS}a_waiting_pod_counts_on_its_node_until_another_plugin_call_allows_it",
            ),
            meaningless(
                "ClientSet, SharedInformerFactory, EventRecorder",
                "there is no API server; plugins get objects and their changes from the run",
            ),
            works(
                "PreemptHandle",
                "framework/preemption",
                "framework/preemption/test_ruled_evaluator:the_rules_choose_the_victims_and_the_criteria_the_node",
                f"{QUOTA}who_goes_beyond_its_min_takes_only_lower_pods_of_its_own",
            ),
            works(
                "CycleState",
                "framework/contracts/cycle_state.py",
                "framework/runtime/test_missing_state:a_filter_without_its_pre_filter_works_or_ends_the_cycle_with_an_error",
            ),
            works(
                "status codes",
                "framework/contracts/status.py",
                "framework/contracts/test_status:codes_have_upstreams_numbers_and_names",
                "framework/contracts/test_status:a_rejection_is_a_refusal_without_an_error",
            ),
            works(
                "metrics of extension points and plugins",
                "dashboard/common/monitoring/metrics.py",
                "dashboard/common/monitoring/test_metrics:figures_carry_the_names_of_the_reference",
                "dashboard/runs/storage/test_metrics:figures_are_exposed_under_the_references_names",
            ),
        ],
        "The plugin NodeAffinity": [
            works(
                "Name and Filter are enough for a plugin",
                CONTRACT,
                "docs/test_plugins_page:the_small_plugin_keeps_the_contract",
            ),
            works(
                "nodeSelector storage: ssd",
                "plugins/node_affinity.py",
                f"{AFFINITY}filter",
                f"{AFFINITY}node_selector_and_affinity_must_both_hold",
            ),
            works(
                "required and preferred DuringScheduling IgnoredDuringExecution",
                "plugins/node_affinity.py",
                f"{AFFINITY}filter",
                f"{AFFINITY}score_sums_the_weights_of_matching_terms",
            ),
            meaningless(
                "the two forms RequiredDuringExecution",
                "Kubernetes never had them; an object with one is refused, with what to write instead",
            ),
            works(
                "the manifest as printed, with nodeSelectorTerms; one without is refused at its field",
                "manifests",
                "docs/documents/test_quotes:the_printed_manifest_is_read_with_its_terms",
                "manifests/test_verdicts:a_wrong_pod_spec_names_field_and_advice",
            ),
            works("a refusal is UnschedulableAndUnresolvable", "plugins/node_affinity.py", f"{AFFINITY}filter"),
            works(
                "the score is the sum of the weights that match",
                "plugins/node_affinity.py",
                f"{AFFINITY}score_sums_the_weights_of_matching_terms",
            ),
        ],
        "Registry and own schedulers": [
            works(
                "Registry, Option, WithPlugin, New(args, handle)",
                "profiles/registry.py",
                "profiles/test_registry:the_registry_has_the_default_plugins_in_their_order",
                f"{GANG}a_name_is_taken_once_only",
                f"{GANG}bad_arguments_are_refused",
            ),
            works(
                "a plugin from outside, installed and used everywhere",
                "profiles/registry.py",
                "contract/test_cases:the_configuration_of_a_plugin_that_is_installed_is_taken_by_every_command",
                f"{GANG}the_installed_package_is_found_by_another_process",
            ),
            works(
                "main() of an own scheduler",
                "simulate.py",
                "engine/test_plugins_that_raise:once_the_plugin_works_again_the_pod_is_bound",
                note="`RunSession.start(inputs, registry)`",
            ),
            works(
                "a configuration of v1beta1",
                "manifests/configuration",
                "manifests/configuration/test_older_versions:an_older_version_is_refused_with_a_v1_text_that_loads",
                "browser/test_foreign_configuration:it_is_converted_by_a_click_and_a_group_waits_at_permit",
            ),
            works(
                "leaderElection, clientConnection",
                "manifests/configuration",
                "manifests/configuration/test_configurations:a_full_configuration_is_read_as_written",
                note="read, without effect",
            ),
            works(
                "enabled, disabled, '*', several profiles",
                "profiles/plugin_sets.py",
                "profiles/test_plugin_sets:a_star_at_a_point_leaves_only_what_is_enabled_there",
                "profiles/test_profiles_at_work:two_profiles_decide_with_their_own_plugins",
            ),
        ],
        "Plugins and schedulers of others": [
            works(
                "Coscheduling",
                "examples/coscheduling",
                f"{GANG}a_whole_group_is_bound_once_its_last_pod_has_a_node",
                f"{GANG}a_group_without_room_for_all_holds_no_node",
                f"{GANG}the_v1beta1_example_of_seed_004_is_refused_and_its_conversion_runs",
            ),
            works(
                "CapacityScheduling, elastic quotas",
                "examples/capacity_scheduling",
                f"{QUOTA}story_of_two_quotas_on_ten_gpus",
                f"{QUOTA}story_of_three_quotas_takes_from_the_one_that_borrows",
                f"{QUOTA}the_tutorial_of_two_quotas_on_eight_cpus",
            ),
            works(
                "HTTP extenders: filter, prioritize, preempt, bind",
                "extenders",
                "conformance/test_recorded_decisions:as_recorded",
                "extenders/test_chain:ignorable_extenders_are_asked_after_all_others",
                "engine/test_extended_runs:every_setting_of_the_engine_gives_one_history",
                note="in the engine, which is handed what answers for them; pages leave them out on request",
            ),
            works(
                "bin packing",
                "profiles/presets.py",
                "profiles/test_presets:most_allocated_fills_the_node_that_is_used_already",
                "profiles/test_presets:gpus_are_packed_where_the_rest_of_the_node_is_emptier",
            ),
            works(
                "several schedulers in one cluster",
                "profiles/stand_ins.py",
                "profiles/test_stand_ins:a_stand_in_decides_as_its_profile",
                "engine/test_inputs:bound_pods_of_other_schedulers_wait_or_stay_bound",
                note="their pods stay pending, stay bound, or are decided by a profile",
            ),
            works(
                "dynamic resource allocation",
                "plugins/dynamic_resources",
                "plugins/dynamic_resources/test_plugin:a_pod_that_has_its_claims_is_let_through_and_refused_then",
                "explain/devices/test_funnel:each_test_leaves_a_part_and_the_last_number_decides_as_the_allocator_does",
                note="as kube-scheduler 1.34 to 1.36; claims are made, freed and deleted in virtual time",
            ),
            works(
                "volumes that are bound with the pod",
                "plugins/volume_binding",
                "plugins/volume_binding/test_plugin:reserve_selects_the_node_for_a_claim_to_provision_and_survives_saving",
            ),
        ],
    },
)
