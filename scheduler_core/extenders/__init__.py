"""HTTP extenders (extender.go): their answers, read as kube-scheduler reads them. The engine does not ask any yet."""
