"""Clusters with immutable revisions, drafts and imports, and the bases of all inputs of runs that have a history.

Objects are content-addressed. A revision does not have one row per object: a list of 10,000 objects would cost 10,000
rows for each saved edit, and every reader wants all of them anyway. Instead each distinct manifest is one `ObjectBlob`,
and a revision is a list of index pages, themselves content-addressed blobs of a few hundred (kind, namespace, name,
blob) entries. Page borders follow from the objects' keys, so an edit writes the changed manifest, one page and one
short row. `dashboard.clusters.revisions.object_store` writes and reads them.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.accounts.models import SLUG, Workspace

NAME_LENGTH = 120
TOKEN_LENGTH = 40
OPERATION_LENGTH = 300
# Names of Kubernetes end at 253 characters; objects are kept with names that it would refuse, too.
KEY_LENGTH = 600
COLLECTOR = "collector"
"""How the source of a revision begins that a collector sent; the name of its token follows."""


class ObjectBlob(models.Model):
    """Content of a workspace by its SHA-256: zstd-compressed canonical JSON of a manifest, or an index page.

    Addressed per workspace, so that nothing can be learnt about, or outlive, another team's content.
    """

    pk = models.CompositePrimaryKey("workspace_id", "sha256")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+", db_index=False)
    sha256 = models.BinaryField(max_length=32)
    data = models.BinaryField()

    def __str__(self) -> str:
        return bytes(self.sha256).hex()[:12]


class NamedInput(models.Model):
    """A named input of runs of a workspace, with a slug for its address and a history of revisions."""

    name = models.CharField(max_length=NAME_LENGTH)
    slug = models.CharField(max_length=50, validators=[SLUG])
    description = models.TextField(blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    # Hidden from lists; runs made from it stay readable.
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name


class NumberedRevision(models.Model):
    """One immutable state in a history; numbers count from 1 and decide who saved first."""

    document_field: ClassVar[str]
    """The name of the foreign key to the input whose state it is."""

    number = models.PositiveIntegerField()
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    message = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    # Hex SHA-256 of the content: equal hashes are equal inputs of a run.
    sha256 = models.CharField(max_length=64)

    class Meta:
        abstract = True
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"{self.document} r{self.number}"

    @property
    def document(self) -> Any:
        """Return the cluster, configuration, timeline, tape or declared extenders whose state it is."""
        return getattr(self, self.document_field)


class Cluster(NamedInput):
    """A named set of Kubernetes objects with a history of revisions."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="clusters")

    class Meta(NamedInput.Meta):
        constraints = [models.UniqueConstraint(fields=["workspace", "slug"], name="cluster_slug_once")]


class Revision(NumberedRevision):
    """One state of a cluster. `pages` is the concatenation of its index pages' SHA-256, 32 bytes each.

    `counts` is {kind: objects}, `source` says where the objects came from ("import of nodes.yaml", "editor").
    `events` is the SHA-256 of the blob of the real scheduler's events (revisions/stored_events.py), b"" for none;
    `unplayed` that of what the import held besides (scheduler_core.api.unplayed), b"" for revisions without: those
    have the pods that admission refused, too.
    """

    document_field = "cluster"

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="revisions")
    pages = models.BinaryField()
    counts: models.JSONField[dict[str, int], dict[str, int]] = models.JSONField(default=dict)
    source = models.CharField(max_length=300, blank=True)
    # Totals for lists (dashboard.clusters.revisions.totals), derived from the objects; empty until somebody asked.
    figures: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    events = models.BinaryField(max_length=32, default=b"")
    unplayed = models.BinaryField(max_length=32, default=b"")

    class Meta(NumberedRevision.Meta):
        constraints = [models.UniqueConstraint(fields=["cluster", "number"], name="revision_number_once")]

    @property
    def author_label(self) -> str:
        """Return who made it: a person, a collector by the name of its token, or the terminal."""
        if self.author is not None:
            return self.author.label
        return self.source if self.source.startswith(f"{COLLECTOR} ") else "the terminal"

    @property
    def n_objects(self) -> int:
        """Return how many objects the revision has."""
        return sum(self.counts.values())


