"""Figures: each script prints what it measures and how. Ratios come from one run on one machine."""
