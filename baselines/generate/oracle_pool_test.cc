#include "baselines/generate/oracle_pool.h"

#include "build_paths.h"
#include "cases/core/catalog.h"
#include "gtest/gtest.h"

namespace diopi::baselines {
namespace {

std::vector<v1::Case> SomeCases() {
  const auto catalog = cases::Catalog::LoadBuiltin();
  v1::Selection selection;
  selection.add_functions("diopiIndexSelect");
  selection.add_cases("index_select.float32.rows");
  selection.add_cases("index_select.float32.columns");
  selection.add_cases("index_select.float32.one");
  return (*catalog)->Select(selection).value();
}

// The statuses, by place.
std::vector<absl::Status> Compute(const std::string& library, const std::vector<v1::Case>& cases) {
  const auto oracle = OraclePool::Open(library, 2);
  EXPECT_TRUE(oracle.ok()) << oracle.status();
  std::vector<absl::Status> statuses(cases.size(), absl::UnknownError("never called"));
  EXPECT_TRUE((*oracle)
                  ->Compute(cases,
                            [&](size_t place, const absl::StatusOr<Baseline>& baseline) {
                              statuses[place] = baseline.status();
                              if (!baseline.ok()) return;
                              EXPECT_EQ(baseline->c.id(), cases[place].id());
                              EXPECT_EQ(baseline->inputs.size(), 2);
                              EXPECT_EQ(baseline->references.at("out").dtype, v1::Dtype::float32);
                            })
                  .ok());
  EXPECT_TRUE((*oracle)->Wait().ok());
  return statuses;
}

TEST(OraclePoolTest, LeavesOutOnlyWhatTheReferenceRefuses) {
  std::vector<v1::Case> cases = SomeCases();
  ASSERT_EQ(cases.size(), 3);
  for (v1::Argument& arg : *cases[1].mutable_args()) {
    if (arg.name() == "index") arg.mutable_tensor()->mutable_fill()->mutable_constant()->set_value(1000);
  }
  const std::vector<absl::Status> statuses = Compute(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so", cases);
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_FALSE(statuses[1].ok());
  EXPECT_NE(statuses[1].message().find("out of bounds"), std::string::npos) << statuses[1];
  EXPECT_TRUE(statuses[2].ok()) << statuses[2];
}

// This library refuses the oracle's numbers, and crashes on float32, in which a case that is judged exactly
// is computed.
TEST(OraclePoolTest, ACrashCostsOneCase) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  v1::Selection selection;
  for (const char* id : {"add.float32.n1", "add.float32.n3", "add.float32.n8"}) selection.add_cases(id);
  std::vector<v1::Case> cases = (*catalog)->Select(selection).value();
  ASSERT_EQ(cases.size(), 3);
  cases[1].mutable_judges(0)->set_kind(v1::Judge::EXACT);
  const std::vector<absl::Status> statuses =
      Compute(DIOPI_BINARY_DIR "/lib/vendors/vendor_segfault.so", cases);
#ifdef __SANITIZE_ADDRESS__  // which reports the signal and exits
  constexpr char kEnd[] = "its process ended with exit status 1";
#else
  constexpr char kEnd[] = "its process ended with signal 11";
#endif
  const auto crashed = [&](size_t i) { return statuses[i].message().find(kEnd) != std::string::npos; };
  EXPECT_FALSE(crashed(0)) << statuses[0];
  EXPECT_TRUE(crashed(1)) << statuses[1];
  EXPECT_FALSE(crashed(2)) << statuses[2];
}

}  // namespace
}  // namespace diopi::baselines
