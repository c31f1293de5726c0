"""How far a change is, through a Redis that web processes share, with the cache of the production settings."""

from __future__ import annotations

from django.core.cache.backends.redis import RedisCache

from dashboard import environment
from dashboard.accounts.models import User
from dashboard.clusters.drafts import progress
from dashboard.clusters.drafts.progress import ChangeProgress, read_progress, reporter


def test_what_one_process_notes_another_reads(redis_url, monkeypatch):
    user = User(pk=7)
    options = environment.shared_cache(redis_url)
    monkeypatch.setattr(progress, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "cache", RedisCache(redis_url, options))
    reporter(user, "1-2")(ChangeProgress("written", 250, 1_000))
    monkeypatch.setattr(progress, "cache", RedisCache(redis_url, options))
    assert read_progress(user, "1-2") == ChangeProgress("written", 250, 1_000)
    assert read_progress(User(pk=8), "1-2") is None
