// Which models a chip's library can run: the calls of each model's suite, and what a run says of them.
#ifndef REPORTS_MODEL_MODEL_SUPPORT_H_
#define REPORTS_MODEL_MODEL_SUPPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "diopi/v1/answers.pb.h"
#include "reports/document/language.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip are searched for the newest result of each model.
inline constexpr int kModelRuns = 64;

// "120 of 160 calls were scaled to 16 KiB a tensor".
std::string ScaledText(const v1::ModelCell& cell, const Translator& t = English());

// "failing: diopiX diopiY; missing: diopiZ"; empty where no function does or is.
std::string WhatStandsBetween(const v1::ModelCell& cell, const Translator& t = English());

// Uses the newest kModelRuns runs of each chip in the range; those that selected functions, cases or dtypes
// do not count. Unrolls the calls of all models, which takes half a second for each bound that runs have,
// once per process. Thread-safe.
absl::StatusOr<v1::ModelsPage> LoadModelSupport(server::Queries& queries,
                                                const server::TimeRange& range = {});

// The built-in catalog, loaded once per process and kept. Thread-safe.
absl::StatusOr<const cases::Catalog*> BuiltinCatalog();

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_MODEL_SUPPORT_H_
