"""The one writer: an HTTP server on a unix socket owned by the user."""
