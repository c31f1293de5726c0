"""The cause as pages show it: the sentence with its letters, stages, groups of nodes against obstacles, the message."""
