// Runs for the tests of this folder, in a real results database.
#ifndef REPORTS_MODEL_MODEL_TESTING_H_
#define REPORTS_MODEL_MODEL_TESTING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/store/database.h"
#include "server/store/database_testing.h"
#include "server/store/queries.h"

namespace diopi::reports {

// "pass", "fail", ... of the cases add.float32.p0, p1, ...; OUTCOME_UNSPECIFIED: no verdict.
using Outcomes = std::vector<v1::Outcome>;
inline constexpr v1::Outcome P = v1::OUTCOME_PASS;
inline constexpr v1::Outcome F = v1::OUTCOME_FAIL;
inline constexpr v1::Outcome None = v1::OUTCOME_UNSPECIFIED;

class ModelTest : public testing::Test {
 protected:
  ModelTest()
      : path_(server::DatabasePath(folder_.path())),
        database_(*server::Database::Open(path_, {})),
        queries_(*server::Queries::Open(path_)) {}

  // Leaves the run in state "running".
  std::string Begin(const v1::RunOptions& options, const std::vector<v1::Verdict>& verdicts,
                    const std::string& suite = "s") {
    std::vector<server::RunCase> cases;
    cases.reserve(verdicts.size());
    for (const v1::Verdict& v : verdicts) {
      cases.push_back({v.case_id(), v.case_hash(), v.function(), v.operator_()});
    }
    const auto run = database_->CreateRun(options, suite, cases);
    EXPECT_TRUE(run.ok()) << run.status();
    std::vector<v1::Verdict> known;
    for (const v1::Verdict& v : verdicts) {
      if (v.outcome() != v1::OUTCOME_UNSPECIFIED) known.push_back(v);
    }
    const auto appended = database_->Append(run->run_id(), known);
    EXPECT_TRUE(appended.ok()) << appended.status();
    return run->run_id();
  }
  std::string Run(const v1::RunOptions& options, const std::vector<v1::Verdict>& verdicts,
                  const std::string& suite = "s") {
    std::string id = Begin(options, verdicts, suite);
    EXPECT_TRUE(database_->SetState(id, v1::RUN_STATE_FINISHED).ok());
    return id;
  }
  std::string Run(const std::string& chip, const std::string& library, const Outcomes& outcomes) {
    v1::RunOptions options = server::MakeOptions(chip);
    options.set_impl_sha256(library);
    options.clear_selection();  // a complete run
    std::vector<v1::Verdict> verdicts(outcomes.size());
    for (size_t i = 0; i < outcomes.size(); ++i) {
      verdicts[i] = server::MakeVerdict(static_cast<int>(i), outcomes[i]);
    }
    return Run(options, verdicts);
  }

  const TestFolder folder_;
  const std::string path_;
  const std::unique_ptr<server::Database> database_;
  const std::unique_ptr<server::Queries> queries_;
};

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_MODEL_TESTING_H_
