-- Deleted debates: see events/store/tombstone.py.  The row in moot.debates stays, with version -1.
CREATE TABLE moot.tombstones (
    stream bigint PRIMARY KEY,
    debate text COLLATE "C" NOT NULL UNIQUE,
    deleted_at text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    events integer NOT NULL,
    lines bytea NOT NULL
);
