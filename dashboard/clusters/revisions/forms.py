"""Forms of clusters: what people type, checked before an action sees it."""

from __future__ import annotations

from django import forms

from dashboard.accounts.forms import no_nul
from dashboard.clusters.models import NAME_LENGTH
from dashboard.clusters.revisions.actions import NewCluster


class ClusterForm(forms.Form):
    """Name and description of a cluster."""

    name = forms.CharField(max_length=NAME_LENGTH, validators=[no_nul])
    description = forms.CharField(max_length=2_000, required=False, validators=[no_nul])

    def as_new(self) -> ClusterForm:
        """Return the form with examples, for a cluster that has neither yet."""
        self.fields["name"].widget.attrs["placeholder"] = "prod-eu-1"
        self.fields["description"].widget.attrs["placeholder"] = "what it stands for"
        return self

    def as_settings(self) -> ClusterForm:
        """Return the form with what a new name changes."""
        self.fields["name"].help_text = "Its address stays when the name changes, so links keep working."
        return self

    def new(self) -> NewCluster:
        """Return what a valid form says."""
        return NewCluster(self.cleaned_data["name"], self.cleaned_data["description"])
