-- A results database of schema version 1, as the program of that time wrote it (version_1_verdicts.txt has its
-- verdicts, as that program read them). Never made anew.
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
CREATE TABLE agents (                 -- standing agents
  agent_id TEXT PRIMARY KEY,
  facts BLOB NOT NULL,                -- diopi.v1.AgentFacts
  seen TEXT NOT NULL                  -- RFC 3339, UTC
) WITHOUT ROWID;
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
CREATE TABLE run_functions (          -- ABI functions whose symbol the library exports
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  function TEXT NOT NULL,
  PRIMARY KEY (run, function)
) WITHOUT ROWID;
CREATE TABLE run_cases (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  case_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL,
  PRIMARY KEY (run, case_id)
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
CREATE TABLE run_totals (
  run INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  done INTEGER NOT NULL,
  called INTEGER NOT NULL, passed INTEGER NOT NULL,                     -- correctness, in cases
  implemented INTEGER NOT NULL, selected INTEGER NOT NULL,              -- coverage, in functions
  tested INTEGER NOT NULL, passing INTEGER NOT NULL,
  flushed INTEGER NOT NULL, widened INTEGER NOT NULL,
  judged INTEGER NOT NULL, ours_alone INTEGER NOT NULL, theirs_alone INTEGER NOT NULL
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
CREATE TABLE run_tallies (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  operator TEXT NOT NULL,
  function TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  cases INTEGER NOT NULL,
  PRIMARY KEY (run, operator, function, dtype, outcome)
) WITHOUT ROWID;
INSERT INTO devices VALUES (1, 'alpha', 'acme', '', '');
INSERT INTO devices VALUES (2, 'beta', 'acme', '', '');
INSERT INTO provenances VALUES (1, 'cpu oracle 1', '');
INSERT INTO provenances VALUES (2, 'reference 188', 'device_reference 217');
INSERT INTO provenances VALUES (3, '', '');
INSERT INTO provenances VALUES (4, 'cpu oracle 1', 'Acme 2.1');
INSERT INTO runs VALUES (1, '20261123-133509-6c76', 1, 'abc', 's', 'tf32', 2, -15, '', '', '', '', '', 1.5, '2026-11-23T13:35:09Z', '2026-11-23T13:35:10Z', '', 'finished', 6, CAST(X'0a05616c7068611a03616263220461636d654a050a0361646450f1ffffffffffffffff01580261000000000000f83f6a0474663332720864696f7069416464720864696f7069537562' AS TEXT), NULL);
INSERT INTO runs VALUES (2, '20261123-133509-fa96', 2, 'abc', 't', 'tf32', 2, -15, '', '', '', '', '', 1.5, '2026-11-23T13:35:09Z', '2026-11-23T13:35:10Z', '', 'aborted', 4, CAST(X'0a04626574611a03616263220461636d654a050a0361646450f1ffffffffffffffff01580261000000000000f83f6a0474663332720864696f7069416464720864696f7069537562' AS TEXT), NULL);
INSERT INTO runs VALUES (3, '20261123-133510-f661', 1, 'abc', 's', 'tf32', 2, -15, '', '', '', '', '', 1.5, '2026-11-23T13:35:10Z', '', '', 'running', 6, CAST(X'0a05616c7068611a03616263220461636d654a050a0361646450f1ffffffffffffffff01580261000000000000f83f6a0474663332720864696f7069416464720864696f7069537562' AS TEXT), NULL);
INSERT INTO run_functions VALUES (1, 'diopiAdd');
INSERT INTO run_functions VALUES (1, 'diopiSub');
INSERT INTO run_functions VALUES (2, 'diopiAdd');
INSERT INTO run_functions VALUES (2, 'diopiSub');
INSERT INTO run_functions VALUES (3, 'diopiAdd');
INSERT INTO run_functions VALUES (3, 'diopiSub');
INSERT INTO run_cases VALUES (1, 'add.float32.p0', 0, 'hash0', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (1, 'add.float32.p1', 1, 'hash1', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (1, 'add.float32.p2', 2, 'hash2', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (1, 'add.float32.p3', 3, 'hash3', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (1, 'add.float32.p4', 4, 'hash4', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (1, 'add.float32.p5', 5, 'hash5', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (2, 'add.float32.p0', 0, 'hash0', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (2, 'add.float32.p1', 1, 'hash1', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (2, 'add.float32.p2', 2, 'hash2', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (2, 'add.float32.p3', 3, 'hash3', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (3, 'add.float32.p0', 0, 'hash0', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (3, 'add.float32.p1', 1, 'hash1', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (3, 'add.float32.p2', 2, 'hash2', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (3, 'add.float32.p3', 3, 'hash3', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (3, 'add.float32.p4', 4, 'hash4', 'diopiAdd', 'add');
INSERT INTO run_cases VALUES (3, 'add.float32.p5', 5, 'hash5', 'diopiAdd', 'add');
INSERT INTO results VALUES (1, 1, 1, '2026-11-23T13:35:09Z', 'add.float32.p0', 'hash0', 1, '', 1.041, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 0, 7.286999999999999, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (2, 1, 2, '2026-11-23T13:35:09Z', 'add.float32.p1', 'hash1', 6, 'reason 4', 182.5, 'signal 183', 'backtrace 184', 185, CAST(X'6e756c00696e73696465' AS TEXT), 187, 'function 189', 'tensor_info 190', 'variant 191', 10, 'operator 193', CAST(X'636f6e747261637473203139340a636f6e747261637473203139350a636f6e74726163747320313936' AS TEXT), 'likely_cause 197', CAST(X'636f6e73697374656e745f77697468203139380a636f6e73697374656e745f77697468203139390a636f6e73697374656e745f7769746820323030' AS TEXT), 'declarable 201', 202, 203.5, CAST(X'72656164696e6773203230340a72656164696e6773203230350a72656164696e677320323036' AS TEXT), CAST(X'776f756c645f706173735f756e646572203230370a776f756c645f706173735f756e646572203230380a776f756c645f706173735f756e64657220323039' AS TEXT), 210.5, 1, 'waiver 212', 1, CAST(X'636f6e76657273696f6e73203231340a636f6e76657273696f6e73203231350a636f6e76657273696f6e7320323136' AS TEXT));
INSERT INTO results VALUES (3, 2, 1, '2026-11-23T13:35:09Z', 'add.float32.p3', 'hash3', 1, '', 2.5, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 1, 17.5, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (4, 1, 3, '2026-11-23T13:35:09Z', 'add.float32.p2', 'hash2', 4, 'why not', NULL, '', '', 0, '', 0, 'diopiSub', '', '', 9, 'add', '', '', '', '', NULL, NULL, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (5, 1, 1, '2026-11-23T13:35:09Z', 'add.float32.p3', 'hash3', 1, '', 0.3333333333333333, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 1, 2.333333333333333, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (6, 1, 1, '2026-11-23T13:35:10Z', 'add.float32.p4', 'hash4', 2, CAST(X'6f75743a2033206f6620360a656c656d656e747320646966666572' AS TEXT), 3.0, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 0, 21.0, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (7, 1, 1, '2026-11-23T13:35:10Z', 'add.float32.p5', 'hash5', 1, '', 0.0, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 1, 0.0, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (8, 2, 1, '2026-11-23T13:35:10Z', 'add.float32.p0', 'hash0', 1, '', 7.125, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 0, 49.875, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (9, 3, 4, '2026-11-23T13:35:10Z', 'add.float32.p3', 'hash3', 1, '', 0.001, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 1, 0.007, '', '', 0.0, 0, '', 0, '');
INSERT INTO results VALUES (10, 3, 1, '2026-11-23T13:35:10Z', 'add.float32.p0', 'hash0', 1, '', 1.5, '', '', 0, '', 2, 'diopiAdd', '[(input, float32, (2, 3))]', '', 9, 'add', '', '', '', '', 0, 10.5, '', '', 0.0, 0, '', 0, '');
INSERT INTO result_outputs VALUES (1, 0, 'out', 0, 1, '', 6, 0, 0, 0.5, NULL, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (2, 0, 'key 6', 10, 1, 'gates 12', 13, 14, 15, 9e999, 1e+300, 18.5, 19.5, 5e-324, 21.5, 22.5, 23.5, 24.5, 25, 26, 27, 28.5, 'detail 53', 1, 55.5, 56, 57, 58, 59.5, 60.5, 61.5, 'grade 62', 'digest 63', CAST(X'1a0308000ab201031d1e1fba013f082111000000000000f87f190000000000c041402100000000004042402a0e61637475616c5f74657874203337321065787065637465645f74657874203338ba013f0828110000000000c04440190000000000404540210000000000c045402a0e61637475616c5f74657874203434321065787065637465645f74657874203435ba013f082f110000000000404840190000000000c048402100000000004049402a0e61637475616c5f74657874203531321065787065637465645f74657874203532' AS TEXT));
INSERT INTO result_outputs VALUES (2, 1, 'key 65', 10, 1, 'gates 71', 72, 73, 74, 75.5, 76.5, 77.5, 78.5, 79.5, 80.5, 81.5, 82.5, 83.5, 84, 85, 86, 87.5, 'detail 112', 1, 114.5, 115, 116, 117, 118.5, 119.5, 120.5, 'grade 121', 'digest 122', CAST(X'1a03434445b2010358595aba013f085c110000000000605740190000000000a05740210000000000e057402a0e61637475616c5f74657874203936321065787065637465645f74657874203937ba01410863110000000000205940190000000000605940210000000000a059402a0f61637475616c5f7465787420313033321165787065637465645f7465787420313034ba0141086a110000000000e05a40190000000000205b40210000000000605b402a0f61637475616c5f7465787420313130321165787065637465645f7465787420313131' AS TEXT));
INSERT INTO result_outputs VALUES (2, 2, 'key 124', 10, 1, 'gates 130', 131, 132, 133, 134.5, 135.5, 136.5, 137.5, 138.5, 139.5, 140.5, 141.5, 142.5, 143, 144, 145, 146.5, 'detail 171', 1, 173.5, 174, 175, 176, 177.5, 178.5, 179.5, 'grade 180', 'digest 181', CAST(X'1a047e7f8001b20106930194019501ba01420897011100000000001063401900000000003063402100000000005063402a0f61637475616c5f7465787420313535321165787065637465645f7465787420313536ba0142089e01110000000000f063401900000000001064402100000000003064402a0f61637475616c5f7465787420313632321165787065637465645f7465787420313633ba014208a501110000000000d06440190000000000f064402100000000001065402a0f61637475616c5f7465787420313639321165787065637465645f7465787420313730' AS TEXT));
INSERT INTO result_outputs VALUES (2, 3, 'scalar', 0, 0, '', 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 0, 0.0, 0, 0, 1, 0.0, 0.0, 0.0, 'A', '', '');
INSERT INTO result_outputs VALUES (3, 0, 'out', 0, 1, '', 6, 0, 0, 1.0, NULL, 3.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (5, 0, 'out', 0, 1, '', 6, 0, 0, 0.25, NULL, 3.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (6, 0, 'out', 0, 1, '', 6, 0, 0, 9.0, NULL, 4.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (7, 0, 'out', 0, 1, '', 6, 0, 0, 0.0, NULL, 5.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (8, 0, 'out', 0, 1, '', 6, 0, 0, 0.5, NULL, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (9, 0, 'out', 0, 1, '', 6, 0, 0, 0.125, NULL, 3.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, 'B', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO result_outputs VALUES (10, 0, 'out', 0, 1, '', 6, 0, 0, 0.5, NULL, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, 0, -1, 0, 0.0, 0.0, 0.0, '', '0123456789abcdef', CAST(X'1a020203b20118030300000000000000000000000000000000000000000000' AS TEXT));
INSERT INTO run_totals VALUES (1, 6, 5, 3, 1, 3, 2, 0, 1, 1, 5, 1, 0);
INSERT INTO run_totals VALUES (2, 2, 2, 2, 2, 1, 1, 1, 0, 0, 2, 0, 0);
INSERT INTO run_outcomes VALUES (1, 1, 3);
INSERT INTO run_outcomes VALUES (1, 2, 1);
INSERT INTO run_outcomes VALUES (1, 4, 1);
INSERT INTO run_outcomes VALUES (1, 6, 1);
INSERT INTO run_outcomes VALUES (2, 1, 2);
INSERT INTO run_references VALUES (1, 1);
INSERT INTO run_references VALUES (1, 2);
INSERT INTO run_references VALUES (2, 1);
INSERT INTO run_tallies VALUES (1, 'add', 'diopiAdd', 9, 1, 3);
INSERT INTO run_tallies VALUES (1, 'add', 'diopiAdd', 9, 2, 1);
INSERT INTO run_tallies VALUES (1, 'add', 'diopiSub', 9, 4, 1);
INSERT INTO run_tallies VALUES (1, 'operator 193', 'function 189', 10, 6, 1);
INSERT INTO run_tallies VALUES (2, 'add', 'diopiAdd', 9, 1, 2);
CREATE INDEX runs_by_device ON runs (device, id);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE INDEX results_by_outcome ON results (run, outcome);
CREATE INDEX results_failed ON results (run, case_id, outcome, case_hash) WHERE outcome IN (2, 3, 6, 7, 8, 9);
PRAGMA application_id = 0x44494f52;
PRAGMA user_version = 1;
