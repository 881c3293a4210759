// What the tests of this folder share: a scratch folder and runs to put into it.
#ifndef SERVER_STORE_DATABASE_TESTING_H_
#define SERVER_STORE_DATABASE_TESTING_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cases/base/test_folder.h"
#include "server/store/database.h"

namespace diopi::server {

inline std::unique_ptr<Database> OpenIn(const TestFolder& folder) {
  absl::StatusOr<std::unique_ptr<Database>> database = Database::Open(DatabasePath(folder.path()), {});
  EXPECT_TRUE(database.ok()) << database.status();
  return *std::move(database);
}

inline std::string CaseId(int i) {
  return absl::StrCat("add.float32.p", i);
}

inline std::vector<RunCase> MakeCases(int count) {
  std::vector<RunCase> cases;
  cases.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) cases.push_back({CaseId(i), absl::StrCat("hash", i), "diopiAdd", "add"});
  return cases;
}

inline v1::RunOptions MakeOptions(const std::string& chip) {
  v1::RunOptions options;
  options.set_chip(chip);
  options.set_impl_sha256("abc");
  options.set_vendor_name("acme");
  options.set_shuffle_seed(0xffff'ffff'ffff'fff1ULL);
  options.set_repeat(2);
  options.set_timeout_s(1.5);
  options.add_contracts("tf32");
  options.add_implemented("diopiAdd");
  options.add_implemented("diopiSub");
  options.mutable_selection()->add_functions("add");
  return options;
}

inline v1::Verdict MakeVerdict(int i, v1::Outcome outcome) {
  v1::Verdict verdict;
  verdict.set_case_id(CaseId(i));
  verdict.set_case_hash(absl::StrCat("hash", i));
  verdict.set_outcome(outcome);
  verdict.set_reason("why not");
  verdict.set_function("diopiAdd");
  verdict.set_operator_("add");
  verdict.set_dtype(v1::Dtype::float32);
  verdict.set_reference("cpu oracle 1");
  return verdict;
}

}  // namespace diopi::server

#endif  // SERVER_STORE_DATABASE_TESTING_H_
