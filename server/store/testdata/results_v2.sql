-- A results database of schema version 2, every row with its type. Made from a real file; never edited.
PRAGMA application_id = 1145655120;
PRAGMA user_version = 2;
BEGIN;
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
  text TEXT NOT NULL UNIQUE
);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  -- identity: what makes two runs comparable
  device INTEGER NOT NULL REFERENCES devices (id),
  impl_sha256 TEXT NOT NULL,
  suite_hash TEXT NOT NULL,
  contracts TEXT NOT NULL,            -- comma-separated
  repeat INTEGER NOT NULL,
  shuffle_seed INTEGER NOT NULL,
  -- descriptive
  impl_path TEXT NOT NULL,
  agent_version TEXT NOT NULL,
  host TEXT NOT NULL,
  timeout_s REAL NOT NULL,
  created TEXT NOT NULL,              -- RFC 3339, UTC
  finished TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'finished', 'aborted')),
  cases INTEGER NOT NULL,
  options BLOB NOT NULL               -- diopi.v1.RunOptions, as it was asked for
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
  case_id TEXT NOT NULL,
  case_hash TEXT NOT NULL,
  function TEXT NOT NULL,
  operator TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  reason TEXT NOT NULL,
  reference INTEGER NOT NULL REFERENCES provenances (id),
  call_us REAL,
  calls INTEGER NOT NULL,
  signal TEXT NOT NULL,
  backtrace TEXT NOT NULL,
  error_code INTEGER NOT NULL,
  error_text TEXT NOT NULL,
  tensor_info TEXT NOT NULL,
  tags TEXT NOT NULL,
  stored TEXT NOT NULL, contracts TEXT NOT NULL DEFAULT '', likely_cause TEXT NOT NULL DEFAULT '',               -- RFC 3339, UTC
  UNIQUE (run, case_id),
  FOREIGN KEY (run, case_id) REFERENCES run_cases (run, case_id) ON DELETE CASCADE
);
CREATE TABLE result_outputs (
  result INTEGER NOT NULL REFERENCES results (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  key TEXT NOT NULL,
  dtype INTEGER NOT NULL,
  shape TEXT NOT NULL,                -- "2,3"
  ok INTEGER NOT NULL,
  gates TEXT NOT NULL,
  elements INTEGER NOT NULL,
  mismatches INTEGER NOT NULL,
  soft INTEGER NOT NULL,
  max_ulp REAL, max_z REAL, rms_z REAL, max_abs REAL, max_rel REAL,  -- NULL: NaN
  rmse REAL, rmse_ideal REAL, bias REAL, radial_bias REAL,
  nan_actual INTEGER NOT NULL,
  inf_actual INTEGER NOT NULL,
  flushed INTEGER NOT NULL,
  zero_fraction REAL,
  detail TEXT NOT NULL,
  peer_ok INTEGER NOT NULL,
  peer_mismatch_ratio REAL,
  extra BLOB NOT NULL, noise_groups INTEGER NOT NULL DEFAULT 0, argmax INTEGER NOT NULL DEFAULT -1, leaning INTEGER NOT NULL DEFAULT 0, rms_z_device REAL DEFAULT 0, rmse_device REAL DEFAULT 0, rmse_ratio REAL DEFAULT 0, grade TEXT NOT NULL DEFAULT '', digest TEXT NOT NULL DEFAULT '',                -- diopi.v1.OutputStats with ulp_histogram and first alone
  PRIMARY KEY (result, ordinal)
) WITHOUT ROWID;
INSERT INTO devices (id, chip, vendor_name, impl_version, dialect) VALUES
  (1, 'testchip', 'diopi-conformance CPU reference', '0.1.0', 'none');
INSERT INTO provenances (id, text) VALUES
  (1, 'cpu: diopi-conformance CPU reference (AMD EPYC; 0.1.0; library 531af5d17891f8392b5035f4d65f8c3e; 2026-11-21T11:14:28+00:00)');
INSERT INTO runs (id, run_id, device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, impl_path, agent_version, host, timeout_s, created, finished, state, cases, options) VALUES
  (1, '20261121-111428-ffb1', 1, '6bf75abe2e1c03ec99f3bb89a8e5f0019b9c01b49923b059545e66d835c13f40', '469c36bbbe75a5c4f38a086a60639c14', 'tf32', 2, 0, '/work/main/build-flow/lib/vendors/libdiopi_faulty.so', '0.1.0', 'vm', 30.0, '2026-11-21T11:14:28Z', '2026-11-21T11:14:29Z', 'finished', 5, CAST(x'0a08746573746368697012342f776f726b2f6d61696e2f6275696c642d666c6f772f6c69622f76656e646f72732f6c696264696f70695f6661756c74792e736f1a4036626637356162653265316330336563393966336262383961386535663030313962396330316234393932336230353935343565363664383335633133663430221f64696f70692d636f6e666f726d616e636520435055207265666572656e63652a05302e312e3032046e6f6e653a05302e312e304202766d4a160a03616464120f6164642e666c6f617433322e6e312a5802610000000000003e406a0474663332720864696f7069416273720b64696f7069416273496e70720a64696f70694164616d57721664696f70694164617074697665417667506f6f6c3264721e64696f70694164617074697665417667506f6f6c32644261636b77617264720864696f7069416464720b64696f7069416464496e70721164696f7069416464496e705363616c6172720e64696f70694164645363616c6172720b64696f70694172616e6765720b64696f70694172676d6178720e64696f7069417667506f6f6c3264721664696f7069417667506f6f6c32644261636b77617264720e64696f706942617463684e6f726d721664696f706942617463684e6f726d4261636b77617264720864696f7069426d6d720e64696f7069436173744474797065720864696f7069436174721164696f7069436c6970477261644e6f726d721464696f7069436f6e765472616e73706f73653264721c64696f7069436f6e765472616e73706f736532644261636b77617264721264696f7069436f6e766f6c7574696f6e3264721a64696f7069436f6e766f6c7574696f6e32644261636b77617264720864696f7069436f73720b64696f7069436f73496e70721564696f706943726f7373456e74726f70794c6f7373721d64696f706943726f7373456e74726f70794c6f73734261636b77617264720b64696f706943756d73756d721364696f706943756d73756d4261636b77617264720864696f7069446976720b64696f7069446976496e70721164696f7069446976496e705363616c6172720e64696f70694469765363616c6172720c64696f706944726f706f7574720f64696f706944726f706f7574496e70720e64696f7069456d62656464696e67721664696f7069456d62656464696e674261636b77617264721564696f7069456d62656464696e6752656e6f726d5f720864696f7069457870720b64696f7069457870496e70720b64696f7069457870616e64720a64696f70694578706d31720d64696f70694578706d31496e70720964696f706946696c6c720b64696f7069476174686572721364696f70694761746865724261636b77617264721164696f706947656c754261636b77617264720e64696f706947726f75704e6f726d721664696f706947726f75704e6f726d4261636b77617264720d64696f7069496e646578507574721064696f7069496e646578507574496e70721064696f7069496e64657853656c656374721864696f7069496e64657853656c6563744261636b77617264720e64696f70694c617965724e6f726d721664696f70694c617965724e6f726d4261636b77617264720b64696f70694c696e656172721364696f70694c696e6561724261636b77617264720f64696f70694c6f67536f66746d6178721764696f70694c6f67536f66746d61784261636b77617264720f64696f70694d61736b656446696c6c721264696f70694d61736b656446696c6c496e70721864696f70694d61736b656446696c6c496e705363616c6172721564696f70694d61736b656446696c6c5363616c6172720b64696f70694d61746d756c721364696f70694d61746d756c4261636b77617264720864696f70694d6178720b64696f70694d6178416c6c720e64696f70694d6178506f6f6c3264721664696f70694d6178506f6f6c32644261636b77617264721964696f70694d6178506f6f6c326457697468496e6469636573720964696f70694d65616e720764696f70694d6d720864696f70694d756c720b64696f70694d756c496e70721164696f70694d756c496e705363616c6172720e64696f70694d756c5363616c6172720c64696f70694e4c4c4c6f7373721464696f70694e4c4c4c6f73734261636b77617264720e64696f70694e4c4c4c6f73735632721664696f70694e4c4c4c6f737356324261636b77617264720864696f70694e6567720b64696f70694e6567496e70720864696f70694e6d73720c64696f70694e6f6e7a65726f720964696f70694e6f726d721164696f70694e6f726d4261636b77617264720b64696f70694e6f726d616c720e64696f70694e6f726d616c496e70721764696f70694e6f726d616c5363616c617254656e736f72721164696f70694e6f726d616c54656e736f72721764696f70694e6f726d616c54656e736f725363616c6172720964696f70694f6e6573720c64696f70695065726d757465720864696f7069506f77720b64696f7069506f77496e70721164696f7069506f77496e7054656e736f72720e64696f7069506f775363616c6172720e64696f7069506f7754656e736f72720964696f706952656c75720c64696f706952656c75496e70720c64696f706953636174746572720f64696f706953636174746572496e70721564696f706953636174746572496e705363616c6172721264696f7069536361747465725363616c6172720864696f7069536764720c64696f70695369676d6f6964721464696f70695369676d6f69644261636b77617264720f64696f70695369676d6f6964496e70720864696f706953696e720b64696f706953696e496e70720c64696f7069536f66746d6178721464696f7069536f66746d61784261636b77617264720964696f7069536f7274721164696f7069536f72744261636b77617264721364696f706953706c69745769746853697a6573720964696f706953717274720c64696f706953717274496e70720a64696f7069537461636b720864696f7069537464720864696f7069537562720b64696f7069537562496e70721164696f7069537562496e705363616c6172720e64696f70695375625363616c6172720864696f706953756d720964696f706954616e68721164696f706954616e684261636b77617264720c64696f706954616e68496e70720964696f7069546f706b720f64696f7069556e69666f726d496e70720b64696f7069556e69717565721364696f7069557073616d706c654c696e656172721b64696f7069557073616d706c654c696e6561724261636b77617264721464696f7069557073616d706c654e656172657374721c64696f7069557073616d706c654e6561726573744261636b77617264720a64696f70695768657265720c64696f70695a65726f496e70720a64696f70695a65726f73' AS TEXT));
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAbs');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAbsInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAdamW');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAdaptiveAvgPool2d');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAdaptiveAvgPool2dBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAdd');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAddInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAddInpScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAddScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiArange');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiArgmax');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAvgPool2d');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiAvgPool2dBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiBatchNorm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiBatchNormBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiBmm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCastDtype');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCat');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiClipGradNorm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiConvTranspose2d');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiConvTranspose2dBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiConvolution2d');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiConvolution2dBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCos');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCosInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCrossEntropyLoss');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCrossEntropyLossBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCumsum');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiCumsumBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiDiv');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiDivInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiDivInpScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiDivScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiDropout');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiDropoutInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiEmbedding');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiEmbeddingBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiEmbeddingRenorm_');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiExp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiExpInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiExpand');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiExpm1');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiExpm1Inp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiFill');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiGather');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiGatherBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiGeluBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiGroupNorm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiGroupNormBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiIndexPut');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiIndexPutInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiIndexSelect');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiIndexSelectBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiLayerNorm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiLayerNormBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiLinear');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiLinearBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiLogSoftmax');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiLogSoftmaxBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaskedFill');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaskedFillInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaskedFillInpScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaskedFillScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMatmul');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMatmulBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMax');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaxAll');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaxPool2d');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaxPool2dBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMaxPool2dWithIndices');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMean');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMul');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMulInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMulInpScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiMulScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNLLLoss');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNLLLossBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNLLLossV2');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNLLLossV2Backward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNeg');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNegInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNms');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNonzero');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNorm');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNormBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNormal');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNormalInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNormalScalarTensor');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNormalTensor');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiNormalTensorScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiOnes');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiPermute');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiPow');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiPowInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiPowInpTensor');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiPowScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiPowTensor');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiRelu');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiReluInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiScatter');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiScatterInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiScatterInpScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiScatterScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSgd');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSigmoid');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSigmoidBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSigmoidInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSin');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSinInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSoftmax');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSoftmaxBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSort');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSortBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSplitWithSizes');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSqrt');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSqrtInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiStack');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiStd');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSub');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSubInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSubInpScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSubScalar');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiSum');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiTanh');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiTanhBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiTanhInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiTopk');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiUniformInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiUnique');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiUpsampleLinear');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiUpsampleLinearBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiUpsampleNearest');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiUpsampleNearestBackward');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiWhere');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiZeroInp');
INSERT INTO run_functions (run, function) VALUES
  (1, 'diopiZeros');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
  (1, 'add.float32.n1', 0, 'd13e6c24403a8c89f39cda6ce234133a', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
  (1, 'add.float32.n1003', 4, 'e926295c853ccd2090cc3891a5b60dcc', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
  (1, 'add.float32.n127', 2, 'd33d462b2b9337ecbf0a66cf6aaffbaa', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
  (1, 'add.float32.n129', 3, '70e902dba9ca10c5eb31d7b5ec668196', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
  (1, 'add.float32.n17', 1, '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add');
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause) VALUES
  (1, 1, 'add.float32.n1', 'd13e6c24403a8c89f39cda6ce234133a', 'diopiAdd', 'add', 9, 2, 'out: 1 of 1 element differs, first at [0]: got 7.53913307, expected 23.9243279 (tolerance 1.3e-05, off by 1.6e+01); consistent with alpha taken as 1', 1, 1.33199999999999985078e+00, 2, '', '', 0, '', '[(input, float32, (1,)), (other, float32, (1,))]', '[float32]', '2026-11-21T11:14:29Z', '', 'consistent with alpha taken as 1');
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause) VALUES
  (2, 1, 'add.float32.n17', '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add', 9, 2, 'out: 17 of 17 elements differ, first at [0]: got -1.58445752, expected 5.66995811 (tolerance 3.0e-06, off by 7.3e+00); consistent with alpha taken as 1', 1, 1.102, 2, '', '', 0, '', '[(input, float32, (17,)), (other, float32, (17,))]', '[float32]', '2026-11-21T11:14:29Z', '', 'consistent with alpha taken as 1');
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause) VALUES
  (3, 1, 'add.float32.n127', 'd33d462b2b9337ecbf0a66cf6aaffbaa', 'diopiAdd', 'add', 9, 2, 'out: 127 of 127 elements differ, first at [0]: got -2.94004488, expected -4.1321516 (tolerance 1.9e-06, off by 1.2e+00); consistent with alpha taken as 1', 1, 1.71299999999999985611e+00, 2, '', '', 0, '', '[(input, float32, (127,)), (other, float32, (127,))]', '[float32]', '2026-11-21T11:14:29Z', '', 'consistent with alpha taken as 1');
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause) VALUES
  (4, 1, 'add.float32.n129', '70e902dba9ca10c5eb31d7b5ec668196', 'diopiAdd', 'add', 9, 2, 'out: 129 of 129 elements differ, first at [0]: got -1.41764414, expected -1.62903953 (tolerance 6.7e-07, off by 2.1e-01); consistent with alpha taken as 1', 1, 1.642, 2, '', '', 0, '', '[(input, float32, (129,)), (other, float32, (129,))]', '[float32]', '2026-11-21T11:14:29Z', '', 'consistent with alpha taken as 1');
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause) VALUES
  (5, 1, 'add.float32.n1003', 'e926295c853ccd2090cc3891a5b60dcc', 'diopiAdd', 'add', 9, 2, 'out: 1003 of 1003 elements differ, first at [0, 0]: got -1.36328959, expected -7.25266123 (tolerance 3.7e-06, off by 5.9e+00); consistent with alpha taken as 1', 1, 4.326, 2, '', '', 0, '', '[(input, float32, (17, 59)), (other, float32, (17, 59))]', '[float32]', '2026-11-21T11:14:29Z', '', 'consistent with alpha taken as 1');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
  (1, 0, 'out', 9, '1', 0, 'P,R', 1, 1, 0, 8590561.0625, 1.0549780398663355038e+07, 1.0549780398663355038e+07, 1.63851948976516723632e+01, 0.684875868551267, 1.63851948976516723632e+01, 1.1920928955078125e-07, 0.0, 0.0, 0, 0, 0, 0.0, '1 of 1 element differs, first at [0]: got 7.53913307, expected 23.9243279 (tolerance 1.3e-05, off by 1.6e+01)', 0, 1.0, CAST(x'b20118000000000000000000000000000000000000000000000001ba0132110000008012281e4019000000c2a0ec37402189e20c20665deb3e2a0a372e3533393133333037320932332e393234333238' AS TEXT), 1, 0, 0, 0.0, 0.0, 137448977.0, '', 'd91281604c617b30');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
  (2, 0, 'out', 9, '17', 0, 'P,R', 17, 17, 0, 679617440.0, 2.42180566436649486426e+07, 1.98802073801441155365e+07, 7.77319431304931640625e+00, 4.45839289950268806688e+01, 3.33099515460812289902e+00, 5.19442903796539295121e-08, 0.0, 0.0, 0, 0, 0, 0.0, '17 of 17 elements differ, first at [0]: got -1.58445752, expected 5.66995811 (tolerance 3.0e-06, off by 7.3e+00)', 0, 1.0, CAST(x'b20118000000000000000000000000000000000000000000000011ba01341100000020f059f9bf190000007609ae16402189e20c205014c93e2a0b2d312e3538343435373532320a352e3636393935373937ba0137080111000000006753f7bf19000000a09b9ad5bf21a23803303b84a03e2a0a2d312e34353738363139320c2d302e333337353631353138ba0138080211000000c0629dd53f19000000c0ae1cbdbf21a23803a05bbe843e2a0b302e333337373331303633320c2d302e313133373138393132ba013608031100000040675905401900000060f1b7f0bf214471068066f7b53e2a0a322e3636383635333936320b2d312e3034343930373933ba01370804110000000006bad1bf19000000209833c03f2144710660e73a833e2a0b2d302e3237363937383937320b302e313236353734353331ba013608051100000000b2d6f73f1900000060d458e23f2144710640a721a13e2a0a312e3438393931353835320b302e353733333433343536ba0137080611000000a003d8ff3f19000000c07bcceebf21a238038042f3b03e2a0a312e3939303233373833320c2d302e393632343631333532ba013708071100000040c5cce33f190000000024138dbf21146700e0052e8e3e2a09302e36313837343634320d2d302e30313431393636363431ba0137080811000000a0b33fe8bf19000000ac0ca3ff3f21447106801ab8b13e2a0c2d302e373537373736303832320a312e3937373330373031ba013708091100000080a511ddbf190000007d930cf23f2189e20c4009b0a53e2a0c2d302e343534323032303536320a312e3132383037303334ba0138080a110000000008dfd6bf1900000060d84220c02189e20c50cda1d03e2a0c2d302e333537333632373437320b2d382e3133303535373036ba0138080b1100000000d2e4d1bf190000003fd76dee3f2144710620546ba03e2a0c2d302e323739353931303834320b302e393530393038333031ba0137080c11000000803536c4bf19000000e89ac80d402189e20c4079e8bc3e2a0c2d302e313537393034333237320a332e3732323935313731ba0135080d11000000801dfcd23f1900000070dd8308402189e20c001620b73e2a0b302e3239363633373839333209332e30363433383732ba0136080e110000000056d1d03f19000000c03ec60a402189e20c80f022b93e2a0b302e323632373736383532320a332e3334363739393337ba0136080f11000000c0e59cde3f1900000078e778ee3f2189e20c80cabe993e2a0b302e343738333236323631320a302e3935323235383831' AS TEXT), 17, 6, 0, 0.0, 0.0, 64126300.1238889, '', '6d18c4a92ef1f841');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
  (3, 0, 'out', 9, '127', 0, 'P,R', 127, 127, 0, 197951504.0, 9.0563668043794017283e+06, 6.81803173426826763896e+06, 2.97363710403442382812e+00, 1.71039469682307085918e+01, 9.8331252754722453524e-01, 5.84450235335566e-08, 0.0, 0.0, 0, 0, 0, 0.0, '127 of 127 elements differ, first at [0]: got -2.94004488, expected -4.1321516 (tolerance 1.9e-06, off by 1.2e+00)', 0, 1.0, CAST(x'b2011800000000000000000000000000000000000000000000017eba01351100000040368507c019000000b0528710c02112c519c029ecbf3e2a0b2d322e3934303034343838320b2d342e3133323135313337ba0135080111000000c08058f63f19000000889b2a02402189e20cf049b1b23e2a0a312e3339363630373136320a322e3237303830343436ba0136080211000000604a7fe73f19000000e4a5a1f43f2189e20ce0a5d7a53e2a0b302e373334323838333934320a312e3238393436343835ba0135080311000000a07b2b0340190000000012f60f402189e20c00211dbf3e2a0a322e3339363233313839320a332e3939353135313532ba013508041100000080de46fe3f19000000cc8f5f0c402189e20cc03024be3e2a0a312e3839323330323034320a332e3534363636303939ba0134080511000000409d64fc3f190000003473770b402189e20c009ddbbd3e2a0a312e37373435363430333209332e34333333323532ba01350806110000002003a3f2bf19000000b0227e06c02189e20ce0433abc3e2a0a2d312e31363437393739320a2d322e38313135383936ba0138080711000000809dd9d5bf1900000080037bc9bf21447106e00be4893e2a0b2d302e3334313430373138320c2d302e313939303636353739ba0139080811000000401290d7bf19000000008c97c1bf21a23803e07a4f913e2a0c2d302e333638313638343134320c2d302e313337343337333434ba0136080911000000000e8fc53f1900000060eee3f33f21447106405c3cb13e2a0b302e313638343238313833320a312e3234333134373235ba0138080a1100000080b963cbbf19000000400212d63f21a2380300e54fa13e2a0c2d302e323133393830383534320b302e333434383439313639ba0137080b11000000401fd8d33f19000000383d05ea3f214471060067bea03e2a0b302e333130303636303434320b302e383133313339353433ba0135080c11000000a0e1d1f03f19000000d3eb3901402189e20cc0f37fb43e2a0a312e3035313234303536320a322e3135333238313833ba0139080d1100000000e44dd3bf190000009063c6debf2189e20ce00f368d3e2a0c2d302e333031363239303636320c2d302e343830383538363938ba0138080e11000000c026ddf1bf1900000080157fd3bf21a23803209f97ac3e2a0b2d312e3131363439323033320c2d302e333034363331353931ba0139080f11000000803e3ce7bf19000000d8852cebbf2189e20cc0e349973e2a0c2d302e373236313034303231320c2d302e383439313834393135' AS TEXT), 127, 82, 0, 0.0, 0.0, 1.68245723604277297859e+07, '', 'ef06714557ff3265');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
  (4, 0, 'out', 9, '129', 0, 'P,R', 129, 129, 0, 105032504.0, 9.07006179011431522708e+06, 7.01438614270120114075e+06, 2.55792364478111267089e+00, 8.85889731582569694978e+00, 1.00446168227559118335e+00, 5.99820395205690817894e-08, 0.0, 0.0, 0, 0, 0, 0.0, '129 of 129 elements differ, first at [0]: got -1.41764414, expected -1.62903953 (tolerance 6.7e-07, off by 2.1e-01)', 0, 1.0, CAST(x'b2011800000000000000000000000000000000000000000001027eba013411000000a0abaef6bf19000000b88b10fabf2189e20cc0bd85a63e2a0b2d312e3431373634343134320a2d312e36323930333935ba0133080111000000407fbb08401900000050c46a13402189e20c60455cc33e2a09332e303931353531333209342e38353432363435ba0135080211000000c055a4fa3f1900000060522502402189e20c800affb03e2a0a312e3636353132303834320a322e3236383232333532ba0136080311000000c0e06401c01900000090c40209c02189e20c0073e0b63e2a0a2d322e31373432353638320b2d332e3132363335313438ba0139080411000000600837e63f1900000000249db6bf2129ce00c0d8c7a83e2a0b302e363934323137383631320d2d302e30383833333532373537ba0138080511000000403d3ae8bf1900000000de54ce3f21519c0120500daf3e2a0c2d302e373537313039323834320b302e323336393634393431ba0137080611000000003fdfcd3f1900000080d85ee9bf21447106c0c7a1af3e2a0a302e3233333337353433320c2d302e373932383237383435ba0137080711000000608990fdbf19000000fae10a0dc02189e20ca074b2bf3e2a0b2d312e3834373738373236320b2d332e3633303331333833ba01370808110000008089d6d03f19000000fcf2bed13f2189e20c8006d9803e2a0b302e323633303934333036320b302e323737323739363132ba013808091100000060fcf9e9bf1900000088cea0ebbf2189e20ce04a6c983e2a0b2d302e3831313736353835320c2d302e383633333739373332ba0137080a1100000040dbe402c01900000016f2b111c02189e20c2062ebc33e2a0b2d322e3336313734363331320b2d342e3432333737353035ba0136080b11000000a06697eb3f1900000050967ff93f2189e20c004a27ab3e2a0b302e383632323331353533320a312e3539333634393231ba0137080c11000000a017b507c019000000b0f9350fc02189e20cc0d9b6ba3e2a0b2d322e3936333432333937320b2d332e3930313335353135ba0135080d11000000c0a045014019000000c038480a402189e20c60eeaab83e2a0a322e3135383939383031320a332e3238353236343439ba0133080e11000000e0525af93f19000000d09e0b01402189e20c503a11b03e2a0a312e35383435353136393208322e313330363734ba0137080f1100000000748eb23f19000000e0d816d63f2144710680ba8a913e2a0c302e30373234383631363232320a302e3334353134343438' AS TEXT), 129, 79, 0, 0.0, 0.0, 1.67460408199547883126e+07, '', 'bccc11fe91c49928');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
  (5, 0, 'out', 9, '17,59', 0, 'P,R', 1003, 1003, 0, 296401864.0, 1.55519678015511464332e+07, 1.28171437930800672625e+07, 2.36808874011039733882e+01, 2.62634259931815527977e+01, 5.75737099763336, 1.73546205704536105041e-07, 0.0, 0.0, 0, 0, 0, 0.0, '1003 of 1003 elements differ, first at [0, 0]: got -1.36328959, expected -7.25266123 (tolerance 3.7e-06, off by 5.9e+00)', 0, 1.0, CAST(x'b201190000000000000000000000000000000000000001000201e707ba013511000000c008d0f5bf1900000092b9021dc02189e20c600d04cf3e2a0b2d312e3336333238393539320b2d372e3235323636313032ba013808011100000000b600d7bf19000000b0c6161cc021447106806596d03e2a0c2d302e333539343138333932320b2d372e3032323234323331ba013608021100000000f071f43f19000000d2983cee3f21447106a0026da13e2a0a312e3237373831363737320b302e393434383937303839ba0137080311000000208d6100c0190000003fe81703c02189e20c603396b13e2a0b2d322e3034373633323436320b2d322e3338363637333434ba0137080411000000403241f2bf19000000fa430116c02189e20c80d6efc73e2a0b2d312e3134303931373036320b2d352e3530313233353837ba013808051100000040a8ebe3bf190000004757cc15c02189e20c00454ac93e2a0c2d302e363232353136373531320b2d352e3434393535313639ba0137080611000000201d3df2bf1900000024b1410cc02189e20cc0b7b3bb3e2a0b2d312e3133393932303335320b2d332e3533323037363135ba013708071100000080b43be73f1900000048ca66f8bf21447106e0d6bab43e2a0b302e373236303338323138320b2d312e3532353039353235ba013508081100000020dc2ff53f1900000098928014402189e20ce019c6c53e2a0a312e3332343138343534320a352e3132353535393231ba013908091100000040cd8ae2bf19000000a89e8ecdbf21a2380360fc2c913e2a0c2d302e353739343433353734320c2d302e323330393134393039ba0138080a1100000000669bd4bf19000000fe187a07c02189e20cc06e17bb3e2a0c2d302e333231393834373638320b2d322e3933343631373938ba0135080b11000000209439f0bf19000000e88a28f63f21447106808bf0b53e2a0b2d312e30313430353732383209312e33383438393831ba0134080c11000000e0651e044019000000e0c61625402189e20c604e99d63e2a0a322e3531343834323735320931302e353434343836ba0137080d1100000080bdd2fabf190000000c401d14c02189e20c206374c43e2a0b2d312e3637363435303235320b2d352e3032383536343633ba0137080e1100000080b479b93f19000000584196f63f2189e20c8087e6aa3e2a0c302e30393935313333323231320a312e3431313638333431ba0135080f11000000407a1bf13f190000006ee59f15402189e20c6005bac73e2a0a312e3036393230383338320a352e3430363134383634' AS TEXT), 1003, 823, 0, 0.0, 0.0, 3.31748595381873846049e+07, '', '858bc68a39f37c7b');
CREATE INDEX runs_by_device ON runs (device, id);
CREATE INDEX results_by_outcome ON results (run, outcome);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
COMMIT;
