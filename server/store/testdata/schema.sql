CREATE INDEX cases_by_id ON cases (case_id);
CREATE INDEX runs_by_device ON runs (device, id);
CREATE INDEX runs_by_owner ON runs (owner);
CREATE UNIQUE INDEX suite_cases_by_case ON suite_cases (suite, case_row);
CREATE INDEX verdicts_not_passed ON verdicts (run, outcome, case_row) WHERE outcome <> 1;
CREATE TABLE agents (                 -- standing agents
  agent_id TEXT PRIMARY KEY,
  facts BLOB NOT NULL,                -- diopi.v1.AgentFacts
  seen TEXT NOT NULL                  -- RFC 3339, UTC
) WITHOUT ROWID;
CREATE TABLE appends (                -- which verdicts came when
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  last INTEGER NOT NULL,              -- so many verdicts the run had then
  stored TEXT NOT NULL,               -- RFC 3339, UTC
  case_rows BLOB NOT NULL,            -- of these, in their order: zigzag varints, differences
  PRIMARY KEY (run, last)
) WITHOUT ROWID;
CREATE TABLE cases (                  -- in one version each, whatever runs cover them
  id INTEGER PRIMARY KEY,
  case_id TEXT NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL
);
CREATE TABLE contents (               -- what verdicts say (verdict_rows.h); never updated
  id INTEGER PRIMARY KEY,
  base INTEGER REFERENCES contents (id),
  body BLOB NOT NULL
);
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  chip TEXT NOT NULL,
  vendor_name TEXT NOT NULL,
  impl_version TEXT NOT NULL,
  dialect TEXT NOT NULL,
  UNIQUE (chip, vendor_name, impl_version, dialect)
);
CREATE TABLE measurements (           -- how fast a run's calls were; never updated
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_id TEXT NOT NULL,              -- of the call at its true size, which need not be a case of the run
  body BLOB NOT NULL,                 -- diopi.v1.Measurement
  PRIMARY KEY (run, case_id)
) WITHOUT ROWID;
CREATE TABLE provenances (            -- the references that verdicts were judged by
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  device_reference TEXT NOT NULL,     -- whose outputs stood beside; '': nobody's
  UNIQUE (text, device_reference)
);
CREATE TABLE run_functions (          -- ABI functions whose symbol the library exports
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  function TEXT NOT NULL,
  PRIMARY KEY (run, function)
) WITHOUT ROWID;
CREATE TABLE run_labels (             -- what a run is about: commit, branch, ticket, ... (labels.h)
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, key)
) WITHOUT ROWID;
CREATE TABLE run_machines (           -- the machine as such a run measured it
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  body BLOB NOT NULL                  -- diopi.v1.MachineFacts
);
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
CREATE TABLE run_tags (               -- runs that people named; they are kept
  tag TEXT PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE
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
, suite INTEGER REFERENCES suites (id), alike INTEGER, exploration BLOB, owner TEXT NOT NULL DEFAULT '', bytes INTEGER NOT NULL DEFAULT 0);
CREATE TABLE suite_cases (
  suite INTEGER NOT NULL REFERENCES suites (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  case_row INTEGER NOT NULL REFERENCES cases (id),
  PRIMARY KEY (suite, position)
) WITHOUT ROWID;
CREATE TABLE suites (                 -- the cases that runs cover, in their order
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL UNIQUE,       -- a hash of all that is stored of the cases
  cases INTEGER NOT NULL
);
CREATE TABLE verdicts (               -- never updated
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_row INTEGER NOT NULL REFERENCES cases (id),
  outcome INTEGER NOT NULL,
  content INTEGER NOT NULL REFERENCES contents (id),
  reference INTEGER NOT NULL REFERENCES provenances (id),
  call_time,                          -- INTEGER: nanoseconds; REAL: microseconds; NULL: not measured
  elapsed_time,                       -- the same
  device_index INTEGER,
  PRIMARY KEY (run, case_row)
) WITHOUT ROWID;
CREATE TRIGGER contents_are_final BEFORE UPDATE ON contents
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE TRIGGER verdicts_are_final BEFORE UPDATE ON verdicts
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
-- diopi.v1.Verdict
-- 1 string case_id
-- 2 string case_hash
-- 3 enum outcome
-- 4 string reason
-- 5 repeated message outputs
-- 6 double optional call_us
-- 7 string signal
-- 8 string backtrace
-- 9 int32 error_code
-- 10 string error_text
-- 11 int32 calls
-- 12 string reference
-- 13 string function
-- 14 string tensor_info
-- 15 string variant
-- 16 enum dtype
-- 17 string operator
-- 18 repeated string contracts
-- 19 string likely_cause
-- 26 repeated string consistent_with
-- 27 string declarable
-- 20 int32 optional device_index
-- 21 double optional elapsed_us
-- 22 repeated string readings
-- 24 repeated string would_pass_under
-- 25 double cause_confidence
-- 28 bool threw
-- 29 string waiver
-- 30 bool adapted
-- 31 repeated string conversions
-- 32 string device_reference
-- 33 repeated message findings
-- 34 message optional cause
-- diopi.v1.OutputStats
-- 1 string key
-- 2 enum dtype
-- 3 repeated int64 shape
-- 4 bool ok
-- 5 string gates
-- 6 int64 elements
-- 7 int64 mismatches
-- 8 int64 soft
-- 9 double max_ulp
-- 10 double max_z
-- 11 double rms_z
-- 12 double max_abs
-- 13 double max_rel
-- 14 double rmse
-- 15 double rmse_ideal
-- 16 double bias
-- 17 double radial_bias
-- 18 int64 nan_actual
-- 19 int64 inf_actual
-- 20 int64 flushed
-- 21 double zero_fraction
-- 22 repeated int64 ulp_histogram
-- 23 repeated message first
-- 24 string detail
-- 25 bool public_pass
-- 26 double public_mismatch_ratio
-- 27 int64 groups
-- 28 int64 argmax
-- 29 int64 leaning
-- 30 double rms_z_device
-- 31 double rmse_device
-- 32 double rmse_ratio
-- 33 string grade
-- 34 string digest
-- diopi.v1.Mismatch
-- 1 int64 index
-- 2 double actual
-- 3 double expected
-- 4 double tolerance
-- 5 string actual_text
-- 6 string expected_text
-- diopi.v1.Finding
-- 1 enum code
-- 2 string name
-- 3 int64 optional count
-- 4 int64 optional of
-- 5 message optional place
-- 6 int64 optional index
-- 7 string got
-- 8 string expected
-- 9 string limit
-- 10 string off
-- 11 string word
-- 12 bool exact
-- 13 string said
-- 14 repeated message parts
-- diopi.v1.Finding.Place
-- 1 repeated int64 at
