"""A page of a review as a browser has it open: parts whose topics the feed names are replaced by newer ones."""

from __future__ import annotations

from django.test.html import Element, parse_html

from dashboard.live.feed.topics import changes_since, own_topic, version_of
from tests.dashboard.review.pages import page

# What differs between two answers about the same, what only links to the page show, and the number that comes over the
# socket by itself.
OF_ONE_ANSWER = {
    *(("name", one) for one in ("csrfmiddlewaretoken", "once", "csrf-token", "description")),
    ("id", "inbox"),
}


class OpenPage:
    """What somebody has in front of them at an address."""

    def __init__(self, person, url):
        self.person, self.url = person, url
        self.version = version_of(person.member.workspace_id)
        self.shown = self._asked(url)

    def fresh(self):
        """Return the page as it is when it is loaded now."""
        return self._asked(self.url)

    def hear(self):
        """Take from the feed what has changed, and fetch the parts that show it as the page's script does."""
        changes = changes_since(self.person.member.workspace_id, self.version)
        mine = own_topic(self.person.member.pk)
        topics = {one for one in changes.topics if one == mine or not one.startswith("member:")}
        answers = {}
        for part in [one for one in elements(self.shown) if topics & set(attribute(one, "data-topic").split())]:
            address = attribute(part, "hx-get" if has(part, "data-poll") else "data-part")
            name = attribute(part, "id")
            if address not in answers:
                answers[address] = self._asked(address, **{"HX-Request": "true", "HX-Target": name})
            replace(self.shown, part, next(one for one in elements(answers[address]) if attribute(one, "id") == name))

    def _asked(self, url, **headers):
        tree = parse_html(page(self.person, url, headers=headers))
        for one in list(elements(tree)):
            one.children = [child for child in one.children if not is_of_one_answer(child)]
        return tree


def elements(tree):
    """Yield an element and all within it."""
    yield tree
    for child in tree.children:
        if isinstance(child, Element):
            yield from elements(child)


def lines(tree):
    """Return what the tree shows, for comparing."""
    texts = (line.strip() for line in str(tree).replace("><", ">\n<").splitlines())
    return [line for line in texts if line]


def attribute(element, name):
    """Return the value of an attribute, empty where the element has none."""
    return dict(element.attributes).get(name) or ""


def has(element, name):
    """Return whether the element has an attribute."""
    return name in dict(element.attributes)


def is_of_one_answer(node):
    """Return whether a node is never twice the same."""
    return isinstance(node, Element) and not OF_ONE_ANSWER.isdisjoint(node.attributes)


def replace(tree, old, new):
    """Put an element in the place of another one."""
    for one in elements(tree):
        one.children = [new if child is old else child for child in one.children]
