-- The index of what was said: see events/store/postgres/search.py.
CREATE TABLE moot.said (
    stream bigint NOT NULL,
    position integer NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (stream, position)
);
CREATE INDEX said_words ON moot.said USING gin (words);
CREATE TABLE moot.said_reached (
    stream bigint PRIMARY KEY,
    reached integer NOT NULL
);
