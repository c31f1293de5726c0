"""Configurations to read."""

from __future__ import annotations

from scheduler_core.manifests import ManifestSource, load_config

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
PROFILE = HEAD + "profiles:\n- schedulerName: default-scheduler\n"


def load(text: str):
    return load_config(ManifestSource("c.yaml", text.encode()))


def with_args(plugin: str, args: str) -> str:
    return PROFILE + f"  pluginConfig:\n  - name: {plugin}\n    args: {args}\n"
