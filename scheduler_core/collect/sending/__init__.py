"""What is collected, sent to a workspace while it goes on."""
