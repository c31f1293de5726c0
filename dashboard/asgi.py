"""The ASGI entry: pages by Django, sockets by the live app, both behind the same hosts and session."""

from __future__ import annotations

import os
from contextlib import suppress

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
pages = get_asgi_application()

# Imported after Django is set up: consumers import models.
from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.template.loader import get_template  # noqa: E402
from django.urls import NoReverseMatch, Resolver404, path, resolve, reverse  # noqa: E402

from dashboard.common.http.clients import TrustedProxies  # noqa: E402
from dashboard.common.http.origins import OwnOrigins  # noqa: E402
from dashboard.common.http.turns import switch_often  # noqa: E402
from dashboard.common.monitoring.arrival import NotedArrivals  # noqa: E402
from dashboard.common.processes.gc_tuning import tune_gc  # noqa: E402
from dashboard.common.processes.memory import keep_tidy  # noqa: E402
from dashboard.common.registering import register_all  # noqa: E402
from dashboard.live.consumers import NoSuchSocket, RunConsumer  # noqa: E402
from dashboard.live.workspace_consumer import WorkspaceConsumer  # noqa: E402

# The first request would import modules, compile patterns of addresses and read templates, and its sender would wait.
register_all()
with suppress(Resolver404):
    resolve("/no/such/page/")
with suppress(NoReverseMatch):
    reverse("no such page")
for name in ("base.html", "home/home.html", "debugger/run.html"):
    get_template(name)

sockets = URLRouter(
    [
        path("ws/w/<slug:slug>/", WorkspaceConsumer.as_asgi()),
        path("ws/w/<slug:slug>/runs/<int:number>/", RunConsumer.as_asgi()),
        path("<path:anything>", NoSuchSocket.as_asgi()),
    ]
)
application = TrustedProxies(
    ProtocolTypeRouter(
        {
            "http": NotedArrivals(pages),
            "websocket": OwnOrigins(AuthMiddlewareStack(sockets)),
        }
    ),
    settings.PROXIES,
)
tune_gc()
keep_tidy()
switch_often()
