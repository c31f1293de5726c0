"""Dialogs and fields, rendered through templates as pages do."""

from __future__ import annotations

import pytest
from django.template import Context, Template, TemplateSyntaxError

from tests.dashboard.helpers import assert_strict_csp
from tests.flat_html import flat_html


def show(source: str, **context) -> str:
    html = flat_html(Template(source).render(Context(context))).strip()
    assert_strict_csp(html)
    return html


def test_a_hidden_field_has_name_and_value():
    assert show('{% hidden "run" number %}', number=1214) == '<input type="hidden" name="run" value="1214">'
    assert show('{% hidden "at" at form="edit" %}') == '<input type="hidden" name="at" value="" form="edit">'


def test_a_field_is_labelled_and_takes_further_attributes():
    html = show(
        '{% field "Zone" "place" "hand-zone" "input-sm" data_hand=True maxlength=63 required=needed %}', needed=False
    )
    assert html == (
        '<div class="field"><label for="hand-zone">Zone</label>'
        '<input class="input input-sm" id="hand-zone" name="place" data-hand maxlength="63"></div>'
    )
    assert 'id="place"' in show('{% field "Zone" "place" %}')


def test_a_dialog_has_head_body_and_foot():
    html = show(
        '{% dialog "close" title body_cls="stack" has_close=True %}<p>{{ text }}</p>'
        '{% foot %}{% close_button cls="push" %}{% enddialog %}',
        title="Close <it>",
        text="Why?",
    )
    assert html.startswith('<dialog class="dialog " id="close" aria-labelledby="close-title">')
    assert '<h2 id="close-title">Close &lt;it&gt;</h2>' in html
    assert 'aria-label="Close"' in html
    assert '<div class="dialog-body stack"><p>Why?</p></div>' in html
    assert '<button class="btn push" type="button" data-close>Cancel</button></div>' in html
    assert "<form" not in html


def test_a_dialog_with_an_address_is_a_form():
    source = '{% dialog "ask" "Ask" label="Ask for it" action="/ask" makes=makes %}x{% enddialog %}'
    html = show(source, csrf_token="token", makes=True)
    assert 'aria-label="Ask for it"' in html
    assert '<form method="post" action="/ask">' in html
    assert 'name="csrfmiddlewaretoken"' in html
    assert 'name="once"' in html
    assert "dialog-foot" not in html
    assert 'name="once"' not in show(source, csrf_token="token", makes=False)


def test_a_dialog_refuses_what_it_cannot_read():
    with pytest.raises(TemplateSyntaxError, match="cannot read"):
        show('{% dialog "a" "A" "B" %}{% enddialog %}')


def test_values_are_escaped_everywhere():
    bad = '"><img src=x onerror=alert(1)>'
    html = show(
        "{% hidden bad bad %}{% field bad bad bad bad placeholder=bad %}{% close_button bad bad %}"
        "{% dialog bad bad label=bad cls=bad action=bad %}{% enddialog %}",
        bad=bad,
    )
    assert "<img" not in html
