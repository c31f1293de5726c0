"""Template tags of dialogs and of fields that many forms have; built in, so templates need no load tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template
from django.template.base import token_kwargs
from django.utils.safestring import SafeString

from dashboard.common.pages.pattern import Pattern, safe

if TYPE_CHECKING:
    from django.template.base import FilterExpression, NodeList, Parser, Token

register = template.Library()

# All options of a dialog. The template gets each, None for those not given: to find a name missing takes Django long.
OPTIONS = ("action", "body_cls", "cls", "foot", "has_close", "label", "makes", "opens", "title_cls")

_HIDDEN = Pattern('<input type="hidden" name="{name}" value="{value}"{more}>')
_FIELD = Pattern(
    '<div class="field"><label for="{id}">{label}</label><input class="{cls}" id="{id}" name="{name}"{more}></div>'
)
_CLOSE = Pattern('<button class="{cls}" type="button" data-close{more}>{label}</button>')


@register.simple_tag
def hidden(name: str, value: object, **attributes: object) -> SafeString:
    """Return a field that the form sends and nobody sees: {% hidden "run" run.number %}."""
    return _HIDDEN(name=name, value=value, more=_written(attributes))


@register.simple_tag
def field(label: str, name: str, id: str = "", cls: str = "", **attributes: object) -> SafeString:
    """Return a labelled input in a `field`; its id is the name unless given. cls: input-sm.

    Further attributes of the input are named with underscores; True gives one without a value, False leaves it out.
    """
    return _FIELD(label=label, name=name, id=id or name, cls=f"input {cls}".strip(), more=_written(attributes))


@register.simple_tag
def close_button(label: str = "Cancel", cls: str = "", **attributes: object) -> SafeString:
    """Return the button that closes the dialog around it and sends nothing. cls: push."""
    return _CLOSE(label=label, cls=f"btn {cls}".strip(), more=_written(attributes))


def _written(attributes: dict[str, object]) -> SafeString:
    """Return the attributes with a space before each; their names are those that templates write."""
    given = [(name.replace("_", "-"), value) for name, value in attributes.items() if value is not False]
    return SafeString("".join([f" {name}" if value is True else f' {name}="{safe(value)}"' for name, value in given]))


@register.tag
def dialog(parser: Parser, token: Token) -> DialogNode:
    """A dialog: its content, then its buttons after `{% foot %}` unless it has none.

    {% dialog "close-review" "Close the review" action=urls.close %}…{% foot %}{% close_button %}…{% enddialog %}

    Takes its id and title; `label` to name it otherwise than by the title; `action` for a form around all of it, with
    `makes` where the form makes something (`once`); `has_close` for a button in the head; `cls` (dialog-sm),
    `title_cls` and `body_cls` (stack); `opens` where it is open at first.
    """
    id_, title, *rest = token.split_contents()[1:]
    options = token_kwargs(rest, parser)
    if rest:
        raise template.TemplateSyntaxError(f"dialog: cannot read {' '.join(rest)}")
    options |= {"id": parser.compile_filter(id_), "title": parser.compile_filter(title)}
    parts = {"body": parser.parse(("foot", "enddialog"))}
    if parser.next_token().contents == "foot":
        parts["foot"] = parser.parse(("enddialog",))
        parser.delete_first_token()
    return DialogNode(options, parts)


class DialogNode(template.Node):
    """A dialog with its parts: `body` and, where it has buttons, `foot`."""

    def __init__(self, options: dict[str, FilterExpression], parts: dict[str, NodeList]) -> None:
        self.options, self.parts = options, parts

    def render(self, context: template.Context) -> SafeString:
        """Return the dialog's HTML."""
        values = dict.fromkeys(OPTIONS) | {name: value.resolve(context) for name, value in self.options.items()}
        values |= {name: nodes.render(context) for name, nodes in self.parts.items()}
        return render_here("common/_dialog.html", context, {"dialog": values})


def render_here(name: str, context: template.Context, values: dict[str, Any]) -> SafeString:
    """Return a template rendered with the context of the tag that asks for it, and with these values."""
    with context.push(**values):
        return context.template.engine.get_template(name).render(context)  # type: ignore[union-attr]
