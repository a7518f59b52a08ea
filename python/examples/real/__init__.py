"""Tests of packages from the registry against the probabilities that they document."""
