#include "client/testing/results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cases/core/library_checks.h"
#include "server/store/database.h"

namespace diopi::testing {

StoredRun ReadRun(const std::string& data_folder, const std::string& run) {
  StoredRun stored;
  const auto database = server::Database::Open(server::DatabasePath(data_folder), {.read_only = true});
  EXPECT_TRUE(database.ok()) << database.status();
  if (!database.ok()) return stored;
  const auto info = (*database)->GetRun(run);
  const auto verdicts = (*database)->Verdicts(run, {});
  const auto cases = (*database)->CasesOf(run);
  EXPECT_TRUE(info.ok()) << info.status();
  EXPECT_TRUE(verdicts.ok()) << verdicts.status();
  EXPECT_TRUE(cases.ok()) << cases.status();
  if (!info.ok() || !verdicts.ok() || !cases.ok()) return stored;
  stored = {*info, *verdicts};
  std::multiset<std::string> expected;
  std::multiset<std::string> found;
  for (const server::RunCase& c : *cases) expected.insert(c.case_id);
  for (const v1::Verdict& verdict : *verdicts) found.insert(verdict.case_id());
  EXPECT_EQ(expected.size(), static_cast<size_t>(info->cases()));
  EXPECT_TRUE(found == expected) << found.size() << " verdicts of " << expected.size() << " cases";
  return stored;
}

StoredRun WithoutLibraryChecks(StoredRun run) {
  std::erase_if(run.verdicts,
                [](const v1::Verdict& verdict) { return verdict.operator_() == cases::kLibraryOperator; });
  return run;
}

bool NothingToGetWrong(const v1::Verdict& verdict) {
  const auto empty = [](const v1::OutputStats& output) {
    return std::find(output.shape().begin(), output.shape().end(), 0) != output.shape().end();
  };
  return verdict.outputs_size() > 0 && std::all_of(verdict.outputs().begin(), verdict.outputs().end(), empty);
}

}  // namespace diopi::testing
