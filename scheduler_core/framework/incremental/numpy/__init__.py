"""The caches' row arithmetic by numpy, where the compiled kernel was not built."""
