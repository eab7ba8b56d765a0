"""Rubrics as data, and how they are loaded and checked."""
