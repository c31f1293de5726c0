"""Why the claims of a pod get no devices on a node: asked for by explanations alone, never on the way of a pod."""
