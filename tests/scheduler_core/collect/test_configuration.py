"""The scheduler's configuration as it leaves: what decides, without keys and addresses of the process."""

from __future__ import annotations

import pytest

from scheduler_core.collect.configuration import NoConfiguration, leaving_configuration
from scheduler_core.collect.fields.allowed import PlainNames
from scheduler_core.collect.fields.pseudonyms import Pseudonyms
from scheduler_core.manifests import ManifestSource, read_config
from scheduler_core.manifests.masking.secrets import MASK
from scheduler_core.profiles.registry import installed

TEXT = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}
leaderElection: {leaderElect: true}
profiles:
  - schedulerName: default-scheduler
    pluginConfig:
      - name: NodeAffinity
        args:
          addedAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
                - matchExpressions: [{key: pool, operator: In, values: [payments]}]
extenders:
  - urlPrefix: https://extender.example
    filterVerb: filter
    enableHTTPS: true
    tlsConfig: {keyData: c2VjcmV0, caData: Y2E=, insecure: false}
"""
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  config.yaml: |\n{}"


def test_what_decides_stays_and_is_read_as_before():
    text = leaving_configuration(TEXT, PlainNames())
    assert "payments" in text
    assert not [word for word in ("/etc/kubernetes", "leaderElection", "c2VjcmV0", "Y2E=") if word in text]
    assert MASK in text
    names = installed().names
    before, after = (
        read_config(ManifestSource("c", one.encode()), names, answered=True).configuration for one in (TEXT, text)
    )
    assert before is not None
    assert after is not None
    assert after.profiles == before.profiles


def test_names_in_it_are_pseudonyms():
    names = Pseudonyms(b"k")
    text = leaving_configuration(TEXT, names)
    assert "payments" not in text
    assert names.label("pool", "payments") in text


def test_it_is_taken_out_of_a_config_map():
    held = MAP.format("".join(f"    {line}\n" for line in TEXT.strip().splitlines()))
    assert leaving_configuration(held, PlainNames()) == leaving_configuration(TEXT, PlainNames())


@pytest.mark.parametrize("text", ["kind: Pod", "", "[", f"{TEXT}\n---\n{TEXT}", "a: &a [*a]"])
def test_other_texts_are_refused(text):
    with pytest.raises(NoConfiguration):
        leaving_configuration(text, PlainNames())
