"""The check of shifted lines with sets of words, line after line."""

PROBES, RUN, WINDOW, SHORT, UNLIKE = 2000, 10, 30, 4, 0.2


def overlap(left, right):
    first, second = set(left.split()), set(right.split())
    return len(first & second) / len(first | second) if first | second else 1.0


def verdict(sources, lines):
    """Return what the check finds and from which line on: ("shifted" | "elsewhere" | "foreign", line) or None."""
    needed, misplaced, likeness = min(RUN, max(5, len(sources) // 2)), 0, []
    long = []
    for i in range(0, len(sources), max(1, len(sources) // PROBES)):
        words, known = lines[i].split(), sources[i].split()
        if len(known) < SHORT or not words:
            continue
        if len(words) < SHORT:
            likeness.append((i, len(set(words) & set(known)) / len(words)))
            continue
        own = overlap(sources[i], lines[i])
        likeness.append((i, own))
        around = [overlap(sources[j], lines[i]) for j in (i - 1, i + 1) if 0 <= j < len(sources)]
        long.append(i)
        misplaced = misplaced + 1 if own < 0.6 and any(near > max(0.4, own + 0.2) for near in around) else 0
        if misplaced == needed:
            return "shifted", long[-needed] + 1
    return unlike(sources, lines, likeness)


def unlike(sources, lines, likeness):
    window = min(WINDOW, len(likeness))
    if window < RUN:
        return None
    total = sum(own for _, own in likeness[:window])
    for end in range(window, len(likeness) + 1):
        if total < UNLIKE * window:
            seen = [i for i, _ in likeness[end - window : end]]
            found = {next((j for j, text in enumerate(sources) if overlap(text, lines[i]) > 0.5), None) for i in seen}
            return "elsewhere" if 2 * len(found - {None}) > window else "foreign", seen[0] + 1
        if end < len(likeness):
            total += likeness[end][1] - likeness[end - window][1]
    return None
