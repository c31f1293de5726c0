"""The fields of the launch form that are policies of a run."""

from __future__ import annotations

from decimal import Decimal

from django import forms

from dashboard.runs.policies import POLICIES


class PolicyFields(forms.Form):
    """One field for each policy that people choose; `dashboard.runs.policies` has their values and units."""

    node_search = forms.ChoiceField(choices=POLICIES["node_search"])
    draw = forms.ChoiceField(choices=POLICIES["draw"])
    preemption_candidates = forms.ChoiceField(choices=POLICIES["preemption_candidates"])
    victims = forms.ChoiceField(choices=POLICIES["victims"])
    attempt_order = forms.ChoiceField(choices=POLICIES["attempt_order"])
    queue = forms.ChoiceField(choices=POLICIES["queue"])
    event_names = forms.ChoiceField(choices=POLICIES["event_names"])
    taint_message = forms.ChoiceField(choices=POLICIES["taint_message"])
    terminating = forms.ChoiceField(choices=POLICIES["terminating"])
    owners = forms.ChoiceField(choices=POLICIES["owners"])
    node_loss = forms.ChoiceField(choices=POLICIES["node_loss"])
    decided = forms.ChoiceField(choices=POLICIES["decided"])
    job_s = forms.DecimalField(min_value=Decimal("0.001"), max_value=86_400, decimal_places=3, required=False)
    max_replacements = forms.IntegerField(min_value=0, max_value=100_000)
    stay_s = forms.DecimalField(min_value=Decimal("0.001"), max_value=86_400, decimal_places=3, required=False)
    cycle_ms = forms.DecimalField(min_value=Decimal("0.001"), max_value=60_000, decimal_places=3)
    binding_ms = forms.DecimalField(min_value=Decimal("0.001"), max_value=600_000, decimal_places=3)
