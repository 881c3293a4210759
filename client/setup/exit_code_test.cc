#include "client/setup/exit_code.h"

#include <gtest/gtest.h>

#include "cases/base/outcome.h"

namespace diopi::agent {
namespace {

struct Row {
  OutcomeCounts outcomes;
  ExitCode code;
  int64_t failures;
};

TEST(ExitCodeTest, OfOutcomes) {
  const Row rows[] = {
      {{}, ExitCode::kOk, 0},
      {{{"pass", 7}, {"skipped", 1}, {"waived", 2}, {"not_implemented", 5}}, ExitCode::kOk, 0},
      {{{"pass", 7}, {"unsupported_dtype", 3}}, ExitCode::kOk, 0},
      {{{"pass", 7}, {"fail", 1}}, ExitCode::kFailed, 1},
      {{{"error", 1}, {"crash", 2}, {"timeout", 3}, {"memory", 4}, {"nondeterministic", 5}},
       ExitCode::kFailed,
       15},
      {{{"pass", 7}, {"harness_error", 1}}, ExitCode::kOurs, 0},
      {{{"crash", 1}, {"harness_error", 1}}, ExitCode::kFailed, 1},  // a failure is the more telling
      {{{"crash", 0}, {"harness_error", 0}}, ExitCode::kOk, 0},
      {{{"of_a_later_server", 3}}, ExitCode::kOk, 0},
  };
  for (const Row& row : rows) {
    std::string names;
    for (const auto& [name, count] : row.outcomes) names += name + " ";
    EXPECT_EQ(ExitCodeFor(row.outcomes), row.code) << names;
    EXPECT_EQ(CountOf(row.outcomes, IsFailure), row.failures) << names;
  }
}

TEST(ExitCodeTest, OfStatuses) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), ExitCode::kOk);
  EXPECT_EQ(ExitCodeFor(absl::NotFoundError("")), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeFor(absl::InvalidArgumentError("")), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeFor(absl::AlreadyExistsError("")), ExitCode::kUsage);
  for (const absl::Status& status :
       {absl::UnavailableError(""), absl::PermissionDeniedError(""), absl::UnauthenticatedError(""),
        absl::ResourceExhaustedError(""), absl::FailedPreconditionError(""), absl::DataLossError("")}) {
    EXPECT_EQ(ExitCodeFor(status), ExitCode::kEnvironment) << status;
  }
  EXPECT_EQ(ExitCodeFor(absl::CancelledError("")), ExitCode::kInterrupted);
  EXPECT_EQ(ExitCodeFor(absl::InternalError("")), ExitCode::kOurs);
  EXPECT_EQ(ExitCodeFor(absl::UnknownError("")), ExitCode::kOurs);
}

}  // namespace
}  // namespace diopi::agent
