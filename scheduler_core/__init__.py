"""The kube-scheduler v1.34 decision core, re-implemented on columns and open to the eye. Needs no Django."""
