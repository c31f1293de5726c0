"""Recorded histories of Kubernetes' controllers: read and checked, played in virtual time, compared.

``reading.py`` has the file, ``playing.py`` runs it with its kubelets and steps, ``pods.py`` and ``states.py`` gather
what is seen meanwhile in the file's own terms, ``comparing.py`` says the first difference.
"""
