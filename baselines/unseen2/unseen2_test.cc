// Every bug of libdiopi_unseen2.so changes the result of a call, and without one the library is the
// reference.
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "baselines/unseen2/calls.h"
#include "build_paths.h"
#include "gmock/gmock.h"

namespace diopi::unseen2 {
namespace {

constexpr char kLibrary[] = DIOPI_BINARY_DIR "/lib/vendors/libdiopi_unseen2.so";

std::vector<Row> AllCalls() {
  std::vector<Row> all;
  for (const auto& rows : {PointwiseCalls(), MovingCalls(), ReducingCalls(), NetworksCalls()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

loader::Library Open(const std::string& path) {
  auto library = loader::Library::Open(path);
  if (!library.ok()) {
    ADD_FAILURE() << library.status();
    std::abort();
  }
  return *std::move(library);
}

std::vector<double> Results(const Row& row, const loader::Library& library) {
  Host host{library, {}};
  return row.results(host);
}

// Far beyond rounding.
bool Differ(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return true;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) ||
                      std::fabs(a[i] - b[i]) <= 1e-3 * std::fmax(1, std::fabs(b[i]));
    if (!same) return true;
  }
  return false;
}

constexpr char kReference[] = DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so";

// In a process of its own, since a library reads its switch when it is loaded. 0: the bug shows.
[[noreturn]] void ExitWithBug(const Row& row) {
  const bool failed_before = testing::Test::HasFailure();  // another row
  setenv("DIOPI_MUTANT", row.bug, 1);
  const std::vector<double> expected = Results(row, Open(kReference));
  const bool differs = Differ(Results(row, Open(kLibrary)), expected) && !expected.empty();
  _exit(!failed_before && testing::Test::HasFailure() ? 2 : differs ? 0 : 1);
}

TEST(Unseen2, EveryBugShowsInItsCall) {
  for (const Row& row : AllCalls()) {
    EXPECT_EXIT(ExitWithBug(row), testing::ExitedWithCode(0), "") << row.bug;
  }
}

TEST(Unseen2, WithoutABugItIsTheReference) {
  const loader::Library reference = Open(kReference), library = Open(kLibrary);
  for (const Row& row : AllCalls()) {
    EXPECT_FALSE(Differ(Results(row, library), Results(row, reference))) << row.bug;
  }
}

TEST(Unseen2, EveryBugHasOneCall) {
  const loader::Library library = Open(kLibrary);
  const auto injected = reinterpret_cast<const char* (*)()>(library.Symbol("diopiInjected"));
  ASSERT_NE(injected, nullptr);
  std::multiset<std::string> bugs, rows;
  const std::vector<std::string> lines = absl::StrSplit(injected(), '\n', absl::SkipEmpty());
  for (const std::string& line : lines) bugs.insert(line.substr(0, line.find('\t')));
  for (const Row& row : AllCalls()) rows.insert(row.bug);
  EXPECT_EQ(rows, bugs);
  EXPECT_EQ(bugs.size(), 60u);
}

}  // namespace
}  // namespace diopi::unseen2
