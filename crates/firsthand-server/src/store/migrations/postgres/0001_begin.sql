CREATE TABLE tree (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  length BIGINT NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT NOT NULL
);
CREATE INDEX tree_expires ON tree (expires);

CREATE TABLE session (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  tree TEXT NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
  created BIGINT NOT NULL
);
CREATE INDEX session_age ON session (tenant, created, id);
CREATE INDEX session_tree ON session (tree);

CREATE TABLE event (
  tree TEXT NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  session TEXT NOT NULL,
  item TEXT,
  kind TEXT NOT NULL,
  time BIGINT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tree, seq)
);
CREATE UNIQUE INDEX event_item ON event (session, item) WHERE item IS NOT NULL;

CREATE TABLE snapshot (
  tree TEXT NOT NULL PRIMARY KEY REFERENCES tree (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  body BYTEA NOT NULL
);

CREATE TABLE token (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  digest BYTEA NOT NULL,
  scopes TEXT NOT NULL,
  created BIGINT NOT NULL,
  expires BIGINT
);

CREATE TABLE shelf (
  tenant TEXT NOT NULL,
  shelf TEXT NOT NULL,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (tenant, shelf, name)
);

CREATE TABLE refusal (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  time BIGINT NOT NULL,
  session TEXT NOT NULL,
  reason TEXT NOT NULL,
  tool TEXT NOT NULL,
  host TEXT NOT NULL,
  line TEXT NOT NULL
);
CREATE INDEX refusal_age ON refusal (tenant, time);
