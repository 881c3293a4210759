#include "baselines/generate/oracle_pool.h"

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
  ForkLock lock;
  const auto oracle = OraclePool::Open(library, 2, &lock);
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

TEST(OraclePoolTest, ACrashCostsOneCase) {
  std::vector<v1::Case> cases = SomeCases();
  for (v1::Argument& arg : *cases[1].mutable_args()) {
    if (arg.name() == "input")
      arg.mutable_tensor()->set_strides(0, int64_t{1} << 40);  // far outside its memory
  }
  const std::vector<absl::Status> statuses = Compute(DIOPI_BINARY_DIR "/lib/libdiopi_cpu.so", cases);
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_NE(statuses[1].message().find("its process ended with signal"), std::string::npos) << statuses[1];
  EXPECT_TRUE(statuses[2].ok()) << statuses[2];
}

}  // namespace
}  // namespace diopi::baselines
