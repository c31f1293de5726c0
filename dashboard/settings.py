"""Django settings: an embedded installation by default, a production one by environment variables.

docs/operation.md lists every variable that is read here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from dashboard import environment

environment.end_in_one_line()

# ---------------------------------------------------------------- where things are

# A wheel brings templates and static files within this package; a checkout and the image have them beside it.
_PACKAGE = Path(__file__).resolve().parent
IS_WHEEL = (_PACKAGE / "templates").is_dir()
BASE_DIR = _PACKAGE if IS_WHEEL else _PACKAGE.parent
DATA_FOLDER = environment.data_folder("~/.local/share/schedscope" if IS_WHEEL else BASE_DIR / "var")
DATABASE_URL = os.environ.get("DATABASE_URL", "")
REDIS_URL = os.environ.get("REDIS_URL", "")

# ---------------------------------------------------------------- trust

DEBUG = environment.flag("SCHEDSCOPE_DEBUG")
SECRET_KEY = os.environ.get("SCHEDSCOPE_SECRET_KEY") or DATA_FOLDER.secret_key()
ALLOWED_HOSTS = environment.words("SCHEDSCOPE_HOSTS", "localhost,127.0.0.1,[::1]")
HTTPS = environment.flag("SCHEDSCOPE_HTTPS")
# Proxies whose word on a client's address and scheme is taken; who may read /metrics beside this machine.
PROXIES = [str(network) for network in environment.networks("SCHEDSCOPE_PROXIES")]
METRICS_FROM = environment.networks("SCHEDSCOPE_METRICS_FROM")
# Addresses by which browsers reach this installation, where a proxy hides them; links to others begin with the first.
ORIGINS = environment.origins("SCHEDSCOPE_ORIGINS")
CSRF_TRUSTED_ORIGINS = [*ORIGINS, *(environment.https_origins(ALLOWED_HOSTS) if HTTPS else ())]
# Django would believe the header of everybody; TrustedProxies believes it of PROXIES.
SECURE_PROXY_SSL_HEADER = None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SESSION_COOKIE_HTTPONLY = True
# Two installations on one host differ in port only, which cookies do not see.
SESSION_COOKIE_NAME = os.environ.get("SCHEDSCOPE_COOKIE", "schedscope_session")
CSRF_COOKIE_NAME = f"{SESSION_COOKIE_NAME}_csrf"
CSRF_USE_SESSIONS = False
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "connect-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "worker-src": [SELF],
        "manifest-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

# E-mail is the sign-in name; the user carries the access version that live sockets compare.
AUTH_USER_MODEL = "accounts.User"
CSRF_FAILURE_VIEW = "dashboard.common.http.problem_pages.csrf_failure"
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

# ---------------------------------------------------------------- limits, checked before anything is parsed

UPLOAD_MAX_BYTES = int(os.environ.get("SCHEDSCOPE_UPLOAD_MAX_BYTES", 256 * 1024 * 1024))
DATA_UPLOAD_MAX_MEMORY_SIZE = int(os.environ.get("SCHEDSCOPE_FORM_MAX_BYTES", 32 * 1024 * 1024))
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
DATA_UPLOAD_MAX_NUMBER_FILES = 2_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
FILE_UPLOAD_TEMP_DIR = str(DATA_FOLDER.folder("uploads"))

# ---------------------------------------------------------------- the project

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    # Its collectstatic is the build of the files, which comes before Django's.
    "dashboard.common",
    "django.contrib.staticfiles",
    "channels",
    "csp",
    "dashboard.accounts",
    "dashboard.clusters",
    "dashboard.documents",
    "dashboard.generating",
    "dashboard.runs",
    "dashboard.answers",
    "dashboard.query",
    "dashboard.agreement",
    "dashboard.fit",
    "dashboard.preview",
    "dashboard.debugger",
    "dashboard.compare",
    "dashboard.devices",
    "dashboard.capacity",
    "dashboard.upgrade",
    "dashboard.following",
    "dashboard.review",
    "dashboard.live",
    "dashboard.search",
    "dashboard.home",
]

MIDDLEWARE = [
    "dashboard.common.monitoring.requests.RequestsMiddleware",
    "dashboard.common.http.turns.TurnsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "dashboard.common.http.static_files.StaticFilesMiddleware",
    "dashboard.common.http.compression.CompressedTextsMiddleware",
    "dashboard.common.http.caching.PrivateAnswersMiddleware",
    "dashboard.common.http.prefetch.PrefetchMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "dashboard.common.http.uploads.UploadLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "dashboard.common.http.problem_pages.ProblemMiddleware",
]

ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TAGS = "dashboard.common.templatetags"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.common.http.context.look",
                "dashboard.accounts.context.shell",
                "dashboard.review.context.inbox",
                "dashboard.home.tour.context.tour",
            ],
            # Every template may use these without a load tag.
            "builtins": [f"{TAGS}.schedscope", f"{TAGS}.forms", "django.templatetags.static"],
            # Templates are read once per process; with SCHEDSCOPE_DEBUG each request sees the file as it is.
            "loaders": ["django.template.loaders.filesystem.Loader"]
            if DEBUG
            else [("django.template.loaders.cached.Loader", ["django.template.loaders.filesystem.Loader"])],
        },
    }
]

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

# Built from static/ at the start where the sources changed: beside it in a checkout that can be written to, else in the
# data folder; an image has them built (collectstatic). With SCHEDSCOPE_DEBUG that is looked at while pages are made.
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_COLLECTED = environment.flag("SCHEDSCOPE_STATIC_COLLECTED")
_IS_BESIDE = STATIC_COLLECTED or (not IS_WHEEL and os.access(BASE_DIR, os.W_OK))
STATIC_ROOT = (BASE_DIR if _IS_BESIDE else DATA_FOLDER.path) / "staticfiles"
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if DEBUG else 60
WHITENOISE_IMMUTABLE_FILE_TEST = r"\.[0-9a-f]{12}\.\w+$"  # a hash of the content
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "dashboard.common.assets.storage.BuiltStaticFiles"},
}

# ---------------------------------------------------------------- database

SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # No memory map: a file that was cut short (a full disk, a bad copy) would end the process by SIGBUS instead of an
    # error, and mapping it again for each connection took more than twice the time of reading.
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;"
    ),
}


def database_from(url: str) -> dict[str, Any]:
    """Return Django's database entry for a postgres:// address, or for the SQLite file when `url` is empty."""
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(DATA_FOLDER.path / "schedscope.sqlite3"),
            # IMMEDIATE makes every atomic() a writer, so requests are not wrapped: actions open their own transactions.
            "ATOMIC_REQUESTS": False,
            "OPTIONS": SQLITE_OPTIONS,
        }
    entry: dict[str, Any] = dict(dj_database_url.parse(url))
    # A pool instead of CONN_MAX_AGE: under ASGI a request may run in any thread. A server that was away is noticed
    # before a connection is handed out, and asked again within seconds of its return: the pool's own attempts come at
    # growing distances, so it gives them up early, and a waiting request begins new ones.
    pool = {"min_size": 1, "max_size": 10, "timeout": 10, "reconnect_timeout": 4}
    # A process that was stopped or cut off in the middle of a transaction keeps its locks no longer than this.
    limits = {"options": "-c idle_in_transaction_session_timeout=30s"}
    entry["OPTIONS"] = limits | entry.get("OPTIONS", {}) | {"pool": pool}
    entry["CONN_HEALTH_CHECKS"] = True
    return entry


