"""Probabilities of every outcome, of noise and of mixtures, and by how much one list exceeds another."""

# exact sums: outcomes below 0, from 0 to some number, and above it, where likelihood ratios no longer change


def geometric_masses(decay, at, reach):
    """Return masses of symmetric geometric noise around `at`, the tails beyond 0..reach lumped together."""
    tail = decay / (1 + decay)
    inside = [(1 - decay) / (1 + decay) * decay ** abs(x - at) for x in range(reach + 1)]
    return [tail * decay**at, *inside, tail * decay ** (reach - at)]


def mixed(weights, rows):
    return [sum(weight * row[place] for weight, row in zip(weights, rows)) for place in range(len(rows[0]))]


def stick(order, here, there):
    return sum(max(p - order * q, 0) for p, q in zip(here, there))
