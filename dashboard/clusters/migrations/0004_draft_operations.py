from __future__ import annotations

import hashlib

import django.db.models.deletion
import django.utils.timezone
import msgspec
import zstandard
from django.conf import settings
from django.db import migrations, models

NAME = "Unsaved edits"
# Kinds without a namespace among those that drafts of before could hold.
CLUSTER_WIDE = frozenset((
    "Node", "Namespace", "PersistentVolume", "PriorityClass", "StorageClass", "CSINode", "CSIDriver", "VolumeAttachment",
))  # fmt: skip


def keep_edits_as_operations(apps, schema_editor):
    """Write each list of edits as operations: those that counted, then those taken back, the next to redo first."""
    Draft = apps.get_model("clusters", "Draft")
    for draft in Draft.objects.select_related("cluster", "base"):
        draft.name = NAME
        edits = [(edit, True) for edit in draft.edits] + [(edit, False) for edit in draft.undone]
        _Conversion(apps, draft).convert(edits)
        draft.version = len(draft.edits) + 2 * len(draft.undone)
        draft.save()


class _Conversion:
    def __init__(self, apps, draft):
        self.apps, self.draft = apps, draft
        self.index = self._index()
        self.current = dict(self.index)
        self.last = {}

    def convert(self, edits):
        counting = dict(self.current), dict(self.last)
        n_undone = len(self.draft.undone)
        for number, (edit, is_counting) in enumerate(edits, 1):
            redo_place = number - len(self.draft.edits)
            undone_at = None if is_counting else len(self.draft.edits) + 2 * n_undone - redo_place + 1
            self._convert(number, edit, undone_at)
            if is_counting:
                counting = dict(self.current), dict(self.last)
        current, last = counting
        self.apps.get_model("clusters", "DraftObject").objects.bulk_create(
            self._named(key, draft=self.draft, base=self.index.get(key), sha256=current.get(key), last=number)
            for key, number in last.items()
        )

    def _convert(self, number, edit, undone_at):
        kind, name = edit["kind"], edit["name"]
        key = (kind, "" if kind in CLUSTER_WIDE else edit.get("namespace") or "default", name)
        manifest = edit.get("manifest")
        verb = "Delete" if manifest is None else "Change" if key in self.current else "Add"
        place = f"{key[1]}/{name}" if key[1] else name
        operation = self.apps.get_model("clusters", "DraftOperation").objects.create(
            draft=self.draft,
            number=number,
            author_id=self.draft.author_id,
            name=f"{verb} {kind} {place}"[:300],
            created_at=self.draft.created_at,
            undone_at=undone_at,
        )
        after = None if manifest is None else self._stored(manifest)
        self.apps.get_model("clusters", "DraftChange").objects.create(
            operation=operation,
            kind=kind,
            namespace=key[1],
            name=name,
            before=self.current.get(key),
            after=after,
            previous=self.last.get(key, 0),
        )
        self.current[key], self.last[key] = after, number

    def _named(self, key, **fields):
        kind, namespace, name = key
        return self.apps.get_model("clusters", "DraftObject")(kind=kind, namespace=namespace, name=name, **fields)

    def _index(self):
        pages = bytes(self.draft.base.pages)
        rows = []
        for at in range(0, len(pages), 32):
            rows += msgspec.msgpack.decode(self._blob(pages[at : at + 32]))
        return {
            (kind, "" if kind in CLUSTER_WIDE else namespace or "default", name): bytes(sha256)
            for kind, namespace, name, sha256 in rows
        }

    def _blob(self, sha256):
        blobs = self.apps.get_model("clusters", "ObjectBlob").objects
        data = blobs.filter(workspace_id=self.draft.cluster.workspace_id, sha256=sha256).values_list("data", flat=True)
        return zstandard.ZstdDecompressor().decompress(bytes(data.get()))

    def _stored(self, manifest):
        text = msgspec.json.Encoder(order="sorted").encode(manifest)
        sha256 = hashlib.sha256(text).digest()
        ObjectBlob = self.apps.get_model("clusters", "ObjectBlob")
        blob = ObjectBlob(
            workspace_id=self.draft.cluster.workspace_id,
            sha256=sha256,
            data=zstandard.ZstdCompressor(level=3).compress(text),
        )
        ObjectBlob.objects.bulk_create([blob], ignore_conflicts=True)
        return sha256


def object_names():
    return [
        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
        ("kind", models.CharField(max_length=600)),
        ("namespace", models.CharField(blank=True, max_length=600)),
        ("name", models.CharField(max_length=600)),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("clusters", "0003_import_reading"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="draft", name="draft_once_per_author"),
        migrations.AlterModelOptions(name="draft", options={"ordering": ["-updated_at", "-id"]}),
        migrations.AddField(
            model_name="draft",
            name="invited",
            field=models.ManyToManyField(blank=True, related_name="+", to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name="draft",
            name="name",
            field=models.CharField(default="", max_length=120),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name="DraftOperation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=300)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("undone_at", models.PositiveIntegerField(null=True)),
                ("can_undo", models.BooleanField(default=True)),
                ("can_redo", models.BooleanField(default=True)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="operations", to="clusters.draft"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "number"), name="draft_operation_number_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DraftChange",
            fields=[
                *object_names(),
                ("before", models.BinaryField(max_length=32, null=True)),
                ("after", models.BinaryField(max_length=32, null=True)),
                ("previous", models.PositiveIntegerField()),
                (
                    "operation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="changes",
                        to="clusters.draftoperation",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.CreateModel(
            name="DraftObject",
            fields=[
                *object_names(),
                ("base", models.BinaryField(max_length=32, null=True)),
                ("sha256", models.BinaryField(max_length=32, null=True)),
                ("last", models.PositiveIntegerField(default=0)),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="objects_changed", to="clusters.draft"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("draft", "kind", "namespace", "name"), name="draft_object_once")
                ],
            },
        ),
        migrations.RunPython(keep_edits_as_operations, migrations.RunPython.noop),
    ]
