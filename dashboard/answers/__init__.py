"""Questions about a run that take too long for a web process: asked by pages, computed by answer workers."""
