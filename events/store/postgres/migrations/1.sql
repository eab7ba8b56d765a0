CREATE SCHEMA IF NOT EXISTS moot;
CREATE TABLE IF NOT EXISTS moot.migrations (
    version integer PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE SEQUENCE moot.streams INCREMENT BY 64;
CREATE TABLE moot.debates (
    stream bigint PRIMARY KEY,
    debate text COLLATE "C" NOT NULL UNIQUE,
    version integer NOT NULL,
    digest bytea NOT NULL,
    epoch bigint NOT NULL,
    owner text COLLATE "C",
    lease_until timestamptz
) WITH (fillfactor = 50);
CREATE INDEX debates_by_owner ON moot.debates (owner) WHERE owner IS NOT NULL;
CREATE TABLE moot.listing (
    stream bigint PRIMARY KEY,
    opened_at text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    calibrates boolean NOT NULL,
    folded text COLLATE "C" NOT NULL,
    summary bytea NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX listing_by_age ON moot.listing (opened_at, stream);
CREATE INDEX listing_open ON moot.listing (opened_at, stream) WHERE state = 'open';
CREATE INDEX listing_calibrating ON moot.listing (opened_at, stream) WHERE calibrates;
CREATE TABLE moot.events (
    stream bigint NOT NULL,
    position integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    cause integer,
    schema integer NOT NULL,
    salt bytea NOT NULL,
    digest bytea NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (stream, position)
);
CREATE TABLE moot.nodes (
    node text COLLATE "C" PRIMARY KEY,
    address text NOT NULL,
    seen_at timestamptz NOT NULL
);
CREATE TABLE moot.inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE,
    debate text COLLATE "C" NOT NULL,
    act bytea NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    taken_by text COLLATE "C",
    answer bytea
);
CREATE INDEX inbox_waiting ON moot.inbox (debate, id) WHERE taken_by IS NULL;
