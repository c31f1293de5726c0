# The production image: web server and worker are the same image with another command (see compose.yaml).
FROM python:3.12 AS kernel

WORKDIR /app
# The build reads the kernel's signatures, which name dtypes of numpy.
COPY requirements/run.txt requirements/run.txt
RUN pip install --require-hashes -r requirements/run.txt
COPY scheduler_core scheduler_core
RUN python -m scheduler_core.compiled.build

FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /app

COPY requirements/run.txt requirements/run.txt
RUN pip install --require-hashes -r requirements/run.txt

COPY requirements/install_plugin.py requirements/install_plugin.py
COPY examples examples
RUN python requirements/install_plugin.py examples/coscheduling examples/capacity_scheduling

COPY manage.py ./
COPY --from=kernel /app/scheduler_core scheduler_core
COPY dashboard dashboard
COPY templates templates
COPY static static

# The key of this one command signs nothing; the real one comes by the environment.
RUN SCHEDSCOPE_STATIC_COLLECTED=1 SCHEDSCOPE_DATA=/tmp/build SCHEDSCOPE_SECRET_KEY=build \
    python manage.py collectstatic --noinput --verbosity 0 \
 && rm -rf /tmp/build \
 # The root file system may be read-only: nothing compiles at the start.
 && python -m compileall -q dashboard scheduler_core \
 && install -d -o 65534 -g 65534 -m 0700 /data

ENV SCHEDSCOPE_DATA=/data SCHEDSCOPE_STATIC_COLLECTED=1 SCHEDSCOPE_LOG=json
# Nobody, by number: Kubernetes compares it with runAsNonRoot.
USER 65534:65534
VOLUME /data
EXPOSE 8000

CMD ["uvicorn", "dashboard.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--lifespan", "off", "--ws", "websockets-sansio", "--ws-per-message-deflate", "false", "--no-access-log", "--no-proxy-headers", "--timeout-graceful-shutdown", "5"]
