"""What the environment makes of the settings, and the headers that every answer carries."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.patience import PATIENCE


def settings_with(folder, *names, **variables):
    """Return the named settings as a fresh process sees them."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SCHEDSCOPE_", "DJANGO_"))}
    code = f"import json; from dashboard import settings as s; print(json.dumps([getattr(s, n) for n in {names!r}]))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"SCHEDSCOPE_DATA": str(folder)} | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.slow
def test_embedded_set_up_needs_no_variable_and_no_server(tmp_path):
    databases, broker, layers, debug, hosts = settings_with(
        tmp_path, "DATABASES", "CELERY_BROKER_URL", "CHANNEL_LAYERS", "DEBUG", "ALLOWED_HOSTS"
    )
    assert databases["default"]["ENGINE"] == "django.db.backends.sqlite3"
    assert databases["default"]["NAME"] == str(tmp_path / "schedscope.sqlite3")
    assert databases["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert broker.startswith("filesystem://")
    assert layers["default"]["BACKEND"].endswith("InMemoryChannelLayer")
    assert debug is False
    assert hosts == ["localhost", "127.0.0.1", "[::1]"]


@pytest.mark.slow
def test_two_addresses_make_the_production_set_up(tmp_path):
    databases, broker, layers, origins, secure = settings_with(
        tmp_path,
        "DATABASES",
        "CELERY_BROKER_URL",
        "CHANNEL_LAYERS",
        "CSRF_TRUSTED_ORIGINS",
        "SESSION_COOKIE_SECURE",
        DATABASE_URL="postgres://user:p%40ss@db:5433/schedscope",
        REDIS_URL="redis://cache:6379/0",
        SCHEDSCOPE_HOSTS="scheduling.example.org",
        SCHEDSCOPE_HTTPS="1",
    )
    database = databases["default"]
    assert database["ENGINE"] == "django.db.backends.postgresql"
    assert (database["USER"], database["PASSWORD"], database["HOST"], database["PORT"]) == ("user", "p@ss", "db", 5433)
    assert database["OPTIONS"]["pool"]
    assert broker == "redis://cache:6379/0"
    assert layers["default"]["BACKEND"] == "channels_redis.pubsub.RedisPubSubChannelLayer"
    assert origins == ["https://scheduling.example.org"]
    assert secure is True


@pytest.mark.slow
def test_addresses_that_browsers_use_are_trusted_origins(tmp_path):
    variables = {
        "SCHEDSCOPE_ORIGINS": "https://box.example:8443",
        "SCHEDSCOPE_HOSTS": "box.example,.wide.example,*",
        "SCHEDSCOPE_HTTPS": "1",
        "SCHEDSCOPE_PROXIES": "10.0.0.1, 172.16.0.0/12",
    }
    origins, trusted, proxies = settings_with(tmp_path, "ORIGINS", "CSRF_TRUSTED_ORIGINS", "PROXIES", **variables)
    assert origins == ["https://box.example:8443"]
    assert trusted == [
        "https://box.example:8443",
        "https://box.example",
        "https://wide.example",
        "https://*.wide.example",
    ]
    assert proxies == ["10.0.0.1/32", "172.16.0.0/12"]


@pytest.mark.slow
def test_no_header_is_believed_of_everybody(tmp_path):
    (header,) = settings_with(tmp_path, "SECURE_PROXY_SSL_HEADER", SCHEDSCOPE_HTTPS="1", SCHEDSCOPE_HOSTS="box.example")
    assert header is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SCHEDSCOPE_PROXIES", "10.0.0.1,proxy", "'proxy' does not appear to be an IPv4 or IPv6 network"),
        ("SCHEDSCOPE_METRICS_FROM", "10.0.0.1/8", "10.0.0.1/8 has host bits set"),
        ("SCHEDSCOPE_ORIGINS", "box.example", '"box.example" is no origin; write scheme, host and port'),
    ],
)
def test_wrong_setting_is_one_line_that_names_it(tmp_path, name, value, message):
    environment = os.environ | {"SCHEDSCOPE_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    done = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        env=environment | {name: value},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"schedscope: {name}: ")
    assert message in done.stderr


def test_celery_speaks_json_only(settings):
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_SERIALIZER == "json"
    assert set(settings.CELERY_TASK_QUEUES) == {"runs", "background", "answers"}


@pytest.mark.django_db
def test_every_answer_carries_the_strict_policy(client):
    response = client.get("/healthz")
    policy = {part.split()[0]: part.split()[1:] for part in response["Content-Security-Policy"].split("; ")}
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == ["'self'"]
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["object-src"] == ["'none'"]
    assert "unsafe" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_unknown_host_is_refused(client):
    assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 400
