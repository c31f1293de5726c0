"""One module or package per upstream plugin. Plugins never import each other."""
