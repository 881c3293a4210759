// Which models a chip's library can run: the calls of each model's suite, and what a run says of them.
#ifndef REPORTS_MODEL_MODEL_SUPPORT_H_
#define REPORTS_MODEL_MODEL_SUPPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/core/catalog.h"
#include "reports/document/language.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip are searched for the newest result of each model.
inline constexpr int kModelRuns = 64;

struct ModelCell {
  std::string run_id = {};       // the newest run with the model's whole suite
  int64_t max_tensor_bytes = 0;  // the bound that its calls were scaled to
  // Every call is counted in exactly one of the four after `calls`.
  int64_t calls = 0;
  int64_t passing = 0;          // all of its cases pass
  int64_t failing = 0;          // a case fails, crashes, ...
  int64_t not_implemented = 0;  // no case fails, but a function or its dtype is missing
  int64_t not_judged = 0;       // a case has no verdict, or one that says nothing of the library
  int64_t scaled = 0;           // calls that were made smaller
  std::vector<std::string> failing_functions = {};  // sorted
  std::vector<std::string> missing_functions = {};  // sorted
};

// Only then can the chip be said to run the model.
inline bool IsReady(const ModelCell& cell) {
  return cell.calls > 0 && cell.passing == cell.calls;
}

// "failing: diopiX diopiY; missing: diopiZ"; empty where no function does or is.
std::string WhatStandsBetween(const ModelCell& cell, const Translator& t = English());

struct ModelRow {
  std::string name;
  std::string summary;
  std::vector<std::optional<ModelCell>> cells;  // one per chip; nullopt: no run has its suite
};

struct ModelMatrix {
  std::vector<std::string> chips;  // by name
  std::vector<ModelRow> models;    // all that have a suite, by name
};

// Uses the newest kModelRuns runs of each chip in the range; those that selected functions, cases or dtypes
// do not count. Unrolls the calls of all models, which takes half a second for each bound that runs have,
// once per process. Thread-safe.
absl::StatusOr<ModelMatrix> LoadModelSupport(server::Queries& queries, const server::TimeRange& range = {});

// The built-in catalog, loaded once per process and kept. Thread-safe.
absl::StatusOr<const cases::Catalog*> BuiltinCatalog();

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_MODEL_SUPPORT_H_
