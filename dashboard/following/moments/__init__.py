"""The objects of followed clusters as of now and as of moments that are kept, and what changed between them."""
