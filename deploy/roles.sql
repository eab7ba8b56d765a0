-- The roles and the database, as docs/postgres.md explains them.  The image of PostgreSQL runs this once, in psql.
\getenv owner_password OWNER_PASSWORD
\getenv node_password NODE_PASSWORD
CREATE ROLE moot_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE moot_node LOGIN PASSWORD :'node_password';
CREATE ROLE moot_reader LOGIN;
CREATE DATABASE moot OWNER moot_owner;
REVOKE CONNECT, TEMPORARY ON DATABASE moot FROM PUBLIC;
GRANT CONNECT ON DATABASE moot TO moot_node, moot_reader;
