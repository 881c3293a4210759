// The NVIDIA reference's cuDNN graphs over suite core without a GPU: the real agent runs the emulated
// library, in which the real cuDNN describes and plans every graph for a GPU that is named, and functors
// compute.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

// How many products of one dtype have a plan, have none, or were not described at all.
struct Share {
  int planned = 0, none = 0, left = 0;
};

class CudaPlansTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const Finished gen = RunProgram(
        {BinPath("diopi-cli"), "gen", "--data", *folder_ / "data", "--quiet", "--fname", kOperators});
    EXPECT_EQ(gen.code, 0) << gen.err;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static Finished Agent(const std::vector<std::string>& environment, int shards = 4) {
    std::vector<std::string> all = {"DIOPI_CUDA_PLAN_LOG=" + log()};
    all.insert(all.end(), environment.begin(), environment.end());
    std::filesystem::remove(log());
    return RunProgram(
        {BinPath("diopi-agent"), "--impl", VendorPath("libdiopi_cuda_emulated"), "--data", *folder_ / "data",
         "--quiet", "--error-report", *folder_ / "errors.csv", "--fname", kOperators, "--repeat", "3",
         "--suite", "smoke", "--shard-index", "0", "--shard-count", std::to_string(shards)},
        all);  // the same number of calls per case: a sampled case would weigh more
  }

  static std::map<std::string, Share> ReadLog() {
    std::map<std::string, Share> shares;
    std::ifstream file(log());
    for (std::string what, dtype, engine; file >> what >> dtype >> engine;) {
      Share& share = shares[dtype];
      ++(engine == "none" ? share.none : engine == "left" ? share.left : share.planned);
    }
    return shares;
  }

  static std::string log() { return *folder_ / "plans.txt"; }

  static constexpr const char* kOperators = "conv*";
  inline static TestFolder* folder_ = nullptr;
};

// Suite smoke for one GPU, and a quarter of it for the others.
TEST_F(CudaPlansTest, EveryGraph) {
  for (const std::string gpu : {"T4", "A100", "A10", "L40S", "H200", "B200"}) {
    SCOPED_TRACE(gpu);
    const Finished run = Agent({"DIOPI_CUDA_PLAN_FOR=" + gpu}, gpu == "A100" ? 1 : 4);
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    const std::map<std::string, Share> shares = ReadLog();
    EXPECT_EQ(shares.size(), 4u);
    for (const auto& [dtype, share] : shares) {
      const int all = share.planned + share.none + share.left;
      std::printf(
          "%-4s %-8s: %d %% of %d products by cuDNN, %d without an allowed engine, %d of other layouts\n",
          gpu.c_str(), dtype.c_str(), share.planned * 100 / all, all, share.none, share.left);
      // cuDNN has little bfloat16 convolution before sm_80. Our own kernels compute the other layouts, a
      // third of the cases.
      const bool takes = gpu != "T4" || dtype != "bfloat16";
      EXPECT_EQ(share.none > 0, !takes) << dtype;
      EXPECT_EQ(share.planned * 2 >= all, takes) << dtype;
    }
  }
}

TEST_F(CudaPlansTest, CudnnIsNotAskedWhereTheEnvironmentForbidsIt) {
  const Finished run = Agent({"DIOPI_CUDA_PLAN_FOR=A100", "DIOPI_CUDA_DNN=0"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_FALSE(std::filesystem::exists(log()));
}

// Simulates a description that cuDNN rejects.
TEST_F(CudaPlansTest, AnErrorFailsTheOperator) {
  EXPECT_EQ(Agent({"DIOPI_CUDA_PLAN_FOR=A1000"}, 1).code, 1);
  int failed = 0;
  for (const v1::Verdict& verdict : ReadRun(*folder_ / "data").verdicts) {
    if (verdict.outcome() == v1::OUTCOME_PASS) continue;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_ERROR) << verdict.case_id();
    EXPECT_NE(verdict.reason().find("no GPU 'A1000' is known"), std::string::npos) << verdict.reason();
    ++failed;
  }
  EXPECT_GT(failed, 100);
}

}  // namespace
}  // namespace diopi::testing
