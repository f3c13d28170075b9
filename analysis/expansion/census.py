"""Effects for census.toml: what no formula can say, because it goes round the whole table (docs/effects.md)."""


def poorer(table, own, other):
    """How many cities have more coins than one's own."""
    count = 0
    for seat in range(table.seats):
        if table.cities[seat].coins > table.cities[own].coins:
            count += 1
    return count


def longest_row(table, own, other, shields):
    """How many cities in a row, from one's own to the left, have at least so many shields."""
    length = 0
    while length < table.seats and table.cities[(own + length) % table.seats].shields >= shields:
        length += 1
    return length
