"""Common: base classes, tags and helpers without feature knowledge."""
