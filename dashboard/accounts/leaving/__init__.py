"""What is exported and deleted of a workspace or a person: found by walking the models."""
