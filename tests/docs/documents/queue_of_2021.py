"""The scheduling queue as of v1.21/v1.22: an annotated walk through its source."""

from __future__ import annotations

from tests.docs.documents.rows import Document, meaningless, works

QUEUE = "queue/test_scheduling_queue:"
RULES = "queue/test_rules:"
MOVES = "queue/scheduling_queue.py"

DOCUMENT = Document(
    "SchedulingQueue (a walk through the queue's source, 2021)",
    "Choose the preset `move-cycle-queue-2021` for the queue as described; without it runs have the queue of v1.34.",
    {
        "The interface": [
            works(
                "Add: into activeQ, out of the other queues, nominated",
                MOVES,
                f"{QUEUE}an_update_of_an_unknown_pod_adds_it",
                "queue/test_board:a_newer_pod_of_the_same_name_takes_the_place_of_the_older",
            ),
            works(
                "AddUnschedulableIfNotPresent(pod, cycle of the attempt)",
                "queue/rules.py",
                f"{RULES}a_move_request_during_the_attempt_sends_the_pod_to_backoff",
                f"{QUEUE}a_pod_that_is_back_in_the_queue_already_only_ends_its_attempt",
            ),
            works("SchedulingCycle, one more with each Pop", MOVES, f"{QUEUE}a_pop_counts_the_attempt_and_the_cycle"),
            works(
                "Pop: the head of activeQ, its attempts counted",
                MOVES,
                f"{QUEUE}pods_are_popped_by_priority_then_in_order_of_arrival",
                f"{QUEUE}a_pop_counts_the_attempt_and_the_cycle",
            ),
            meaningless(
                "Pop blocks on a condition; locks, Broadcast",
                "time is virtual: the engine goes to the next moment at which something happens",
            ),
            works(
                "Update of a pod that waits",
                MOVES,
                f"{RULES}any_update_but_of_the_status_moves_an_unschedulable_pod",
                f"{QUEUE}an_update_in_active_keeps_the_place_unless_the_order_changes",
            ),
            works("Delete of a pod that waits", MOVES, f"{QUEUE}a_deleted_pod_leaves_any_lane"),
            works(
                "MoveAllToActiveOrBackoffQueue(event)",
                MOVES,
                f"{RULES}events_count_by_name_and_hints_are_not_asked",
                f"{RULES}a_time_out_of_gated_pods_alone_is_a_move_request",
            ),
            works(
                "AssignedPodAdded, AssignedPodUpdated",
                "queue/event_handlers.py",
                "queue/test_event_handlers:before_hints_assigned_pods_concern_pods_that_want_to_be_near",
            ),
            works(
                "PendingPods, NumUnschedulablePods",
                MOVES,
                "queue/test_snapshot:a_state_survives_encoding_and_restores_every_place_in_order",
                "queue/test_types:the_lanes_have_the_names_of_the_recorded_ones",
                note="as the lanes of the queue board",
            ),
            meaningless("Close", "a run ends by itself"),
            works(
                "PodNominator",
                "queue/nominator.py",
                "queue/test_nominator:pods_are_kept_by_node_in_order_of_nomination",
                "queue/test_nominator:an_update_follows_the_status_unless_it_never_had_a_nomination",
            ),
        ],
        "The three queues": [
            works(
                "activeQ: a heap by priority, then by time",
                "plugins/priority_sort.py",
                "plugins/test_priority_sort:higher_priority_goes_first_and_equal_ones_in_order_of_time",
            ),
            works(
                "podBackoffQ by expiry",
                "queue/board.py",
                f"{RULES}errors_share_the_one_backoff_queue",
                "queue/test_backoff:without_windows_the_expiry_is_exact_and_must_be_passed",
            ),
            works(
                "unschedulableQ",
                "queue/unschedulable.py",
                "queue/test_unschedulable:candidates_are_those_of_the_plugins_and_those_that_nobody_refused",
            ),
            works(
                "QueuedPodInfo: timestamp, attempts, first attempt, UnschedulablePlugins",
                "queue/types.py",
                f"{QUEUE}the_timestamp_is_renewed_by_a_failure_and_by_nothing_else",
                "queue/test_snapshot:loading_at_time_zero_keeps_the_first_attempt_at_zero",
                "queue/test_types:rejectors_are_all_plugins_that_keep_the_pod_out",
            ),
        ],
        "Timers and moves": [
            works(
                "Run: flushes after 1 s and 30 s",
                "queue/backoff.py",
                "profiles/test_presets:a_pod_stays_unschedulable_for_60_seconds_and_is_flushed_at_the_next_30",
                f"{RULES}backoff_ends_on_the_dot_and_is_never_popped_early",
            ),
            works(
                "backoff of 1 s that doubles to 10 s with the attempts",
                "queue/backoff.py",
                "queue/test_backoff:backoff_doubles_from_a_second_to_ten",
                f"{RULES}backoff_grows_with_the_attempts",
            ),
            works(
                "flushBackoffQCompleted: expiry at or before now",
                "queue/backoff.py",
                "queue/test_backoff:the_older_queue_counts_attempts_and_ends_on_the_dot",
            ),
            works(
                "flushUnschedulableQLeftover: strictly longer than 60 s",
                "queue/backoff.py",
                "queue/test_backoff:the_leftover_timer_needs_more_than_the_stay",
                f"{RULES}pods_stay_unschedulable_for_sixty_seconds_at_the_longest",
            ),
            works(
                "podMatchesEvent against UnschedulablePlugins",
                MOVES,
                f"{RULES}events_count_by_name_and_hints_are_not_asked",
                "profiles/test_presets:events_are_names_and_wake_whom_a_hint_would_let_sleep",
            ),
            works(
                "isPodBackingoff: into backoffQ, else into activeQ",
                MOVES,
                f"{QUEUE}an_event_during_backoff_leads_to_backoff_and_the_flush_to_active",
            ),
            works(
                "moveRequestCycle: a move during the attempt leads to backoffQ",
                "queue/rules.py",
                f"{RULES}a_move_request_during_the_attempt_sends_the_pod_to_backoff",
                f"{RULES}a_move_request_of_an_earlier_cycle_does_not",
                f"{RULES}without_a_move_request_even_an_error_ends_in_unschedulable",
            ),
            works(
                "metric SchedulerQueueIncomingPods{queue, event}",
                "dashboard/common/monitoring/metrics.py",
                "dashboard/common/monitoring/test_metrics:figures_carry_the_names_of_the_reference",
            ),
        ],
        "Beyond the document": [
            works(
                "gated pods and attempts in flight, as v1.34 has them",
                "queue/in_flight.py",
                f"{QUEUE}a_gated_pod_waits_for_its_gates_alone",
                "queue/test_in_flight:events_are_kept_for_the_oldest_attempt_and_dropped_after_it",
            ),
            works(
                "the queue is chosen by a preset, on pages and command line",
                "profiles/presets.py",
                "profiles/test_presets:the_command_line_takes_a_preset",
                "browser/test_presets:a_preset_is_run_from_the_list",
            ),
        ],
    },
)
