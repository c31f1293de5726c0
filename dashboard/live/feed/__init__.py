"""The feed of a workspace: which topics changed since a version, handed to the sockets of its pages."""
