"""What a page says over the socket of its workspace, and which role may say it. Everything else closes the socket.

{"type": "since", "version": 12}: the feed's version that the page has; null for a page that names none.
{"type": "look", "path": "runs/7/why/", "query": "cycle=3", "active": true}: where the reader is, below the workspace's
    address; not active is a tab in the background.
{"type": "where", "member": 4}: asks where a member is who is not at the same place; "place" answers it.
{"type": "point", "node": "n", "plugin": "p", "column": "score"}: what the reader points at, by name.

The server's side is in docs/architecture.md, "Together live".
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from dashboard.accounts.models import Role
from dashboard.live.presence.places import PATH, room_of

MAX_BYTES = 2000
MAX_NUMBER = 2**62
_Path = Annotated[str, Meta(max_length=120, pattern=PATH)]
# As URLSearchParams writes them: nothing that could end an attribute or an address.
_Query = Annotated[str, Meta(max_length=1200, pattern=r"^[A-Za-z0-9%&=+._*~-]*\Z")]
_Name = Annotated[str, Meta(max_length=253, pattern=r"^[A-Za-z0-9._/-]*\Z")]
_Column = Annotated[str, Meta(pattern=r"^(?:|filter|score)\Z")]


class Since(msgspec.Struct, tag="since", forbid_unknown_fields=True):
    """Begin, or begin again, with what changed after a version of the feed."""

    version: Annotated[int, Meta(ge=0, le=MAX_NUMBER)] | None = None


class LookAt(msgspec.Struct, tag="look", forbid_unknown_fields=True):
    """The reader is at this page."""

    path: _Path
    query: _Query = ""
    active: bool = True

    @property
    def room(self) -> str:
        """Return "runs/7", "reviews/3", "compare/7/9" or "clusters/prod/drafts/4"; "" for other pages."""
        return room_of(self.path, self.query)


class WhereIs(msgspec.Struct, tag="where", forbid_unknown_fields=True):
    """WhereIs is this member?"""

    member: Annotated[int, Meta(ge=1, le=MAX_NUMBER)]


class Spot(msgspec.Struct, tag="point", forbid_unknown_fields=True):
    """A node, or what a plugin said of it: its verdict (column "filter") or its points ("score")."""

    node: Annotated[_Name, Meta(min_length=1)]
    plugin: _Name = ""
    column: _Column = ""


ClientMessage = Since | LookAt | WhereIs | Spot
ROLES: dict[type[ClientMessage], Role] = {
    Since: Role.VIEWER,
    LookAt: Role.VIEWER,
    WhereIs: Role.VIEWER,
    # It speaks to others, as a comment does.
    Spot: Role.REVIEWER,
}
decode = msgspec.json.Decoder(ClientMessage).decode
