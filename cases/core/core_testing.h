// For the tests of this folder: the operators of the program, and cases of an operator file's text.
#ifndef CASES_CORE_CORE_TESTING_H_
#define CASES_CORE_CORE_TESTING_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cases/core/catalog.h"

namespace diopi::cases {

inline std::unique_ptr<Catalog> Builtin() {
  absl::StatusOr<std::unique_ptr<Catalog>> catalog = Catalog::LoadBuiltin();
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  return *std::move(catalog);
}

// In the order of the file; none where the text is wrong, which is a failure.
inline std::vector<v1::Case> CasesInOrder(const std::string& text) {
  const absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(text, "x.textproto");
  EXPECT_TRUE(op.ok()) << op.status();
  if (!op.ok()) return {};
  const absl::StatusOr<std::vector<v1::Case>> cases = Expand(*op, "x.textproto");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.value_or(std::vector<v1::Case>());
}

// By id.
inline std::map<std::string, v1::Case> CasesOf(const std::string& text) {
  const std::vector<v1::Case> cases = CasesInOrder(text);
  std::map<std::string, v1::Case> by_id;
  for (const v1::Case& c : cases) by_id[c.id()] = c;
  EXPECT_EQ(by_id.size(), cases.size());
  return by_id;
}

}  // namespace diopi::cases

#endif  // CASES_CORE_CORE_TESTING_H_
