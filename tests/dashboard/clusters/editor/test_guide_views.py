"""The guide of fields over HTTP."""

from __future__ import annotations

GUIDE = "/w/team/field-guide"


def test_the_guide_is_json_that_a_browser_need_not_read_twice(viewer):
    answer = viewer.get(GUIDE)
    guide = answer.json()
    assert guide["parts"]["Toleration"]["operator"]["choices"] == ["Equal", "Exists"]
    assert viewer.get(GUIDE, headers={"If-None-Match": answer["ETag"]}).status_code == 304
