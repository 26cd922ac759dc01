"""The time for which tests wait for a server that has much else to do."""

from typing import Final

ANSWER_S_MAX: Final = 300
"""Seconds in which any server answers. httpx gives up after 5, which a busy machine takes for the API document."""
