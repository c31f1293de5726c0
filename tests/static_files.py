"""Static files for test clients: found once in a process, where each client would look for all of them."""

from __future__ import annotations

from dashboard.common.http.static_files import StaticFilesMiddleware


class StaticFilesFoundOnce(StaticFilesMiddleware):
    """The middleware of the dashboard; its instances share what the first one finds."""

    shared: dict[str, object] = {}

    def add_files(self, root: str, prefix: str | None = None) -> None:
        """Look for the files, unless an instance did."""
        if not self.shared:
            super().add_files(root, prefix)
            self.shared.update(self.files)
        self.files = self.shared
