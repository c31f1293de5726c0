"""The data behind answers about a cluster: the objects of a revision, and the engine's state of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.clusters.drafts.contents import contents_of_draft
from dashboard.clusters.models import Draft
from dashboard.clusters.revisions.contents import read_contents
from dashboard.common.problems import NotFound
from dashboard.runs import chosen
from dashboard.runs.inputs import policies_from
from scheduler_core.explain.fit import FitSession
from scheduler_core.simulate import RunInputs

if TYPE_CHECKING:
    from dashboard.answers.answering.sessions import Sessions
    from dashboard.clusters.models import Revision
    from dashboard.clusters.revisions.contents import Contents
    from scheduler_core.api.objects import ClusterObjects


class ClusterSource:
    """A revision as answers read it; the engine's state of it is kept in `sessions` for the next question."""

    def __init__(self, revision: Revision, sessions: Sessions) -> None:
        self.revision = revision
        self.sessions = sessions

    def contents(self, draft: int = 0) -> Contents:
        """Return what the revision holds, or a draft of its cluster; raises NotFound where the draft is gone."""
        if not draft:
            return read_contents(self.revision)
        drafts = Draft.objects.select_related("cluster__workspace", "base__cluster")
        shown_draft = drafts.filter(pk=draft, cluster=self.revision.cluster_id).first()
        if shown_draft is None:
            raise NotFound("This draft does not exist any more.")
        return contents_of_draft(shown_draft)

    def fit_session(self, config: str, objects: ClusterObjects, draft: int = 0) -> FitSession:
        """Return the engine on these objects, which are those of the revision or draft but for some edits.

        Raises NotFound for an unknown configuration, InputError and ProfileError for one that cannot work.
        """
        configuration = chosen.named(self.revision.cluster.workspace, config)
        key = (self.revision.pk, self.revision.sha256, "fit", configuration.sha256, draft)

        def made() -> FitSession:
            policies = policies_from(configuration.policies_on(self.revision))
            return FitSession(RunInputs(objects=objects, configuration=configuration.typed(), policies=policies))

        session = self.sessions.get(key, self.revision.n_objects, made)
        if not session.follow(objects):
            self.sessions.forget(key)
            session = self.sessions.get(key, self.revision.n_objects, made)
        return session
