"""Older versions are refused with their text in v1."""

from __future__ import annotations

import pytest
import yaml

from scheduler_core.api.config import PluginRef
from scheduler_core.manifests import config_from_raw, to_v1
from scheduler_core.manifests.configuration.older_versions import losses
from tests.scheduler_core.manifests.configuration.configuration_texts import load

HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


V1BETA1 = """\
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
leaderElection:
  leaderElect: false
profiles:
- schedulerName: default-scheduler
  plugins:
    queueSort:
      enabled:
        - name: Coscheduling
      disabled:
        - name: "*"
    preFilter:
      enabled:
        - name: Coscheduling
    permit:
      enabled:
        - name: Coscheduling
    postBind:
      enabled:
        - name: Coscheduling
"""


def test_an_older_version_is_refused_with_a_v1_text_that_loads():
    """The example has the form of seed 004's scheduler-plugins section."""
    config, (finding,) = load(V1BETA1)
    assert (config, finding.line, finding.field) == (None, 1, "apiVersion")
    converted, findings = load(finding.suggestion)
    assert findings == []
    plugins = converted.profiles[0].plugins
    assert plugins["multiPoint"].enabled == (PluginRef("Coscheduling"),)
    assert plugins["queueSort"].enabled == (PluginRef("Coscheduling"),)
    assert set(plugins) == {"multiPoint", "queueSort"}


def test_removed_plugins_become_their_successors():
    old = yaml.safe_load(
        HEAD.replace("/v1", "/v1beta2")
        + "healthzBindAddress: x\nprofiles:\n- plugins:\n    score:\n"
        + "      enabled: [{name: NodeResourcesMostAllocated, weight: 3}, {name: NodePreferAvoidPods}]\n"
        + "      disabled: [{name: NodeResourcesLeastAllocated}]\n"
        + "  pluginConfig: [{name: NodeResourcesMostAllocated, args: {resources: [{name: cpu, weight: 2}]}}]\n"
    )
    new = to_v1(old)
    config, findings = config_from_raw(new)
    assert findings == []
    assert "healthzBindAddress" not in new
    (profile,) = config.profiles
    assert profile.plugins["score"].enabled == (PluginRef("NodeResourcesFit", 3),)
    assert profile.plugin_config["NodeResourcesFit"]["scoringStrategy"]["type"] == "MostAllocated"


@pytest.mark.parametrize(
    ("version", "profile", "lost"),
    [
        ("v1beta2", {}, ["NodeAffinity 2, InterPodAffinity 2, TaintToleration 3"]),
        ("v1beta1", {"plugins": {"score": {"enabled": [{"name": "NodeAffinity", "weight": 5}]}}}, ["InterPodAffinity"]),
        ("v1beta1", {"plugins": {"score": {"disabled": [{"name": "*"}]}}}, []),
        ("v1beta3", {}, []),
        ("v1beta3", {"plugins": {"filter": {"enabled": [{"name": "NodeLabel"}]}}}, ["NodeLabel"]),
    ],
)
def test_what_a_conversion_does_not_keep_is_said(version, profile, lost):
    raw = {"apiVersion": f"kubescheduler.config.k8s.io/{version}", "profiles": [{"schedulerName": "s", **profile}]}
    assert [part in said for part, said in zip(lost, losses(raw), strict=True)] == [True] * len(lost)


def test_fields_that_v1_does_not_have_are_said():
    raw = {"apiVersion": "kubescheduler.config.k8s.io/v1beta3", "healthzBindAddress": "x"}
    assert ["healthzBindAddress" in one for one in losses(raw)] == [True]
