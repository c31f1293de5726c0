"""The editor of a draft: all its objects as a tree, its map and the selected object beside each other."""
