-- The rights of the roles, as docs/postgres.md explains them: a node cannot change or remove an event.
GRANT USAGE ON SCHEMA moot TO moot_node, moot_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA moot TO moot_node, moot_reader;
GRANT INSERT ON moot.events, moot.said TO moot_node;
GRANT INSERT, UPDATE ON moot.debates, moot.listing, moot.said_reached TO moot_node;
GRANT INSERT, UPDATE, DELETE ON moot.nodes, moot.inbox, moot.notes TO moot_node;
GRANT USAGE ON SEQUENCE moot.streams TO moot_node;
