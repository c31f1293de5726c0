"""Manifests: YAML and JSON to typed objects with positions for errors, workloads to pods, scheduler configurations."""

from __future__ import annotations

from scheduler_core.manifests.cluster_dump.kubectl import DEVICES_COMMAND, DUMP_COMMAND, SEPARATE
from scheduler_core.manifests.configuration.configurations import (
    ConfigurationReading,
    config_from_raw,
    load_config,
    read_config,
)
from scheduler_core.manifests.configuration.holders import configuration_text
from scheduler_core.manifests.configuration.left_out import NOTHING, UNKNOWN, LeaveOut, LeftOut, leave_out_again
from scheduler_core.manifests.configuration.older_versions import to_v1
from scheduler_core.manifests.configuration.plugin_args import DEFAULT_PLUGINS, KNOWN_PLUGINS
from scheduler_core.manifests.forms.other_files import unpacked, without_others
from scheduler_core.manifests.forms.recognising import rewritten
from scheduler_core.manifests.kinds.pods.pod_specs import AdmissionContext
from scheduler_core.manifests.loader import load_cluster, load_manifests
from scheduler_core.manifests.masking.masked_sources import MaskedSource, masked_source
from scheduler_core.manifests.model import Content, Finding, Limits, LoadResult, Manifest, ManifestSource, plain
from scheduler_core.manifests.parsing.archives import ArchiveLimits, is_archive, is_manifest_name
from scheduler_core.manifests.parsing.archives import unpacked as unpacked_whole
from scheduler_core.manifests.parsing.sources import ParsedSource
from scheduler_core.manifests.progress import ProgressCallback
from scheduler_core.manifests.single_object import InvalidObject as InvalidObject
from scheduler_core.manifests.single_object import ObjectReader as ObjectReader
from scheduler_core.manifests.single_object import node_from_raw, pod_from_raw
from scheduler_core.manifests.yaml_writer import dump_yaml

__all__ = [
    "DEFAULT_PLUGINS",
    "DEVICES_COMMAND",
    "DUMP_COMMAND",
    "KNOWN_PLUGINS",
    "NOTHING",
    "SEPARATE",
    "UNKNOWN",
    "AdmissionContext",
    "ArchiveLimits",
    "ConfigurationReading",
    "Content",
    "Finding",
    "LeaveOut",
    "LeftOut",
    "Limits",
    "LoadResult",
    "Manifest",
    "ManifestSource",
    "MaskedSource",
    "ParsedSource",
    "ProgressCallback",
    "config_from_raw",
    "configuration_text",
    "dump_yaml",
    "is_archive",
    "is_manifest_name",
    "leave_out_again",
    "load_cluster",
    "load_config",
    "load_manifests",
    "masked_source",
    "node_from_raw",
    "plain",
    "pod_from_raw",
    "read_config",
    "rewritten",
    "to_v1",
    "unpacked",
    "unpacked_whole",
    "without_others",
]
