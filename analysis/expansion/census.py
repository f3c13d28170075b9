"""Effects for census.toml that no formula can express, because they look at the whole table (docs/effects.md)."""


def poorer(table, own, other):
    """Return the number of cities with more coins than the own city."""
    count = 0
    for seat in range(table.seats):
        if table.cities[seat].coins > table.cities[own].coins:
            count += 1
    return count


def longest_row(table, own, other, shields):
    """Return the number of consecutive cities, from the own city to the left, with at least this many shields."""
    length = 0
    while length < table.seats and table.cities[(own + length) % table.seats].shields >= shields:
        length += 1
    return length
