"""Recorded histories of Kubernetes' controllers: read and checked, played in virtual time, compared.

``reading.py`` has the file, ``playing.py`` runs it with its kubelets and steps, which ``api_server.py`` and
``invalid.py`` answer as the API server does. ``watching.py`` gathers what is seen meanwhile in the file's own terms,
with ``pods.py``, ``states.py``, ``admitted.py`` and ``api_events.py``; ``comparing.py`` says the first difference.
"""
