-- A results database of schema version 4, every row with its type. Made from a real file; never edited.
PRAGMA application_id = 1145655120;
PRAGMA user_version = 4;
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
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('queued', 'running', 'finished', 'aborted')),
  cases INTEGER NOT NULL,
  options BLOB NOT NULL               -- diopi.v1.RunOptions, as it was asked for
, submission BLOB);
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
  stored TEXT NOT NULL, contracts TEXT NOT NULL DEFAULT '', likely_cause TEXT NOT NULL DEFAULT '', device_index INTEGER NOT NULL DEFAULT -1, elapsed_us REAL NOT NULL DEFAULT 0,               -- RFC 3339, UTC
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
CREATE TABLE agents (
  agent_id TEXT PRIMARY KEY,
  facts BLOB NOT NULL,                                                  -- diopi.v1.AgentFacts
  seen TEXT NOT NULL                                                    -- RFC 3339, UTC
) WITHOUT ROWID;
INSERT INTO devices (id, chip, vendor_name, impl_version, dialect) VALUES
(1, 'testchip', 'diopi-conformance CPU reference', '0.1.0', 'none');
INSERT INTO devices (id, chip, vendor_name, impl_version, dialect) VALUES
(2, 'nochip', '', '', '');
INSERT INTO provenances (id, text) VALUES
(1, '');
INSERT INTO provenances (id, text) VALUES
(2, 'cpu: diopi-conformance CPU reference (AMD EPYC; 0.1.0; library 374d4f84c67884aa626b88485d5e80f7; 2026-11-21T13:22:45+00:00)');
INSERT INTO runs (id, run_id, device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, impl_path, agent_version, host, timeout_s, created, finished, state, cases, options, submission) VALUES
(1, '20261121-132246-3b70', 1, 'aa0cd09d8cdcd84672193004ca9fa6857cf9ff2318a59edccdd4d206504e7375', '3ae6ccb70febf022237f228643b6d266', 'tf32', 2, 0, '/work/main/build/lib/vendors/libdiopi_faulty.so', '0.1.0', 'vm', 30.0, '2026-11-21T13:22:46Z', '2026-11-21T13:22:46Z', 'finished', 9, CAST(X'0A087465737463686970122F2F776F726B2F6D61696E2F6275696C642F6C69622F76656E646F72732F6C696264696F70695F6661756C74792E736F1A4061613063643039643863646364383436373231393330303463613966613638353763663966663233313861353965646363646434643230363530346537333735221F64696F70692D636F6E666F726D616E636520435055207265666572656E63652A05302E312E3032046E6F6E653A05302E312E304202766D4A350A036164640A0373756D0A076C69627261727912086164642E2A6E313712096C6962726172792E2A120873756D2E2A312A371A01095802610000000000003E406A0474663332720864696F7069416273720B64696F7069416273496E70720A64696F70694164616D57721664696F70694164617074697665417667506F6F6C3264721E64696F70694164617074697665417667506F6F6C32644261636B77617264720864696F7069416464720B64696F7069416464496E70721164696F7069416464496E705363616C6172720E64696F70694164645363616C6172720B64696F70694172616E6765720B64696F70694172676D6178720E64696F7069417667506F6F6C3264721664696F7069417667506F6F6C32644261636B77617264720E64696F706942617463684E6F726D721664696F706942617463684E6F726D4261636B77617264720864696F7069426D6D720E64696F7069436173744474797065720864696F7069436174721164696F7069436C6970477261644E6F726D721464696F7069436F6E765472616E73706F73653264721C64696F7069436F6E765472616E73706F736532644261636B77617264721264696F7069436F6E766F6C7574696F6E3264721A64696F7069436F6E766F6C7574696F6E32644261636B77617264720864696F7069436F73720B64696F7069436F73496E70721564696F706943726F7373456E74726F70794C6F7373721D64696F706943726F7373456E74726F70794C6F73734261636B77617264720B64696F706943756D73756D721364696F706943756D73756D4261636B77617264720864696F7069446976720B64696F7069446976496E70721164696F7069446976496E705363616C6172720E64696F70694469765363616C6172720C64696F706944726F706F7574720F64696F706944726F706F7574496E70720E64696F7069456D62656464696E67721664696F7069456D62656464696E674261636B77617264721564696F7069456D62656464696E6752656E6F726D5F720864696F7069457870720B64696F7069457870496E70720B64696F7069457870616E64720A64696F70694578706D31720D64696F70694578706D31496E70720964696F706946696C6C720B64696F7069476174686572721364696F70694761746865724261636B77617264721164696F706947656C754261636B77617264720E64696F706947726F75704E6F726D721664696F706947726F75704E6F726D4261636B77617264720D64696F7069496E646578507574721064696F7069496E646578507574496E70721064696F7069496E64657853656C656374721864696F7069496E64657853656C6563744261636B77617264720E64696F70694C617965724E6F726D721664696F70694C617965724E6F726D4261636B77617264720B64696F70694C696E656172721364696F70694C696E6561724261636B77617264720F64696F70694C6F67536F66746D6178721764696F70694C6F67536F66746D61784261636B77617264720F64696F70694D61736B656446696C6C721264696F70694D61736B656446696C6C496E70721864696F70694D61736B656446696C6C496E705363616C6172721564696F70694D61736B656446696C6C5363616C6172720B64696F70694D61746D756C721364696F70694D61746D756C4261636B77617264720864696F70694D6178720B64696F70694D6178416C6C720E64696F70694D6178506F6F6C3264721664696F70694D6178506F6F6C32644261636B77617264721964696F70694D6178506F6F6C326457697468496E6469636573720964696F70694D65616E720764696F70694D6D720864696F70694D756C720B64696F70694D756C496E70721164696F70694D756C496E705363616C6172720E64696F70694D756C5363616C6172720C64696F70694E4C4C4C6F7373721464696F70694E4C4C4C6F73734261636B77617264720E64696F70694E4C4C4C6F73735632721664696F70694E4C4C4C6F737356324261636B77617264720864696F70694E6567720B64696F70694E6567496E70720864696F70694E6D73720C64696F70694E6F6E7A65726F720964696F70694E6F726D721164696F70694E6F726D4261636B77617264720B64696F70694E6F726D616C720E64696F70694E6F726D616C496E70721764696F70694E6F726D616C5363616C617254656E736F72721164696F70694E6F726D616C54656E736F72721764696F70694E6F726D616C54656E736F725363616C6172720964696F70694F6E6573720C64696F70695065726D757465720864696F7069506F77720B64696F7069506F77496E70721164696F7069506F77496E7054656E736F72720E64696F7069506F775363616C6172720E64696F7069506F7754656E736F72720964696F706952656C75720C64696F706952656C75496E70720C64696F706953636174746572720F64696F706953636174746572496E70721564696F706953636174746572496E705363616C6172721264696F7069536361747465725363616C6172720864696F7069536764720C64696F70695369676D6F6964721464696F70695369676D6F69644261636B77617264720F64696F70695369676D6F6964496E70720864696F706953696E720B64696F706953696E496E70720C64696F7069536F66746D6178721464696F7069536F66746D61784261636B77617264720964696F7069536F7274721164696F7069536F72744261636B77617264721364696F706953706C69745769746853697A6573720964696F706953717274720C64696F706953717274496E70720A64696F7069537461636B720864696F7069537464720864696F7069537562720B64696F7069537562496E70721164696F7069537562496E705363616C6172720E64696F70695375625363616C6172720864696F706953756D720964696F706954616E68721164696F706954616E684261636B77617264720C64696F706954616E68496E70720964696F7069546F706B720F64696F7069556E69666F726D496E70720B64696F7069556E69717565721364696F7069557073616D706C654C696E656172721B64696F7069557073616D706C654C696E6561724261636B77617264721464696F7069557073616D706C654E656172657374721C64696F7069557073616D706C654E6561726573744261636B77617264720A64696F70695768657265720C64696F70695A65726F496E70720A64696F70695A65726F738A0120336165366363623730666562663032323233376632323836343362366432363692015664656661756C743A206E65772070726976696C656765732C207265736F75726365206C696D6974732C206361706162696C69746965732C206E6574776F726B2C20657865632C206F746865722070726F6365737365739A0106616E796F6E65' AS TEXT), NULL);
INSERT INTO runs (id, run_id, device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, impl_path, agent_version, host, timeout_s, created, finished, state, cases, options, submission) VALUES
(2, '20261121-132246-5952', 1, 'f1a52a1099d16f8427a860c5fffe2cf8005459c47cc887d8dfdffa1b06213085', '6bb53cafd45a947c46dca6b2642ad03a', '', 2, 0, '/work/main/build/lib/libdiopi_cpu.so', '0.1.0', 'vm', 30.0, '2026-11-21T13:22:46Z', '2026-11-21T13:22:46Z', 'finished', 2, CAST(X'0A08746573746368697012242F776F726B2F6D61696E2F6275696C642F6C69622F6C696264696F70695F6370752E736F1A4066316135326131303939643136663834323761383630633566666665326366383030353435396334376363383837643864666466666131623036323133303835221F64696F70692D636F6E666F726D616E636520435055207265666572656E63652A05302E312E3032046E6F6E653A05302E312E304202766D4A190A0864696F706941646412052A6E31372A12032A6E311A01095802610000000000003E40720864696F7069416273720B64696F7069416273496E70720A64696F70694164616D57721664696F70694164617074697665417667506F6F6C3264721E64696F70694164617074697665417667506F6F6C32644261636B77617264720864696F7069416464720B64696F7069416464496E70721164696F7069416464496E705363616C6172720E64696F70694164645363616C6172720B64696F70694172616E6765720B64696F70694172676D6178720E64696F7069417667506F6F6C3264721664696F7069417667506F6F6C32644261636B77617264720E64696F706942617463684E6F726D721664696F706942617463684E6F726D4261636B77617264720864696F7069426D6D720E64696F7069436173744474797065720864696F7069436174721164696F7069436C6970477261644E6F726D721464696F7069436F6E765472616E73706F73653264721C64696F7069436F6E765472616E73706F736532644261636B77617264721264696F7069436F6E766F6C7574696F6E3264721A64696F7069436F6E766F6C7574696F6E32644261636B77617264720864696F7069436F73720B64696F7069436F73496E70721564696F706943726F7373456E74726F70794C6F7373721D64696F706943726F7373456E74726F70794C6F73734261636B77617264720B64696F706943756D73756D721364696F706943756D73756D4261636B77617264720864696F7069446976720B64696F7069446976496E70721164696F7069446976496E705363616C6172720E64696F70694469765363616C6172720C64696F706944726F706F7574720F64696F706944726F706F7574496E70720E64696F7069456D62656464696E67721664696F7069456D62656464696E674261636B77617264721564696F7069456D62656464696E6752656E6F726D5F720864696F7069457870720B64696F7069457870496E70720B64696F7069457870616E64720A64696F70694578706D31720D64696F70694578706D31496E70720964696F706946696C6C720B64696F7069476174686572721364696F70694761746865724261636B77617264720964696F706947656C75721164696F706947656C754261636B77617264720E64696F706947726F75704E6F726D721664696F706947726F75704E6F726D4261636B77617264720D64696F7069496E646578507574721064696F7069496E646578507574496E70721064696F7069496E64657853656C656374721864696F7069496E64657853656C6563744261636B77617264720E64696F70694C617965724E6F726D721664696F70694C617965724E6F726D4261636B77617264720B64696F70694C696E656172721364696F70694C696E6561724261636B77617264720F64696F70694C6F67536F66746D6178721764696F70694C6F67536F66746D61784261636B77617264720F64696F70694D61736B656446696C6C721264696F70694D61736B656446696C6C496E70721864696F70694D61736B656446696C6C496E705363616C6172721564696F70694D61736B656446696C6C5363616C6172720B64696F70694D61746D756C721364696F70694D61746D756C4261636B77617264720864696F70694D6178720B64696F70694D6178416C6C720E64696F70694D6178506F6F6C3264721664696F70694D6178506F6F6C32644261636B77617264721964696F70694D6178506F6F6C326457697468496E6469636573720964696F70694D65616E720764696F70694D6D720864696F70694D756C720B64696F70694D756C496E70721164696F70694D756C496E705363616C6172720E64696F70694D756C5363616C6172720C64696F70694E4C4C4C6F7373721464696F70694E4C4C4C6F73734261636B77617264720E64696F70694E4C4C4C6F73735632721664696F70694E4C4C4C6F737356324261636B77617264720864696F70694E6567720B64696F70694E6567496E70720864696F70694E6D73720C64696F70694E6F6E7A65726F720964696F70694E6F726D721164696F70694E6F726D4261636B77617264720B64696F70694E6F726D616C720E64696F70694E6F726D616C496E70721764696F70694E6F726D616C5363616C617254656E736F72721164696F70694E6F726D616C54656E736F72721764696F70694E6F726D616C54656E736F725363616C6172720964696F70694F6E6573720C64696F70695065726D757465720864696F7069506F77720B64696F7069506F77496E70721164696F7069506F77496E7054656E736F72720E64696F7069506F775363616C6172720E64696F7069506F7754656E736F72720964696F706952656C75720C64696F706952656C75496E70720C64696F706953636174746572720F64696F706953636174746572496E70721564696F706953636174746572496E705363616C6172721264696F7069536361747465725363616C6172720864696F7069536764720C64696F70695369676D6F6964721464696F70695369676D6F69644261636B77617264720F64696F70695369676D6F6964496E70720864696F706953696E720B64696F706953696E496E70720C64696F7069536F66746D6178721464696F7069536F66746D61784261636B77617264720964696F7069536F7274721164696F7069536F72744261636B77617264721364696F706953706C69745769746853697A6573720964696F706953717274720C64696F706953717274496E70720A64696F7069537461636B720864696F7069537464720864696F7069537562720B64696F7069537562496E70721164696F7069537562496E705363616C6172720E64696F70695375625363616C6172720864696F706953756D720964696F706954616E68721164696F706954616E684261636B77617264720C64696F706954616E68496E70720964696F7069546F706B720F64696F7069556E69666F726D496E70720B64696F7069556E69717565721364696F7069557073616D706C654C696E656172721B64696F7069557073616D706C654C696E6561724261636B77617264721464696F7069557073616D706C654E656172657374721C64696F7069557073616D706C654E6561726573744261636B77617264720A64696F70695768657265720C64696F70695A65726F496E70720A64696F70695A65726F738A0120366262353363616664343561393437633436646361366232363432616430336192015664656661756C743A206E65772070726976696C656765732C207265736F75726365206C696D6974732C206361706162696C69746965732C206E6574776F726B2C20657865632C206F746865722070726F6365737365739A0106616E796F6E65' AS TEXT), NULL);
INSERT INTO runs (id, run_id, device, impl_sha256, suite_hash, contracts, repeat, shuffle_seed, impl_path, agent_version, host, timeout_s, created, finished, state, cases, options, submission) VALUES
(3, '20261121-132246-f5ac', 2, '', '7e9a0b79726e906b50323b16fa3a5032', '', 0, 0, '', '', '', 0.0, '2026-11-21T13:22:46Z', '', 'queued', 18, CAST(X'0A066E6F636869704A0C0A0361646412052A6E31372A8A012037653961306237393732366539303662353033323362313666613361353033329A0106616E796F6E65' AS TEXT), '');
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
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAbs');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAbsInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAdamW');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAdaptiveAvgPool2d');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAdaptiveAvgPool2dBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAdd');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAddInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAddInpScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAddScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiArange');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiArgmax');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAvgPool2d');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiAvgPool2dBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiBatchNorm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiBatchNormBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiBmm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCastDtype');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCat');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiClipGradNorm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiConvTranspose2d');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiConvTranspose2dBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiConvolution2d');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiConvolution2dBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCos');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCosInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCrossEntropyLoss');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCrossEntropyLossBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCumsum');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiCumsumBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiDiv');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiDivInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiDivInpScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiDivScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiDropout');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiDropoutInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiEmbedding');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiEmbeddingBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiEmbeddingRenorm_');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiExp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiExpInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiExpand');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiExpm1');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiExpm1Inp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiFill');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiGather');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiGatherBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiGelu');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiGeluBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiGroupNorm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiGroupNormBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiIndexPut');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiIndexPutInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiIndexSelect');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiIndexSelectBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiLayerNorm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiLayerNormBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiLinear');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiLinearBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiLogSoftmax');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiLogSoftmaxBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaskedFill');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaskedFillInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaskedFillInpScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaskedFillScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMatmul');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMatmulBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMax');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaxAll');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaxPool2d');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaxPool2dBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMaxPool2dWithIndices');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMean');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMul');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMulInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMulInpScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiMulScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNLLLoss');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNLLLossBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNLLLossV2');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNLLLossV2Backward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNeg');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNegInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNms');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNonzero');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNorm');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNormBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNormal');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNormalInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNormalScalarTensor');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNormalTensor');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiNormalTensorScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiOnes');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiPermute');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiPow');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiPowInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiPowInpTensor');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiPowScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiPowTensor');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiRelu');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiReluInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiScatter');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiScatterInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiScatterInpScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiScatterScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSgd');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSigmoid');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSigmoidBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSigmoidInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSin');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSinInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSoftmax');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSoftmaxBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSort');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSortBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSplitWithSizes');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSqrt');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSqrtInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiStack');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiStd');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSub');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSubInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSubInpScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSubScalar');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiSum');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiTanh');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiTanhBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiTanhInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiTopk');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiUniformInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiUnique');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiUpsampleLinear');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiUpsampleLinearBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiUpsampleNearest');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiUpsampleNearestBackward');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiWhere');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiZeroInp');
INSERT INTO run_functions (run, function) VALUES
(2, 'diopiZeros');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'add.float32.n17', 6, '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'add.inplace.float32.n17', 7, 'a61533a2af48efc7cf36e07321e0a4d8', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'library.impl_version', 1, 'fcd3686837463479eccbe6cc53d21999', '', 'library');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'library.last_error', 2, 'f51c7612330838f014534103d7354d4e', '', 'library');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'library.stream_chain', 3, 'fb7ce898b4c89e826bc70c7069f485d1', '', 'library');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'library.stream_interleaved', 4, '8f3bd95b8e17f62c714ae3151eb10ddc', '', 'library');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'library.stream_threads', 5, '8a43138aa98b96688941dcde22d688ac', '', 'library');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'library.vendor_name', 0, 'adc6831904eb85d4cd448f10044c2493', '', 'library');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(1, 'sum.float32.tail_1027', 8, '35603674277354cef70a08739af03251', 'diopiSum', 'sum');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(2, 'add.float32.n1', 0, 'd13e6c24403a8c89f39cda6ce234133a', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(2, 'add.float32.n17', 1, '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.bfloat16.n17', 2, '79f44af20d8dabb5d0ac0bfbdec1bd2b', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.float16.n17', 0, 'fbddb700e43122b18666d7198a126399', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.float32.n17', 4, '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.float64.n17', 6, '9a163ca98e881c27a63019ad3eba1e26', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.bfloat16.n17', 3, 'd80338d4db62bad51557bbbb9a87a655', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.float16.n17', 1, '231abb34032367beb812693683209f49', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.float32.n17', 5, 'a61533a2af48efc7cf36e07321e0a4d8', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.float64.n17', 7, '27d977a6f0808af3cc0b842610fcf538', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.int16.n17', 13, 'aff7ff51c7aac59fa4fd6a59834c6350', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.int32.n17', 15, '68a38dc394fe0067eda70e865da4554e', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.int64.n17', 17, 'e61e0b226b4a3462d3c2c28552f08341', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.int8.n17', 9, '419261aadb81a479fd5a4899cd776b62', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.inplace.uint8.n17', 11, '0704a2092a96cf657cb953828bf330de', 'diopiAddInp', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.int16.n17', 12, '9b63ed655003618cf62c6fa8ee0166be', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.int32.n17', 14, 'f21e06559e1880b6e2a7c154446d5937', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.int64.n17', 16, '24f8b55ddb415c2a8e26848871b7afff', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.int8.n17', 8, '92b9575ff76000aa41d596228bc218d7', 'diopiAdd', 'add');
INSERT INTO run_cases (run, case_id, position, case_hash, function, operator) VALUES
(3, 'add.uint8.n17', 10, 'd5cb7203f2edce87046d79712fc987cc', 'diopiAdd', 'add');
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(1, 1, 'library.vendor_name', 'adc6831904eb85d4cd448f10044c2493', '', 'library', 9, 1, '', 1, 0.0, 0, '', '', 0, '', '[]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 178.687);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(2, 1, 'library.impl_version', 'fcd3686837463479eccbe6cc53d21999', '', 'library', 9, 1, '', 1, 0.0, 0, '', '', 0, '', '[]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 108.081);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(3, 1, 'library.last_error', 'f51c7612330838f014534103d7354d4e', '', 'library', 9, 1, '', 1, 0.0, 0, '', '', 0, '', '[]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 1420.759);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(4, 1, 'library.stream_chain', 'fb7ce898b4c89e826bc70c7069f485d1', '', 'library', 9, 1, '', 1, 0.0, 0, '', '', 0, '', '[]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 5377.861);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(5, 1, 'library.stream_interleaved', '8f3bd95b8e17f62c714ae3151eb10ddc', '', 'library', 9, 1, '', 1, 0.0, 0, '', '', 0, '', '[]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 2748.469);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(6, 1, 'library.stream_threads', '8a43138aa98b96688941dcde22d688ac', '', 'library', 9, 1, '', 1, 0.0, 0, '', '', 0, '', '[]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 7884.92);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(7, 1, 'add.float32.n17', '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add', 9, 2, 'out: 17 of 17 elements differ, first at [0]: got -1.58445752, expected 5.66995811 (tolerance 3.0e-06, off by 7.3e+00); consistent with alpha taken as 1', 2, 1.2309999999999998721e+00, 2, '', '', 0, '', '[(input, float32, (17,)), (other, float32, (17,))]', '[float32]', '2026-11-21T13:22:46Z', '', 'consistent with alpha taken as 1', 0, 13158.325);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(8, 1, 'add.inplace.float32.n17', 'a61533a2af48efc7cf36e07321e0a4d8', 'diopiAddInp', 'add', 9, 1, '', 2, 1.132, 2, '', '', 0, '', '[(input, float32, (17,)), (other, float32, (17,))]', '[float32, inplace]', '2026-11-21T13:22:46Z', '', '', 0, 6732.021);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(9, 1, 'sum.float32.tail_1027', '35603674277354cef70a08739af03251', 'diopiSum', 'sum', 9, 1, '', 2, 2.874, 2, '', '', 0, '', '[(input, float32, (1027,))]', '[float32]', '2026-11-21T13:22:46Z', '', '', 0, 144.705);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(10, 2, 'add.float32.n1', 'd13e6c24403a8c89f39cda6ce234133a', 'diopiAdd', 'add', 9, 1, '', 2, 1.392, 2, '', '', 0, '', '[(input, float32, (1,)), (other, float32, (1,))]', '[float32]', '2026-11-21T13:22:46Z', '', '', -1, 2301.082);
INSERT INTO results (id, run, case_id, case_hash, function, operator, dtype, outcome, reason, reference, call_us, calls, signal, backtrace, error_code, error_text, tensor_info, tags, stored, contracts, likely_cause, device_index, elapsed_us) VALUES
(11, 2, 'add.float32.n17', '5cebab74db0c65cfa38081216dd12355', 'diopiAdd', 'add', 9, 1, '', 2, 1.052, 2, '', '', 0, '', '[(input, float32, (17,)), (other, float32, (17,))]', '[float32]', '2026-11-21T13:22:46Z', '', '', -1, 185.346);
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
(7, 0, 'out', 9, '17', 0, 'P,R', 17, 17, 0, 679617440.0, 2.42180566436649486426e+07, 1.98802073801441155365e+07, 7.77319431304931640625e+00, 4.45839289950268806688e+01, 3.33099515460812289902e+00, 5.19442903796539295121e-08, 0.0, 0.0, 0, 0, 0, 0.0, '17 of 17 elements differ, first at [0]: got -1.58445752, expected 5.66995811 (tolerance 3.0e-06, off by 7.3e+00)', 0, 1.0, CAST(X'B20118000000000000000000000000000000000000000000000011BA01341100000020F059F9BF190000007609AE16402189E20C205014C93E2A0B2D312E3538343435373532320A352E3636393935373937BA0137080111000000006753F7BF19000000A09B9AD5BF21A23803303B84A03E2A0A2D312E34353738363139320C2D302E333337353631353138BA0138080211000000C0629DD53F19000000C0AE1CBDBF21A23803A05BBE843E2A0B302E333337373331303633320C2D302E313133373138393132BA013608031100000040675905401900000060F1B7F0BF214471068066F7B53E2A0A322E3636383635333936320B2D312E3034343930373933BA01370804110000000006BAD1BF19000000209833C03F2144710660E73A833E2A0B2D302E3237363937383937320B302E313236353734353331BA013608051100000000B2D6F73F1900000060D458E23F2144710640A721A13E2A0A312E3438393931353835320B302E353733333433343536BA0137080611000000A003D8FF3F19000000C07BCCEEBF21A238038042F3B03E2A0A312E3939303233373833320C2D302E393632343631333532BA013708071100000040C5CCE33F190000000024138DBF21146700E0052E8E3E2A09302E36313837343634320D2D302E30313431393636363431BA0137080811000000A0B33FE8BF19000000AC0CA3FF3F21447106801AB8B13E2A0C2D302E373537373736303832320A312E3937373330373031BA013708091100000080A511DDBF190000007D930CF23F2189E20C4009B0A53E2A0C2D302E343534323032303536320A312E3132383037303334BA0138080A110000000008DFD6BF1900000060D84220C02189E20C50CDA1D03E2A0C2D302E333537333632373437320B2D382E3133303535373036BA0138080B1100000000D2E4D1BF190000003FD76DEE3F2144710620546BA03E2A0C2D302E323739353931303834320B302E393530393038333031BA0137080C11000000803536C4BF19000000E89AC80D402189E20C4079E8BC3E2A0C2D302E313537393034333237320A332E3732323935313731BA0135080D11000000801DFCD23F1900000070DD8308402189E20C001620B73E2A0B302E3239363633373839333209332E30363433383732BA0136080E110000000056D1D03F19000000C03EC60A402189E20C80F022B93E2A0B302E323632373736383532320A332E3334363739393337BA0136080F11000000C0E59CDE3F1900000078E778EE3F2189E20C80CABE993E2A0B302E343738333236323631320A302E3935323235383831' AS TEXT), 17, 6, 0, 0.0, 0.0, 64126300.1238889, '', '6d18c4a92ef1f841');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
(8, 0, 'input', 9, '17', 1, '', 17, 0, 0, 2.0, 9.77755316907163773976e-01, 4.41215762252235965679e-01, 1.78813934326171875e-07, 1.2385878067718798539e-07, 7.39407610248530915673e-08, 5.19442903796539295121e-08, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, CAST(X'B20118070203030101000000000000000000000000000000000000' AS TEXT), 17, 6, 0, 0.0, 0.0, 1.42346272293701336941e+00, '', '326831a1024c6fd5');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
(9, 0, 'out', 9, '', 1, '', 1, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, CAST(X'B20118010000000000000000000000000000000000000000000000' AS TEXT), 1, 0, 0, 0.0, 0.0, 1.0, '', '84f3342c6391fbf1');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
(10, 0, 'out', 9, '1', 1, '', 1, 0, 0, 0.9375, 1.15131235920330143862e+00, 1.15131235920330143862e+00, 1.78813934326171875e-06, 7.47414659060649497895e-08, 1.78813934326171875e-06, 1.1920928955078125e-07, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, CAST(X'B20118000000010000000000000000000000000000000000000000' AS TEXT), 1, 0, 0, 0.0, 0.0, 15.0, '', '757bf5db9c3e47d8');
INSERT INTO result_outputs (result, ordinal, key, dtype, shape, ok, gates, elements, mismatches, soft, max_ulp, max_z, rms_z, max_abs, max_rel, rmse, rmse_ideal, bias, radial_bias, nan_actual, inf_actual, flushed, zero_fraction, detail, peer_ok, peer_mismatch_ratio, extra, noise_groups, argmax, leaning, rms_z_device, rmse_device, rmse_ratio, grade, digest) VALUES
(11, 0, 'out', 9, '17', 1, '', 17, 0, 0, 2.0, 9.77755316907163773976e-01, 4.41215762252235965679e-01, 1.78813934326171875e-07, 1.2385878067718798539e-07, 7.39407610248530915673e-08, 5.19442903796539295121e-08, 0.0, 0.0, 0, 0, 0, 0.0, '', 1, 0.0, CAST(X'B20118070203030101000000000000000000000000000000000000' AS TEXT), 17, 6, 0, 0.0, 0.0, 1.42346272293701336941e+00, '', '326831a1024c6fd5');
INSERT INTO agents (agent_id, facts, seen) VALUES
('vm-5657-436e', CAST(X'0A0C766D2D353635372D3433366512056F746865721A02766D22242F776F726B2F6D61696E2F6275696C642F6C69622F6C696264696F70695F6370752E736F2A4066316135326131303939643136663834323761383630633566666665326366383030353435396334376363383837643864666466666131623036323133303835321F64696F70692D636F6E666F726D616E636520435055207265666572656E63653A05302E312E3042046E6F6E654A05302E312E30' AS TEXT), '2026-11-21T13:22:46Z');
CREATE INDEX runs_by_device ON runs (device, id);
CREATE TRIGGER results_are_final BEFORE UPDATE ON results
BEGIN SELECT RAISE (ABORT, 'verdicts are never updated'); END;
CREATE INDEX results_by_outcome ON results (run, outcome);
COMMIT;
