"""What lies in the state directory beside the daemon's own files: pauses, backups, the beginning, past sizes."""
