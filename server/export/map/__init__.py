"""Who answers what: a debate as a graph of arguments, and its forms: AIF, Argdown, a page."""
