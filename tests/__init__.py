"""Tests of wsim."""
