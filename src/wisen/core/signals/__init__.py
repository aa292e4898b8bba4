"""One file a promotion signal: each turns an event, seen in its session, into signals."""
