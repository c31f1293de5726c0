"""CEL as Kubernetes evaluates it to select devices: a parser, a check of types, closures with a limit of cost."""
