"""Three priorities on resources, with a worked example."""

from __future__ import annotations

from tests.docs.documents.rows import Document, works

LEGACY = "plugins/legacy_priorities.py"
FORMULA = "plugins/test_legacy_priorities:as_computed_from_the_seed"
PRESETS = "profiles/test_presets:"

DOCUMENT = Document(
    "Kubernetes Notes (2): Node Prioritization on Resources (2017)",
    "Choose a preset whose name ends in `2017`.",
    {
        "The three algorithms": [
            works("calculateUnusedScore, with a capacity of 0 and requests beyond it", LEGACY, FORMULA),
            works("least requested: the mean of cpu and memory, cut to a whole number", LEGACY, FORMULA),
            works("calculateUsedScore, most requested", LEGACY, FORMULA),
            works("balanced: 10 - 10 x difference of the fractions, 0 where one reaches 1", LEGACY, FORMULA),
            works(
                "what a container does not request counts as 100m and 200 MiB",
                LEGACY,
                "plugins/test_legacy_priorities:defaults_count_per_container_that_names_nothing",
            ),
        ],
        "The example: 1 cpu on nodes of 2 and 4": [
            works(
                "least requested takes the node of 4",
                "profiles/presets.py",
                f"{PRESETS}the_two_algorithms_alone_choose_as_the_seeds_example_says",
                "contract/test_cases:of_two_nodes_most_requested_alone_packs_and_with_balance_it_does_not",
            ),
            works(
                "most requested takes the node of 2",
                "profiles/presets.py",
                f"{PRESETS}the_two_algorithms_alone_choose_as_the_seeds_example_says",
                "contract/test_cases:of_two_nodes_most_requested_alone_packs_and_with_balance_it_does_not",
            ),
        ],
        "Choosing one": [
            works(
                "DefaultProvider",
                "profiles/presets.py",
                f"{PRESETS}the_providers_add_up_their_priorities",
                f"{PRESETS}names_of_the_seeds_are_accepted_in_other_spellings",
            ),
            works(
                "ClusterAutoscalerProvider",
                "profiles/presets.py",
                f"{PRESETS}most_requested_packs_where_least_requested_spreads",
                f"{PRESETS}names_of_the_seeds_are_accepted_in_other_spellings",
            ),
            works(
                "--algorithm-provider",
                "cli/runs/simulate.py",
                f"{PRESETS}the_command_line_takes_a_preset",
                "browser/test_presets:a_preset_is_run_from_the_list",
                note="as `--preset`, and on the launch page",
            ),
        ],
    },
)
