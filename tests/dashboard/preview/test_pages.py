"""The page of a stored result: which text it was, how that differs, and by which engine it was computed."""

from __future__ import annotations

import pytest

from dashboard.documents.actions import NewText
from dashboard.documents.configurations.actions import save_config
from dashboard.preview.models import PreviewResult
from tests.dashboard.helpers import assert_strict_csp
from tests.dashboard.preview.conftest import PACKING
from tests.dashboard.role_tables import assert_each_role_gets_its_answer

HERE = "/w/team/configurations/"
OTHER_ENGINE = "kube-scheduler 1.30 / 1"
CHANGED = PACKING.replace("weight: 1", "weight: 3")


@pytest.fixture
def ask(editor, revision, worker):
    """Ask what a text would change, and return the address of the result."""

    def ask(text=CHANGED, before="packing@1"):
        form = {"text": text, "preview_on": "cluster:prod", "before": before}
        assert editor.post(f"{HERE}what-changes", form).status_code == 200
        return f"{HERE}what-changes/{PreviewResult.objects.latest('pk').pk}/"

    save_config(editor.member, None, NewText("Packing", PACKING))
    return ask


def page(person, address, status=200):
    response = person.get(address)
    assert response.status_code == status
    assert_strict_csp(response.content)
    return response.content.decode()


def test_a_viewer_sees_what_was_tried_and_what_differs(ask, viewer):
    shown = page(viewer, ask(PACKING, "default"))
    assert "on Prod r1" in shown
    assert "<b>1 of 2 pods</b>" in shown
    assert "default/new" in shown
    assert f'href="{HERE}packing/?r=1"' in shown
    assert "kube-scheduler defaults" in shown


def test_every_member_may_look_at_it_and_nobody_else(ask, people):
    address = ask()
    assert_each_role_gets_its_answer(people, "viewer", 200, lambda person, _role: person.get(address))


def test_a_text_that_was_not_saved_is_shown_against_the_one_before_it(ask, viewer):
    response = viewer.get(ask())
    assert response.context["page"].saved is None
    shown = response.content.decode()
    assert "against Packing r1" in shown
    assert "weight: 3" in shown
    assert "kind: KubeSchedulerConfiguration" not in shown


def test_a_group_is_listed_alone_and_bad_queries_are_refused(ask, viewer):
    address = ask(PACKING, "default")
    assert "<bdi>default/new</bdi>" in page(viewer, f"{address}?group=moved")
    assert "<bdi>default/new</bdi>" not in page(viewer, f"{address}?group=placed+only+in+A")
    assert viewer.get(f"{address}?group=none").status_code == 400
    assert viewer.get(f"{HERE}what-changes/99/").status_code == 404


def test_another_engine_is_named(ask, viewer):
    address = ask()
    assert "may decide otherwise" not in page(viewer, address)
    PreviewResult.objects.update(engine_version=OTHER_ENGINE)
    assert OTHER_ENGINE in page(viewer, address)


def test_the_configurations_page_lists_it_with_a_link(ask, viewer):
    assert "Nothing was computed" in page(viewer, f"{HERE}packing/")
    address = ask()
    shown = page(viewer, f"{HERE}packing/")
    assert "Nothing was computed" not in shown
    assert f'href="{address}"' in shown


def test_a_text_with_markup_stays_text(ask, viewer):
    assert "<script>alert" not in page(viewer, ask(f"{PACKING}# <script>alert(1)</script>\n", "default"))


def test_words(ask, viewer):
    assert "Nothing was computed yet." in page(viewer, f"{HERE}packing/")
    address = ask()
    PreviewResult.objects.update(engine_version=OTHER_ENGINE)
    shown = page(viewer, address)
    sentences = (
        "What would change on Prod r1",
        "With a text that was not saved",
        "Text, against Packing r1",
        f"The engine was {OTHER_ENGINE} then",
        "may decide otherwise",
    )
    assert [one for one in sentences if one not in shown] == []
