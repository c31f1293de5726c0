"""What a comparison with a dump cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scheduler_core.explain.agreement.texts import unknowns

if TYPE_CHECKING:
    from dashboard.runs.chosen import ChosenConfiguration
    from scheduler_core.explain.agreement import AgreementFigures


def doubts_of(figures: AgreementFigures, configuration: ChosenConfiguration) -> list[tuple[str, str]]:
    """Return (subject, text) of what a snapshot cannot tell, and of extenders, which are not asked here."""
    doubts = list(unknowns(figures))
    if addresses := configuration.extenders_not_asked:
        verb = "was" if len(addresses) == 1 else "were"
        text = (
            f"{', '.join(addresses)} {verb} not asked: nodes that the real scheduler did not choose because of them"
            " count as feasible here, and their scores are missing."
        )
        doubts.insert(0, ("Extenders", text))
    return doubts
