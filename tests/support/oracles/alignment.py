"""The check of shifted lines with sets of words, line after line."""

from fractions import Fraction

PROBES, RUN, WINDOW, SHORT, UNLIKE = 2000, 10, 30, 4, Fraction(1, 5)


def overlap(left, right):
    first, second = set(left.split()), set(right.split())
    return Fraction(len(first & second), len(first | second)) if first | second else Fraction(1)


def verdict(sources, lines):
    """Return what the check finds and from which line on: ("shifted" | "elsewhere" | "foreign", line) or None."""
    needed, misplaced, likeness = min(RUN, max(5, len(sources) // 2)), 0, []
    long = []
    for i in range(0, len(sources), max(1, len(sources) // PROBES)):
        words, known = lines[i].split(), sources[i].split()
        if len(known) < SHORT or not words:
            continue
        if len(words) < SHORT:
            likeness.append((i, Fraction(len(set(words) & set(known)), len(words))))
            continue
        own = overlap(sources[i], lines[i])
        likeness.append((i, own))
        near = max((float(overlap(sources[j], lines[i])) for j in (i - 1, i + 1) if 0 <= j < len(sources)), default=0)
        long.append(i)
        misplaced = misplaced + 1 if float(own) < 0.6 and near > max(0.4, float(own) + 0.2) else 0
        if misplaced == needed:
            return "shifted", long[-needed] + 1
    return unlike(sources, lines, likeness)


def unlike(sources, lines, likeness):
    window = min(WINDOW, len(likeness))
    if window < RUN:
        return None
    for end in range(window, len(likeness) + 1):
        if sum(own for _, own in likeness[end - window : end]) < UNLIKE * window:
            seen = [i for i, _ in likeness[end - window : end]]
            found = {next((j for j, text in enumerate(sources) if overlap(text, lines[i]) > 0.5), None) for i in seen}
            return "elsewhere" if 2 * len(found - {None}) > window else "foreign", seen[0] + 1
    return None
