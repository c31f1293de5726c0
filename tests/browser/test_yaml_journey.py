"""By YAML alone: a dump imported, tainted nodes and a Deployment for them added, what fits seen, saved and run."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from dashboard.accounts import actions as accounts
from dashboard.accounts.models import User
from scheduler_core.manifests import dump_yaml
from tests.browser.axe import grave_findings
from tests.dashboard.run_helpers import cluster_of

NODE = """\
apiVersion: v1
kind: Node
metadata:
  name: new-{n:02d}
  labels:
    kubernetes.io/hostname: new-{n:02d}
    topology.kubernetes.io/zone: zone-{zone}
spec:
  taints:  # for the batch team
  - {{key: dedicated, value: batch, effect: NoSchedule}}
status:
  allocatable: {{cpu: "8", memory: 32Gi, pods: "110"}}
"""
NODES = "---\n".join(NODE.format(n=n, zone="new") for n in range(20))
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: batch
spec:
  replicas: 5
  selector: {matchLabels: {app: batch}}
  template:
    metadata: {labels: {app: batch}}
    spec:
      nodeSelector: {topology.kubernetes.io/zone: zone-new}
      tolerations:
      - key: dedicated
        operator: Exists
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: DoNotSchedule
        labelSelector: {matchLabels: {app: batch}}
      containers:
      - name: main
        image: busybox
        resources: {requests: {cpu: "2"}}
"""


def put(page, text):
    """Write a text into the editor and wait until the server has judged it."""
    page.wait_for_selector(".ace_editor")
    page.evaluate("text => window.schedscopeEditor.setValue(text, -1)", text)
    expect(page.locator("[data-check-state]").first).to_have_text("")
    expect(page.locator("#findings")).to_contain_text("No finding")


@pytest.mark.long
def test_a_zone_and_a_deployment_by_yaml_from_the_dump_to_the_run(browser_page, live_server_url, sign_in, worker):
    page = browser_page
    user = User.objects.create_user("asha@example.org", "Asha")
    accounts.create_workspace(user, "Team", "team")
    sign_in(user)
    page.goto(f"{live_server_url}/w/team/import/")
    page.locator("#text").fill(dump_yaml(cluster_of(4, 6)))
    page.get_by_role("button", name="Preview", exact=True).click()
    page.wait_for_url(re.compile(r"/import/\d+/$"))
    page.locator("#name").fill("prod")
    page.get_by_role("button", name="Import 10 objects").click()
    page.wait_for_url("**/clusters/prod/**")

    page.goto(f"{live_server_url}/w/team/clusters/prod/object/new/?kind=Node")
    put(page, NODES)
    page.keyboard.press("Control+s")
    page.wait_for_url(re.compile(r"draft=\d+"))
    draft = re.search(r"draft=(\d+)", page.url)[1]
    page.goto(f"{live_server_url}/w/team/clusters/prod/object/new/?kind=Deployment&draft={draft}")
    put(page, DEPLOYMENT)
    expect(page.locator("#fit .fig")).to_have_text("Fits 20 of 24")
    assert grave_findings(page) == []
    page.keyboard.press("Control+s")
    page.wait_for_url(re.compile(r"name=batch"))

    page.goto(f"{live_server_url}/w/team/clusters/prod/drafts/{draft}/")
    page.get_by_role("button", name="Save as r2").click()
    expect(page.locator("#draft-save-what")).to_contain_text("nothing differs from r2")
    page.goto(f"{live_server_url}/w/team/runs/new/?cluster=prod")
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_url("**/w/team/runs/1/**")
    page.goto(f"{live_server_url}/w/team/runs/1/outcomes/")
    expect(page.locator("#run-state")).to_contain_text("finished")
    page.goto(f"{live_server_url}/w/team/runs/1/outcomes/?q=batch")
    expect(page.get_by_text("Bound: 5 pods")).to_be_visible()
    # 20 nodes of 8 CPUs without what five pods of 2 take.
    expect(page.get_by_role("row", name=re.compile("^zone-new"))).to_contain_text("150")
    page.get_by_role("link", name="Debugger", exact=True).click()
    expect(page.locator("#clock")).to_be_visible()
    before = page.locator("#clock").inner_text()
    page.locator("#play").click()
    expect(page.locator("#clock")).not_to_have_text(before)
