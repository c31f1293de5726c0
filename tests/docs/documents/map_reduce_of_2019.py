"""Scoring by map and reduce, without locks."""

from __future__ import annotations

from tests.docs.documents.rows import Document, meaningless, works

PRESETS = "profiles/test_presets:"

DOCUMENT = Document(
    "Scoring by map and reduce without locks (2019)",
    "Choose the preset `map-reduce-scores-2019` for the draw among equals as described.",
    {
        "1 The design": [
            works(
                "1.1, 1.3 map for each node, reduce for each plugin",
                "framework/contracts/normalizers.py",
                f"{PRESETS}the_matrix_is_reduced_per_plugin_and_summed_with_weights",
                "framework/contracts/test_normalizers:default_normalisation_as_in_normalize_score_go",
            ),
            works(
                "1.4 weights, and their sum",
                "framework/runtime/score_phase.py",
                f"{PRESETS}the_matrix_is_reduced_per_plugin_and_summed_with_weights",
                "framework/runtime/test_score_phase:totals_are_those_of_the_plugins_that_do_not_skip",
            ),
            works(
                "1.5 a random choice among equals",
                "framework/contracts/run_context.py",
                "framework/contracts/test_run_context:each_of_equal_hosts_is_drawn_about_as_often",
            ),
        ],
        "2 The source": [
            works(
                "2.1 results[algorithm][node]",
                "dashboard/debugger/panels/matrix",
                "recording/test_against_engine:frames_agree_with_the_events_of_their_cycle",
                "dashboard/debugger/panels/matrix/test_view_model:values_are_those_of_the_frame",
                note="recorded whole, and shown as the matrix",
            ),
            meaningless(
                "2.2 ParallelizeUntil with 16 workers, a goroutine for each algorithm",
                "a plugin answers for all nodes at once, as columns",
            ),
            meaningless(
                "priorityConfig.Function, which scores all nodes in one call", "Kubernetes removed it; nothing used it"
            ),
            works(
                "errors are collected, and the attempt fails",
                "engine/attempt.py",
                "engine/test_plugins_that_raise:the_attempt_ends_with_an_error_and_other_pods_are_bound",
            ),
            works(
                "2.4 each score in the log (V(10))",
                "dashboard/debugger/panels/matrix",
                "dashboard/debugger/panels/matrix/test_chosen_cell:a_plugin_s_score_is_shown_with_its_share_of_the_total",
                note="stored with the run",
            ),
            works(
                "2.4 scores of extenders are added",
                "framework/runtime/extended_scores.py",
                "extenders/test_chain:scores_count_ten_times_the_weight",
                "framework/runtime/test_extended_scores:totals_of_the_frame_are_those_of_the_choice",
            ),
            works(
                "2.5 selectHost: a reservoir of one among the best",
                "framework/contracts/run_context.py",
                f"{PRESETS}an_equal_replaces_the_kept_one_when_its_draw_is_zero",
                f"{PRESETS}each_equal_has_the_same_chance",
                f"{PRESETS}runs_with_a_reservoir_repeat",
            ),
            meaningless(
                "2.5 an empty list of priorities is an error",
                "without a node that fits, PostFilter runs and no host is chosen",
            ),
        ],
    },
)
