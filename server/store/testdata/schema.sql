CREATE INDEX results_by_outcome ON results (run, outcome);
CREATE INDEX results_failed ON results (run, case_id, outcome, case_hash) WHERE outcome IN (2, 3, 6, 7, 8, 9);
CREATE INDEX runs_by_device ON runs (device, id);
CREATE TABLE agents (                 -- standing agents
  agent_id TEXT PRIMARY KEY,
  facts BLOB NOT NULL,                -- diopi.v1.AgentFacts
  seen TEXT NOT NULL                  -- RFC 3339, UTC
) WITHOUT ROWID;
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  chip TEXT NOT NULL,
  vendor_name TEXT NOT NULL,
  impl_version TEXT NOT NULL,
  dialect TEXT NOT NULL,
  UNIQUE (chip, vendor_name, impl_version, dialect)
);
CREATE TABLE provenances (            -- the references that verdicts were judged by
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  device_reference TEXT NOT NULL,     -- whose outputs stood beside; '': nobody's
  UNIQUE (text, device_reference)
);
CREATE TABLE result_outputs (
  result INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  key TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  gates TEXT NOT NULL,
  elements INTEGER NOT NULL,
  mismatches INTEGER NOT NULL,
  soft INTEGER NOT NULL,
  max_ulp REAL,
  max_z REAL,
  rms_z REAL,
  max_abs REAL,
  max_rel REAL,
  rmse REAL,
  rmse_ideal REAL,
  bias REAL,
  radial_bias REAL,
  nan_actual INTEGER NOT NULL,
  inf_actual INTEGER NOT NULL,
  flushed INTEGER NOT NULL,
  zero_fraction REAL,
  detail TEXT NOT NULL,
  public_pass INTEGER NOT NULL,
  public_mismatch_ratio REAL,
  groups INTEGER NOT NULL,
  argmax INTEGER NOT NULL,
  leaning INTEGER NOT NULL,
  rms_z_device REAL,
  rmse_device REAL,
  rmse_ratio REAL,
  grade TEXT NOT NULL,
  digest TEXT NOT NULL,
  extra BLOB NOT NULL,
  PRIMARY KEY (result, ordinal)
) WITHOUT ROWID;
CREATE TABLE results (                -- never updated
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  stored TEXT NOT NULL,               -- RFC 3339, UTC
  case_id TEXT NOT NULL,
  case_hash TEXT NOT NULL,
  outcome INTEGER NOT NULL,
  reason TEXT NOT NULL,
  call_us REAL,
  signal TEXT NOT NULL,
  backtrace TEXT NOT NULL,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  calls INTEGER NOT NULL,
  function TEXT NOT NULL,
  tensor_info TEXT NOT NULL,
  variant TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  operator TEXT NOT NULL,
  contracts TEXT NOT NULL,
  likely_cause TEXT NOT NULL,
  consistent_with TEXT NOT NULL,
  declarable TEXT NOT NULL,
  device_index INTEGER,
  elapsed_us REAL,
  readings TEXT NOT NULL,
  would_pass_under TEXT NOT NULL,
  cause_confidence REAL,
  threw INTEGER NOT NULL,
  waiver TEXT NOT NULL,
  adapted INTEGER NOT NULL,
  conversions TEXT NOT NULL,
  UNIQUE (run, case_id),
  FOREIGN KEY (run, case_id) REFERENCES run_cases (run, case_id) ON DELETE CASCADE
);
CREATE TABLE run_cases (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL,
  PRIMARY KEY (run, case_id)
) WITHOUT ROWID;
CREATE TABLE run_functions (          -- ABI functions whose symbol the library exports
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  function TEXT NOT NULL,
  PRIMARY KEY (run, function)
) WITHOUT ROWID;
CREATE TABLE run_outcomes (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  outcome INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, outcome)
) WITHOUT ROWID;
CREATE TABLE run_references (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  PRIMARY KEY (run, reference)
) WITHOUT ROWID;
CREATE TABLE run_tallies (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  operator TEXT NOT NULL,
  function TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, operator, function, dtype, outcome)
) WITHOUT ROWID;
CREATE TABLE run_totals (
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  done INTEGER NOT NULL,
  called INTEGER NOT NULL, passed INTEGER NOT NULL,                     -- correctness, in cases
  implemented INTEGER NOT NULL, selected INTEGER NOT NULL,              -- coverage, in functions
  tested INTEGER NOT NULL, passing INTEGER NOT NULL,
  flushed INTEGER NOT NULL, widened INTEGER NOT NULL,
  judged INTEGER NOT NULL, ours_alone INTEGER NOT NULL, theirs_alone INTEGER NOT NULL
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  -- identity: what makes two runs comparable
  device INTEGER NOT NULL REFERENCES devices (id),
  impl_sha256 TEXT NOT NULL,
  suite_hash TEXT NOT NULL,
  contracts TEXT NOT NULL,            -- one a line, as the next two
  repeat INTEGER NOT NULL,
  shuffle_seed INTEGER NOT NULL,
  environment TEXT NOT NULL,          -- the profile's variables, NAME=VALUE
  adaptor TEXT NOT NULL,              -- rules in words
  -- descriptive
  impl_path TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  host TEXT NOT NULL,
  timeout_s REAL NOT NULL,
  created TEXT NOT NULL,              -- RFC 3339, UTC
  finished TEXT NOT NULL DEFAULT '',
  alive_until TEXT NOT NULL DEFAULT '',  -- RFC 3339, UTC; a running run is stalled from then on; '': not known
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('queued', 'running', 'finished', 'aborted')),
  cases INTEGER NOT NULL,
  options BLOB NOT NULL,              -- diopi.v1.RunOptions, as it was asked for
  submission BLOB                     -- diopi.v1.Submission; NULL: none
);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
