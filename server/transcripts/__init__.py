"""Transcripts of debates that were held elsewhere: files become entries with speakers and sides."""
