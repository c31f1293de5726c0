"""The real servers that other tests build on."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import psycopg
import redis

from tests.patience import PATIENCE
from tests.services.servers import production_environment


def test_postgres_answers_and_the_database_is_empty(postgres_url):
    with psycopg.connect(postgres_url) as connection:
        major = connection.info.server_version // 10_000
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert major >= 14
    assert tables == (0,)


def test_redis_answers(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        assert client.set("schedscope:test", "1", ex=5)
        assert client.get("schedscope:test") == b"1"


def test_production_settings_migrate_and_pass_the_deployment_checks(migrated_postgres_url, redis_url, tmp_path):
    environment = production_environment(migrated_postgres_url, redis_url, tmp_path) | {"SCHEDSCOPE_HTTPS": "1"}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "ERROR"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    with psycopg.connect(migrated_postgres_url) as connection:
        assert connection.execute("SELECT count(*) FROM django_migrations").fetchone() > (0,)


def test_channel_layer_carries_a_message_between_two_connections(redis_url):
    from channels_redis.pubsub import RedisPubSubChannelLayer

    async def carry() -> dict[str, object]:
        sender = RedisPubSubChannelLayer(hosts=[redis_url], prefix="schedscope-test")
        receiver = RedisPubSubChannelLayer(hosts=[redis_url], prefix="schedscope-test")
        channel = await receiver.new_channel()
        await receiver.group_add("run", channel)
        await sender.group_send("run", {"type": "look", "seq": 7})
        message = await asyncio.wait_for(receiver.receive(channel), 5)
        await sender.flush()
        await receiver.flush()
        return message

    assert asyncio.run(carry()) == {"type": "look", "seq": 7}
