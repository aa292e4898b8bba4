"""Pure decisions: what is worth remembering, when to recall it, how it looks. Standard library only, no I/O."""
