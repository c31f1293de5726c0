"""Changes that may let a pod fit, made up from the facts of the nodes that refuse it; the engine tries each."""
