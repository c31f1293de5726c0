"""Sources to cluster objects: documents and list items one by one, then admission, then workloads to pods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import msgspec

from scheduler_core.api.objects import Namespace, PriorityClass
from scheduler_core.api.unplayed import RefusedCreation, Unplayed
from scheduler_core.manifests.checking.memo import Memo
from scheduler_core.manifests.checking.raw_values import At, Budget, Complaint, Sink
from scheduler_core.manifests.cluster_dump.missing_objects import missing_objects
from scheduler_core.manifests.duplicates import each_once
from scheduler_core.manifests.expansion.custom_kinds import read_maker
from scheduler_core.manifests.expansion.makers import ParsedMaker
from scheduler_core.manifests.expansion.pending_pods import Expansion
from scheduler_core.manifests.expansion.workloads import ParsedWorkload
from scheduler_core.manifests.finding_log import FindingLog
from scheduler_core.manifests.forms.partial import fullest
from scheduler_core.manifests.forms.recognising import rewritten
from scheduler_core.manifests.items import Item, ItemReader, document_label
from scheduler_core.manifests.kinds.context import NAME_LABEL, read_priority_class
from scheduler_core.manifests.kinds.devices.pools import pool_problems
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.kinds.pods.pods import read_pod
from scheduler_core.manifests.kinds.readers import READERS
from scheduler_core.manifests.kinds.refusals import by_workload, refused_by_condition
from scheduler_core.manifests.kinds.registry import KINDS, POD_MAKERS
from scheduler_core.manifests.kinds.reported import said_of_pods
from scheduler_core.manifests.kinds.selectors import read_workload_selector
from scheduler_core.manifests.kinds.unplayed import drop_owners, note_version
from scheduler_core.manifests.model import (
    Finding,
    Limits,
    LoadError,
    LoadResult,
    Manifest,
    ManifestSource,
    shortened,
)
from scheduler_core.manifests.parsing.json_lists import JsonList, NotPlain
from scheduler_core.manifests.parsing.json_values import check_plain
from scheduler_core.manifests.parsing.line_positions import ObjectPosition
from scheduler_core.manifests.parsing.sources import (
    ParsedSource,
    check_length,
    decoded,
    read_data,
    read_documents,
    read_list,
    without_collector,
)
from scheduler_core.manifests.parsing.yaml_events import Document
from scheduler_core.manifests.progress import JSON_OPENED, YAML_OPENED, ProgressCallback, ProgressMeter
from scheduler_core.versions.fields import FieldVersion


def load_cluster(
    sources: Sequence[ManifestSource | ParsedSource],
    limits: Limits | None = None,
    expand: bool = True,
    report_progress: ProgressCallback | None = None,
    *,
    is_whole: bool = True,
    fields: FieldVersion | None = None,
) -> LoadResult:
    """The objects of all sources with defaults, admission and workload expansion applied, and what was wrong.

    Never raises on bad input: whatever cannot be read is a finding that names file, line, object and field.
    ``expand=False`` makes no pods for workloads and reads only their selectors, for runs without controllers.
    ``report_progress`` is called now and then with the share that is done, which grows from 0 to 1. ``is_whole``: the
    sources hold a whole cluster, so that objects that others name and that are missing are warnings. A source that is
    parsed already is not read again, except for the lines of findings. ``fields``: fields that this version of
    Kubernetes does not know are warnings.
    """
    with without_collector():
        files = [source.source if isinstance(source, ParsedSource) else source for source in sources]
        meter = ProgressMeter(report_progress, [len(source.data) for source in files])
        for index, source in enumerate(sources):
            if isinstance(source, ParsedSource):
                meter.opened(index, source.share_of_reading)
        loader = _Loader(limits or Limits(), expand, meter, is_whole=is_whole, fields=fields)
        for index, source in enumerate(sources):
            loader.read_source(index, source)
        return loader.finish()


def load_manifests(  # noqa: PLR0913
    raws: Sequence[Any],
    limits: Limits | None = None,
    source: str = "objects",
    expand: bool = True,
    *,
    is_whole: bool = False,
    as_posted: bool = True,
    unplayed: Unplayed | None = None,
) -> LoadResult:
    """As ``load_cluster`` for objects that are parsed already or stored as Content; findings have no line.

    ``unplayed`` is what the input held besides, as a LoadResult gave it. Without it all pods that workloads lack are
    made up, also those that admission refused.

    Content that is text was read once already, so it is not looked through for keys given twice. ``as_posted=False``
    reads objects that no API server has to admit.
    """
    with without_collector():
        loader = _Loader(limits or Limits(), expand, ProgressMeter(), is_whole=is_whole, as_posted=as_posted)
        loader.read_raws(raws, source, unplayed)
        return loader.finish()


class _Loader:
    """One load: items are collected first, as admission looks at all priority classes and namespaces."""

    def __init__(
        self,
        limits: Limits,
        expand: bool,
        meter: ProgressMeter,
        *,
        is_whole: bool,
        as_posted: bool = True,
        fields: FieldVersion | None = None,
    ) -> None:
        self._fields = fields
        self._limits = limits
        self._meter = meter
        self._expanding = expand
        self._is_whole = is_whole
        self._as_posted = as_posted
        self._result = LoadResult()
        self._log = FindingLog(limits)
        self._budget = Budget()
        self._items: list[Item] = []
        self._memo = Memo()
        self._heeds_refusals = True
        self._refused: list[RefusedCreation] = []
        self._bytes_left = limits.max_bytes
        self._empty_lists: list[ObjectPosition] = []

    # ------------------------------------------------------------ collecting

    def read_source(self, index: int, given: ManifestSource | ParsedSource) -> None:
        """Collects the items of a source; a source that cannot be read further leaves an error."""
        source = given.source if isinstance(given, ParsedSource) else given
        reader = ItemReader(self._limits, len(self._items))
        before = len(self._items)
        limits = msgspec.structs.replace(self._limits, max_bytes=self._bytes_left)
        try:
            as_sent, source = source, source if isinstance(given, ParsedSource) else rewritten(source, limits)
            self._log.add_source(source.name, source if source is as_sent else None)
        except LoadError as problem:
            self._log.add_source(source.name, source)
            self._log.add_failure(index, problem)
            return
        try:
            if isinstance(given, ParsedSource):
                check_length(given.n_bytes, limits)
                reader = self._parsed(index, given, reader)
            else:
                data = read_data(source, limits)
                reader = self._listed(index, data) or self._documents(index, data, reader)
        except LoadError as problem:
            self._log.add_failure(index, problem)
            return
        finally:
            self._take(reader, index)
        if len(self._items) == before and not reader.has_something:
            self._log.add(
                None, Complaint("warning", (), "no Kubernetes objects were found"), ObjectPosition(index, 0, (), None)
            )

    def _parsed(self, index: int, given: ParsedSource, reader: ItemReader) -> ItemReader:
        """Collects the objects of a source that is parsed already."""
        if isinstance(given.content, JsonList):
            return self._entries(index, given.content) or self._documents(index, given.content.data, reader)
        self._bytes_left -= given.n_bytes
        self._collect_documents(index, given.content, reader)
        return reader

    def _listed(self, index: int, data: bytes) -> ItemReader | None:
        """Collects the entries of a well-formed JSON list, what most large files are; None where it is none."""
        try:
            reader = self._entries(index, read_list(data, self._limits))
        except NotPlain:
            return None
        if reader is not None:
            self._meter.opened(index, JSON_OPENED)
        return reader

    def _entries(self, index: int, json_list: JsonList) -> ItemReader | None:
        """Collects the entries of a JSON list; None where it has to be read as documents."""
        reader = ItemReader(self._limits, len(self._items))
        origin = ObjectPosition(index, 0, (), json_list.line(), document_label(json_list.fields))
        items = reader.of_list(json_list, origin)
        if not json_list.is_read:
            items = self._meter.opening_each(items, len(json_list), index)
        try:
            collected = list(items)
        except (NotPlain, LoadError):
            return None
        self._bytes_left -= len(json_list.data)
        self._log.lists[index] = json_list
        self._collect(collected)
        return reader

    def _documents(self, index: int, data: bytes, reader: ItemReader) -> ItemReader:
        """Collects the objects of all documents; what came before a LoadError stays."""
        text = decoded(data)
        self._bytes_left -= len(data)
        opening = partial(self._meter.opening, index, weight=YAML_OPENED)
        self._collect_documents(index, read_documents(text, self._limits, opening), reader)
        self._meter.opened(index, YAML_OPENED)
        return reader

    def _collect_documents(self, index: int, documents: Iterable[Document], reader: ItemReader) -> None:
        for number, document in enumerate(documents):
            origin = ObjectPosition(index, number, (), document.line, document_label(document.value))
            for path, message in document.notes:
                self._log.add(None, Complaint("warning", path, message), origin)
            self._collect(reader.items(document.value, origin))

    def read_raws(self, raws: Sequence[Any], name: str, unplayed: Unplayed | None) -> None:
        """Collects items that are parsed already, beside what the input held besides."""
        self._heeds_refusals = unplayed is not None
        if unplayed is not None:
            self._add_unplayed(unplayed)
        self._log.add_source(name)
        reader = ItemReader(self._limits, 0)
        try:
            check_plain([raw for raw in raws if raw.__class__ is not msgspec.Raw], self._limits.max_depth)
            for number, content in enumerate(raws):
                self._collect(reader.of_content(content, ObjectPosition(0, number, (), None)))
        except LoadError as problem:
            self._log.add_failure(0, problem)
        finally:
            self._take(reader, 0)

    def _collect(self, items: Iterable[Item]) -> None:
        self._items.extend(items)

    def _take(self, reader: ItemReader, index: int) -> None:
        for origin, complaint in reader.complaints:
            self._log.add(None, complaint, origin)
        for kind, count in reader.passed_over.items():
            self._result.passed_over[kind] = self._result.passed_over.get(kind, 0) + count
        self._result.events.extend(reader.events)
        self._empty_lists.extend(reader.empty_lists)
        self._add_unplayed(reader.unplayed)
        custom = reader.custom_kinds_text()
        if custom:
            text = f"kinds that scheduling does not look at are passed over: {custom}"
            self._log.add(None, Complaint("warning", (), text), ObjectPosition(index, reader.first_custom, (), None))

    def _add_unplayed(self, more: Unplayed) -> None:
        unplayed = self._result.unplayed
        unplayed.objects.extend(more.objects)
        unplayed.refused.extend(more.refused)
        unplayed.said.update(more.said)
        unplayed.gaps.extend(gap for gap in more.gaps if gap not in unplayed.gaps)
        for kind, count in more.counts.items():
            unplayed.counts[kind] = unplayed.counts.get(kind, 0) + count

    # ------------------------------------------------------------ reading

    def finish(self) -> LoadResult:
        """Reads the collected items and returns the result."""
        self._warn_of_nothing()
        collected = fullest(self._items) if self._result.unplayed.gaps else self._items
        items, others = each_once(collected, self._log)
        context = self._admission(items)
        makers = self._read_items(items, context)
        self._judge(others, context)
        self._add_namespaces()
        self._expand(makers)
        self._note_said()
        self._result.findings = self._log.findings()
        if self._is_whole:
            self._add_missing()
        return self._result

    def _warn_of_nothing(self) -> None:
        """Warns of lists without objects, once for all of them, and of events without objects."""
        n_empty = len(self._empty_lists)
        if n_empty:
            text = "the list is empty: no objects were found in it"
            more = f"{n_empty} lists are empty, of which this is the first: no objects were found in them"
            complaint = Complaint("warning", ("items",), text if n_empty == 1 else more)
            self._log.add(None, complaint, self._empty_lists[0])
        if self._is_whole and self._result.events and not self._items:
            text = "events are here, and no objects that they are about. Give those beside them, or have the messages "
            complaint = Complaint("warning", (), f"{text}explained alone (explain-message)")
            self._log.add(None, complaint, ObjectPosition(0, 0, (), None))

    def _judge(self, items: list[Item], context: AdmissionContext) -> None:
        """Logs what else is wrong with items that are not taken, so that one correction does not uncover the next."""
        for item in items:
            if self._log.has_left_out_errors:
                break
            if item.kind == "PriorityClass":
                self._read(item, lambda at: read_priority_class(at, self._memo))
            elif item.kind in POD_MAKERS and self._expanding:
                self._read_maker(item, context)
            else:
                self._read(item, self._reader(item.kind, context))

    def _admission(self, items: list[Item]) -> AdmissionContext:
        classes: list[PriorityClass] = []
        for item in items:
            if item.kind == "PriorityClass":
                priority_class = self._read(item, lambda at: read_priority_class(at, self._memo))
                if priority_class is not None:
                    if priority_class.global_default and any(c.global_default for c in classes):
                        text = "another class is the global default too; the one with the lowest value counts"
                        self._log.add(item, Complaint("warning", ("globalDefault",), text), item.origin)
                    classes.append(priority_class)
        self._result.objects.priority_classes.extend(classes)
        return AdmissionContext.of(classes, self._memo)

    def _read_items(self, items: list[Item], context: AdmissionContext) -> list[ParsedWorkload | ParsedMaker]:
        """Reads each item into the objects; the workloads to expand are returned."""
        objects, makers = self._result.objects, list[ParsedWorkload | ParsedMaker]()
        readers: dict[str, tuple[Callable[[At], Any], list[Any]]] = {}
        for item in self._meter.reading_each(items):
            if self._log.has_left_out_errors:
                break
            self._add_manifest(item)
            for path, message in self._fields.lacking(item.kind, item.raw) if self._fields is not None else ():
                self._log.add(item, Complaint("warning", path, message), item.origin)
            kind = item.kind
            if kind == "PriorityClass":
                continue
            if kind in POD_MAKERS and self._expanding:
                if (maker := self._read_maker(item, context)) is not None:
                    makers.append(maker)
                    self._refused += refused_by_condition(item)
                continue
            if kind not in readers:
                readers[kind] = self._reader(kind, context), getattr(objects, KINDS[kind].field, [])
            reader, objects_of_kind = readers[kind]
            is_read = item.pod is not None and context.admits_as_built_in(item.pod.priority_class_name)
            obj = item.pod if is_read else self._read(item, reader)
            if obj is not None:
                objects_of_kind.append(obj)
                if kind == "Node":
                    note_version(self._result.unplayed.versions, item.content)
        return makers

    def _read_maker(self, item: Item, context: AdmissionContext) -> ParsedWorkload | ParsedMaker | None:
        maker: ParsedWorkload | ParsedMaker | None = self._read(
            item, partial(read_maker, item=item, context=context, find=self._by_key.get, is_whole=self._is_whole)
        )
        return maker

    @cached_property
    def _by_key(self) -> dict[tuple[str, str, str], Item]:
        """The collected items, the first of each key."""
        return {one.key: one for one in reversed(self._items)}

    def _reader(self, kind: str, context: AdmissionContext) -> Callable[[At], Any]:
        """What reads an object of a kind that is not expanded."""
        if kind == "Pod":
            return partial(read_pod, context=context)
        if kind in READERS:
            parse = READERS[kind]
            return lambda at: parse(at, self._memo)
        if KINDS[kind].field == "workload_selectors":
            return partial(read_workload_selector, kind=kind, memo=self._memo)
        return lambda at: None

    def _read(self, item: Item, parse: Callable[[At], Any]) -> Any:
        """The parsed item, None where it has an error."""
        sink = Sink(self._budget, as_posted=self._as_posted)
        try:
            obj = parse(At(item.raw, (), sink))
        except (RecursionError, UnicodeEncodeError):
            sink.add(Complaint("error", (), "is nested too deeply, or holds text that is no Unicode"))
            obj = None
        for complaint in sink.complaints:
            self._log.add(item, complaint, item.origin)
        return None if sink.failed else obj

    def _add_manifest(self, item: Item) -> None:
        self._result.manifests.append(
            Manifest(
                kind=item.kind,
                api_version=item.api_version,
                namespace=item.namespace,
                name=item.name,
                content=item.content,
                line=item.origin.line,
                source=self._log.names[item.origin.source],
            )
        )

    def _add_missing(self) -> None:
        """Warnings about objects that others name and that are missing, at the first object that names one, and about
        pools of devices that are not whole."""
        items = {item.key: item for item in self._items}
        for doubt in missing_objects(self._result.objects, items.keys()):
            key = doubt.kind, doubt.namespace, doubt.name
            self._warn_at(items.get(key), key, doubt.field, doubt.message)
        for slice_name, field, message in pool_problems(self._result.objects.resource_slices):
            key = "ResourceSlice", "", slice_name
            self._warn_at(items.get(key), key, field, message)

    def _warn_at(self, item: Item | None, key: tuple[str, str, str], field: str, message: str) -> None:
        kind, namespace, name = key
        self._result.findings.append(
            Finding(
                severity="warning",
                source=self._log.names[item.origin.source if item else 0],
                line=item.origin.line if item else None,
                object=f"{kind} {shortened(f'{namespace}/{name}' if namespace else name)}",
                field=field,
                message=message,
            )
        )

    def _note_said(self) -> None:
        """Take the real scheduler's messages along where the input lacks what decides."""
        unplayed = self._result.unplayed
        if (unplayed.gaps or not self._result.objects.nodes) and not unplayed.said:
            pods = (one for one in self._result.manifests if one.kind == "Pod")
            unplayed.said = said_of_pods(pods, self._result.events)

    def _add_namespaces(self) -> None:
        """The namespace default exists always, others as far as the input names them."""
        names = {n.name for n in self._result.objects.namespaces}
        if "default" not in names:
            self._result.objects.namespaces.append(Namespace("default", {NAME_LABEL: "default"}))

    def _expand(self, makers: list[ParsedWorkload | ParsedMaker]) -> None:
        refused = by_workload([*self._refused, *self._result.unplayed.refused]) if self._heeds_refusals else {}
        expansion = Expansion(self._result.objects, self._limits.max_pods_expanded, refused)
        workloads = [one for one in makers if isinstance(one, ParsedWorkload)]
        custom = [one for one in makers if isinstance(one, ParsedMaker)]
        expansion.run(workloads, custom)
        drop_owners(self._result.unplayed, [one.meta for one in custom])
        self._result.unplayed.rollouts += expansion.rollouts
        self._result.unplayed.parts += expansion.parts
        self._result.unplayed.heeds_refusals = self._heeds_refusals
        for item, complaint in expansion.complaints:
            self._log.add(item, complaint, item.origin)
