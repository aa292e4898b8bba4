"""The only orchestrator: one file a verb."""
