"""Owners of pods as Kubernetes' controllers play them (policy ``rollouts``): ``owners.py`` carries out what
``controllers/rollouts`` decides, ``readiness.py`` has what the kubelets say of pods, ``retries.py`` the work queue."""