class Draft(models.Model):
    """Unsaved edits of a cluster: a base revision and the operations on it.

    Its author and invited members see it. `version` grows with every change of the contents, so that it identifies
    them.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="drafts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    base = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=NAME_LENGTH)
    invited = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} on {self.base}"


class DraftOperation(models.Model):
    """One action on a draft, which is undone and redone as a whole.

    `undone_at` is the draft's version at which it was undone, None if it is not undone. `can_undo` becomes False when
    its author accepts others' later changes, `can_redo` when its author does something else. An operation without
    author takes over what others saved.
    """

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="operations")
    number = models.PositiveIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    name = models.CharField(max_length=OPERATION_LENGTH)
    created_at = models.DateTimeField(default=timezone.now)
    undone_at = models.PositiveIntegerField(null=True)
    can_undo = models.BooleanField(default=True)
    can_redo = models.BooleanField(default=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["draft", "number"], name="draft_operation_number_once")]

    def __str__(self) -> str:
        return self.name


class OfObject(models.Model):
    """Names an object of a cluster: kind, namespace ("" for kinds without one) and name."""

    kind = models.CharField(max_length=KEY_LENGTH)
    namespace = models.CharField(max_length=KEY_LENGTH, blank=True)
    name = models.CharField(max_length=KEY_LENGTH)

    class Meta:
        abstract = True

    @property
    def key(self) -> tuple[str, str, str]:
        """Return (kind, namespace, name)."""
        return self.kind, self.namespace, self.name


class DraftChange(OfObject):
    """The change of one object by an operation: the SHA-256 of its `ObjectBlob` before and after, None for no object.

    `previous` is the number of the previous operation on the object, 0 if there was none.
    """

    operation = models.ForeignKey(DraftOperation, on_delete=models.CASCADE, related_name="changes")
    before = models.BinaryField(max_length=32, null=True)
    after = models.BinaryField(max_length=32, null=True)
    previous = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class DraftObject(OfObject):
    """The current state of an object that a draft's operations changed: `sha256`, None if it is deleted.

    `base` is its address in the revision on top of which the draft will be saved, `last` the number of the operation
    that made the current state, 0 if that operation was undone and no other had changed the object before.
    """

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="objects_changed")
    base = models.BinaryField(max_length=32, null=True)
    sha256 = models.BinaryField(max_length=32, null=True)
    last = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["draft", "kind", "namespace", "name"], name="draft_object_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class ObjectText(OfObject):
    """How people wrote an object of a cluster: zstd-compressed YAML with comments, in their order of fields.

    `sha256` is the address of the content that the text held when it was kept; the content is what counts. Newer texts
    of an object have higher ids (dashboard.clusters.texts).
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="texts")
    sha256 = models.BinaryField(max_length=32)
    data = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["cluster", "name"], name="object_text_name")]

    def __str__(self) -> str:
        return f"text of {self.kind} {self.name}"


class ImportDraft(models.Model):
    """Uploaded files that are not saved as a revision yet; only the uploader sees them, and they are deleted after a
    day.

    `report` is the result of reading them (dashboard.clusters.importing.reading.read_files), so that pages need not
    read them again. `cluster` is the cluster that gets the revision, None for a new one.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="import_drafts")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, null=True, related_name="+")
    report = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"import {self.pk}"


class ImportBundle(models.Model):
    """The bundle of a live cluster that an import is of, packed, with secrets masked; `size` is its length."""

    draft = models.OneToOneField(ImportDraft, on_delete=models.CASCADE, related_name="bundle")
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.name


class ImportFile(models.Model):
    """One file of an import, zstd-compressed, with secrets masked; `size` is its length before compression."""

    draft = models.ForeignKey(ImportDraft, on_delete=models.CASCADE, related_name="files")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    data = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["draft", "position"], name="import_file_position_once")]

    def __str__(self) -> str:
        return self.name
