"""Preemption as of v1.17: its rules, criteria and source."""

from __future__ import annotations

from tests.docs.documents.rows import Document, works

PLUGIN = "plugins/test_generic_preemption:"
DRY_RUN = "framework/preemption/test_generic_evaluator:"
HERE = "plugins/generic_preemption.py"
EVALUATOR = "framework/preemption/generic_evaluator.py"
CRITERIA = f"{PLUGIN}the_criteria_decide_in_order"

DOCUMENT = Document(
    "Preemption and its algorithms in pictures (2020)",
    "Choose the preset `generic-preemption-2020`; without it runs preempt as v1.34 does.",
    {
        "1 The rules": [
            works(
                "priority inversion: a pod that depends on a victim gets no node by evicting it",
                HERE,
                f"{PLUGIN}a_pod_that_depends_on_the_victim_gets_no_node_by_evicting_it",
            ),
            works("1.4.1 the fewest violations of disruption budgets", "framework/preemption/decision.py", CRITERIA),
            works(
                "1.4.2 the lowest priority of the most important victim",
                "framework/preemption/decision.py",
                CRITERIA,
                f"{DRY_RUN}the_first_victim_stands_for_the_highest_priority",
            ),
            works(
                "1.4.3 the smallest sum of priorities, each with MaxInt32 + 1 added",
                "framework/preemption/decision.py",
                CRITERIA,
            ),
            works("1.4.4 the fewest victims", "framework/preemption/decision.py", CRITERIA),
            works(
                "1.4.5 the latest start of the most important victims",
                "framework/preemption/decision.py",
                CRITERIA,
                f"{PLUGIN}what_ties_in_all_five_criteria_is_drawn",
            ),
        ],
        "2.1 to 2.3 Who preempts, and where": [
            works(
                "only pods that no node fits preempt, not those whose attempt ended in an error",
                "engine/attempt.py",
                "engine/test_plugins_that_raise:an_attempt_that_ends_in_an_error_preempts_nobody",
            ),
            works(
                "podEligibleToPreemptOthers: preemptionPolicy Never",
                HERE,
                f"{PLUGIN}who_may_not_preempt",
                "plugins/test_default_preemption:a_policy_of_never_leaves_the_nomination",
            ),
            works(
                "... and a pod of lower priority that is leaving its nominated node",
                HERE,
                f"{PLUGIN}who_may_not_preempt",
                "framework/preemption/test_evaluator:it_waits_for_a_victim_of_lower_priority_that_is_leaving_its_nominated_node",
            ),
            works("ErrNoNodesAvailable", "engine/attempt.py", "engine/test_inputs:no_nodes_is_a_message_of_its_own"),
            works(
                "nodesWherePreemptionMightHelp: the errors that no eviction mends",
                HERE,
                f"{PLUGIN}listed_errors_rule_a_node_out",
                note="four of the five: the plugin of ErrNodeLabelPresenceViolated was removed from Kubernetes",
            ),
            works(
                "no node where preemption might help: the pod's own nomination is cleared",
                HERE,
                f"{PLUGIN}listed_errors_rule_a_node_out",
            ),
        ],
        "2.4 and 2.5 Victims of a node": [
            works(
                "selectNodesForPreemption: all those nodes are examined",
                EVALUATOR,
                CRITERIA,
                note="one after another; sixteen goroutines have no meaning here",
            ),
            works(
                "selectVictimsOnNode: all lower pods go, then the filters decide again",
                EVALUATOR,
                "framework/preemption/test_victim_mask:the_worked_example_holds",
                "framework/preemption/test_bulk_dry_run:kept_answers_and_dry_runs_agree",
            ),
            works(
                "groups by disruption budgets: an empty selector and pods without labels match nothing",
                EVALUATOR,
                f"{DRY_RUN}what_a_budget_matches",
                f"{DRY_RUN}a_budget_of_another_namespace_does_not_count",
            ),
            works(
                "pods come back: violating ones first, then by importance",
                EVALUATOR,
                f"{DRY_RUN}violating_pods_are_reprieved_first",
            ),
            works("the number of violating victims", EVALUATOR, f"{DRY_RUN}victims_do_not_use_a_budget_up"),
            works(
                "metadata follow victims in the dry run (AddPod, RemovePod)",
                "framework/preemption/dry_run.py",
                "plugins/inter_pod_affinity/test_generated:adding_and_removing_pods_equals_counting_again",
                "plugins/pod_topology_spread/test_generated:adding_and_removing_pods_equals_counting_again",
            ),
            works(
                "processPreemptionWithExtenders",
                "framework/preemption/evaluator.py",
                "extenders/test_chain:what_is_returned_takes_the_place_of_the_candidates",
                note="with DefaultPreemption; the preset of this document asks no extender",
            ),
        ],
        "2.6 The choice, and what follows": [
            works("a node without victims wins at once", HERE, f"{PLUGIN}a_node_without_victims_wins_at_once"),
            works(
                "nominated pods of lower priority on the node lose their nomination",
                HERE,
                f"{PLUGIN}lower_nominations_on_the_node_are_cleared",
            ),
            works(
                "victims leave after their grace period, and the pod is tried again",
                "engine/consequences/evictions.py",
                "profiles/test_presets:the_older_preemption_runs_in_place_of_the_newer",
                "engine/test_teaching_run:preemption_avoids_the_budget_and_takes_lower_priorities_only",
            ),
            works(
                "candidates, criteria and victims on the page",
                "dashboard/debugger/panels/preemption.py",
                "dashboard/debugger/panels/test_preemption:preemption_s_candidates_fall_where_the_steps_say",
                "dashboard/debugger/test_attempt:preemption_names_victim_and_criterion",
            ),
            works(
                "beside it, preemption as v1.34 has it",
                "plugins/default_preemption.py",
                "plugins/test_default_preemption:the_choice",
                "conformance/test_recorded_decisions:as_recorded",
            ),
        ],
    },
)
