"""Which keys are anybody's to read? Documentation and sample projects print working-looking keys again and again.

Only digests are here, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

_DIGEST_CHARS: Final = 12


def is_published(key: str) -> bool:
    """Tell whether the owner of a key printed it for everybody, in documentation or a public sample project."""
    return sha256(key.encode()).hexdigest()[:_DIGEST_CHARS] in _PUBLISHED


_PUBLISHED: Final = frozenset(
    {
        # Google: the sample projects of the Firebase SDKs
        "2037abcaffb2",
        "27a9a42931df",
        "37f8f09bdf12",
        "3a8b61d0f636",
        "3f370c9dd822",
        "49f777db995e",
        "4c98242dcadc",
        "8731261cb72d",
        "a19f89ab3555",
        "a6c814bc555a",
        "dc0fcf046c61",
        "e4a5542bb7fd",
        "ea9bb1082cf9",
        "eb540d2b6ee2",
        # Stripe's documentation; the example of jwt.io
        "2cafc0970149",
        "f2d6ca165150",
        "7f75367e7881",
    }
)
