"""Storage: volumes, claims, classes, CSI objects, and the API server's rules for them."""
