"""What nodes share: leases on debates, an inbox for forwarded commands, and buses for text in flight.

A node is a server process; a cluster is all nodes on one store.
"""
