"""Settings of the test run: the embedded set-up in a folder of its own, so that no test sees anybody's data."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="schedscope-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["SCHEDSCOPE_DATA"] = _folder
os.environ["SCHEDSCOPE_SECRET_KEY"] = "a key for tests only"
os.environ["SCHEDSCOPE_HOSTS"] = "localhost,127.0.0.1,testserver"
for name in ("DATABASE_URL", "REDIS_URL", "SCHEDSCOPE_HTTPS", "SCHEDSCOPE_DEBUG", "SCHEDSCOPE_STATIC_COLLECTED"):
    os.environ.pop(name, None)

from dashboard.settings import *  # noqa: E402, F403
from dashboard.settings import DATABASES, MIDDLEWARE, database_from  # noqa: E402

if _url := os.environ.get("TEST_RUN_DATABASE_URL"):
    # tests/services runs the dashboard's tests a second time, on a copy of a migrated PostgreSQL database.
    DATABASES["default"] = database_from(_url)
    DATABASES["default"]["TEST"] = {"TEMPLATE": DATABASES["default"]["NAME"]}
    # A test is one transaction, in which it computes for as long as its machine needs: no limit is for that.
    DATABASES["default"]["OPTIONS"]["options"] = "-c idle_in_transaction_session_timeout=0"
else:
    # A file, not memory: live servers, sockets and workers of the tests open it from other threads and processes.
    DATABASES["default"]["TEST"] = {"NAME": os.path.join(_folder, "test.sqlite3")}
MIDDLEWARE.insert(0, "tests.flat_html.FlatHtmlMiddleware")
# Answers are computed by whoever asks: in the test's thread, which has its database.
ANSWERS_TRANSPORT = "tests.dashboard.answers.here.ask"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Each test client loads the middleware anew.
STATIC_FILES = "dashboard.common.http.static_files.StaticFilesMiddleware"
MIDDLEWARE[MIDDLEWARE.index(STATIC_FILES)] = "tests.static_files.StaticFilesFoundOnce"
