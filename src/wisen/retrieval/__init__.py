"""Query to ranked hits, each stage one file, every hit explained."""
