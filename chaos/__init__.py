"""Black-box trials of a real Corvo: real processes, real kills. Imports nothing from `corvo`."""
