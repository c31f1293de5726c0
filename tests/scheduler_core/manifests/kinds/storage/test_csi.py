"""CSI drivers, their nodes, and attached volumes."""

from __future__ import annotations

import pytest

from tests.scheduler_core.manifests.judging import cases_of, judge, object_text


@pytest.mark.parametrize(("source", "kind", "fields", "field"), cases_of("CSINode", "CSIDriver", "VolumeAttachment"))
def test_an_object_gets_the_api_servers_verdict(source, kind, fields, field):
    judge(object_text(kind, fields), field)
