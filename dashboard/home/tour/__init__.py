"""The tour: six captioned steps over pages of the demo run. It writes nothing but the step that a member is at."""
