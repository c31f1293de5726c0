"""Addresses of the sockets."""

from __future__ import annotations

from django.urls import path

from dashboard.live.consumers import NoSuchSocket, RunConsumer
from dashboard.live.workspace_consumer import WorkspaceConsumer

websocket_urlpatterns = [
    path("ws/w/<slug:slug>/", WorkspaceConsumer.as_asgi()),
    path("ws/w/<slug:slug>/runs/<int:number>/", RunConsumer.as_asgi()),
    path("<path:anything>", NoSuchSocket.as_asgi()),
]
