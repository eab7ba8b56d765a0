-- What parts of the server keep next to the events: see events/store/log.py.
CREATE TABLE moot.notes (
    kind text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (kind, key)
);
