"""Receipts: signed statements of how debates ended.  docs/receipt.md says what a receipt states."""
