"""Made-up secrets with the variety of real ones; no real one is in the tests."""

from __future__ import annotations

LETTERS = "aZ3kQ9mB7xR2tY5wE8uI1oP4sD6fG0hJcVnLbNqTzXyKpWvMrSgUiOjHdFlA"
HEX = "3f9a1c7e5b2d8046fa91ce7b35d2804c6e1f9b7a"
DIGITS = "84719305628"


def part(length: int, alphabet: str = LETTERS) -> str:
    """Return made-up text with the variety of a real secret; no real one is in this file."""
    return (alphabet * (length // len(alphabet) + 1))[:length]


BY_FORM = [
    ("aws", "AKIA" + "QYZ7PLMN4VRT2XKW"),
    ("anthropic", "sk-ant-api03-" + part(93) + "AA"),
    ("openai", "sk-proj-" + part(80)),
    ("github", "ghp_" + part(36)),
    ("github", "github_pat_" + part(82)),
    ("github", "ghs_" + part(36)),
    ("gitlab", "glpat-" + part(20)),
    ("slack", "xoxb-" + DIGITS + "-" + part(24)),
    ("google", "AIzaS" + part(34)),
    ("stripe", "sk_live_" + part(24)),
    ("npm", "npm_" + part(36)),
    ("pypi", "pypi-AgE" + part(80)),
    ("jwt", "eyJ" + part(20) + ".eyJ" + part(40) + "." + part(40)),
    ("jwt", "eyJ" + part(17) + ".eyJ" + part(11) + "." + part(26)),
    ("facebook", "1308742762612587|" + part(27)),
    ("huggingface", "hf_" + part(34, "aZkQmBxRtYwEuIoPsDfGhJcVnLbNqTzXyK")),
    ("sendgrid", "SG." + part(22) + "." + part(43)),
    ("vault", "hvs." + part(90)),
    ("telegram", DIGITS[:9] + ":AA" + part(33)),
    ("google", "1//09" + part(60)),
    ("slack", "xoxe.xoxp-1-" + part(150)),
    ("dropbox", "sl.B" + part(140)),
    ("firecrawl", "fc-" + part(32, HEX)),
    ("render", "rnd_" + part(28)),
    ("private-key", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + part(70) + "\n-----END OPENSSH PRIVATE KEY-----"),
    ("private-key", "-----BEGIN RSA PRIVATE KEY-----\n" + part(70) + "\n(cut)"),
]
