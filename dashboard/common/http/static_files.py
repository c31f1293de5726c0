"""Static files under ASGI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

from dashboard.common.assets.storage import build_static_files

if TYPE_CHECKING:
    from whitenoise.responders import StaticFile


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise with whole answers instead of streamed ones.

    Its file responses are synchronous iterators, of which Django under ASGI warns and which it reads into memory
    anyway, leaving the file open when the browser goes away. Ours are half a megabyte at most.
    """

    def add_files(self, root: str, prefix: str | None = None) -> None:
        """Look for the files in a folder, once they are built."""
        build_static_files()
        super().add_files(root, prefix)

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """Return the file, or 304 and the like, with the headers that WhiteNoise decided on."""
        answer = static_file.get_response(request.method, request.META)
        content = b""
        if answer.file is not None:
            with answer.file as file:
                content = file.read()
        response = HttpResponse(content, status=int(answer.status))
        del response["Content-Type"]
        for name, value in answer.headers:
            response[name] = value
        return response
