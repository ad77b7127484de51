"""The Levenshtein distance by its definition."""

from collections.abc import Sequence


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    if not first or not second:
        return len(first) + len(second)
    if first[0] == second[0]:
        return edit_distance(first[1:], second[1:])
    return 1 + min(
        edit_distance(first[1:], second),
        edit_distance(first, second[1:]),
        edit_distance(first[1:], second[1:]),
    )