DATABASES = {"default": database_from(DATABASE_URL)}

# ---------------------------------------------------------------- Celery and channels

# A message only wakes a worker up; what must run stands in the database (runs table, lease, head).
CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost"
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Connects to a broker that was away again, for as long as it takes.
CELERY_WORKER_CONSUMER = "dashboard.common.processes.consumer:PatientConsumer"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
# How long a worker that says nothing keeps its run; others take it over then. At least a second.
RUN_LEASE_SECONDS = max(1.0, float(os.environ.get("SCHEDSCOPE_LEASE_SECONDS", 20)))
# Two queues, so that a short run does not wait behind a long one; every worker reads both unless told otherwise.
CELERY_TASK_DEFAULT_QUEUE = "runs"
CELERY_TASK_QUEUES = {
    "runs": {"exchange": "runs", "routing_key": "runs"},
    "background": {"exchange": "background", "routing_key": "background"},
    # Of answer workers alone; a run would hold up pages that wait for an answer.
    "answers": {"exchange": "answers", "routing_key": "answers"},
}
# What an answer worker keeps for the next questions is forgotten where its process would take more memory.
ANSWERS_MAX_BYTES = int(os.environ.get("SCHEDSCOPE_ANSWERS_MAX_BYTES", 1024 * 1024 * 1024))
ANSWERS_TRANSPORT = f"dashboard.answers.transport.{'broker' if REDIS_URL else 'local'}.ask"
if REDIS_URL:
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 3600}
    CHANNEL_LAYERS: dict[str, Any] = {"default": environment.shared_channels(REDIS_URL)}
    # For what lasts no longer than a request: how far a change of many objects is. Embedded, one process serves all.
    CACHES = {"default": environment.shared_cache(REDIS_URL)}
else:
    CELERY_BROKER_TRANSPORT = "dashboard.common.processes.folder_broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(DATA_FOLDER.folder("broker")), "polling_interval": 0.05}
    # Commands to workers (`celery inspect`) need a broker that all processes share tables with.
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

# ---------------------------------------------------------------- logs

LOGGING = environment.log_settings()
