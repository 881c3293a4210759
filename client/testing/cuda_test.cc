// The NVIDIA reference on machines without a GPU: its sources as C++ over cases of suite core, and the real
// library's error without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "client/testing/core_baselines.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"
#include "impl_loader/library/library.h"

namespace diopi::testing {
namespace {

class CudaTest : public CoreBaselinesTest {
 protected:
  static Finished Agent(const std::string& library, const std::vector<std::string>& more = {},
                        const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = {
        BinPath("diopi-agent"), "--impl", library, "--data", data(), "--quiet", "--error-report",
        *folder_ / "errors.csv"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, environment);
  }
  // The functions of the ABI that a library has.
  static std::set<std::string> Functions(const std::string& library) {
    const auto symbols = loader::ReadElfSymbols(library);
    EXPECT_TRUE(symbols.ok()) << symbols.status();
    std::set<std::string> names;
    for (const std::string& name : symbols->exported) {
      if (name.rfind("diopi", 0) == 0) names.insert(name);
    }
    return names;
  }
};

// Suite smoke: protecting the emulated device's memory around every kernel takes half of the time.
TEST_F(CudaTest, EveryFunctorEmulated) {
  const std::string library = VendorPath("libdiopi_cuda_emulated");
  const Finished run = Agent(library, {"--suite", "smoke"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  size_t passed = 0;
  for (const v1::Verdict& verdict : stored.verdicts) {
    if (verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED) continue;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
    ++passed;
  }
  const std::set<std::string> reference = Functions(LibPath("libdiopi_cpu.so")),
                              emulated = Functions(library);
  std::vector<std::string> absent;
  std::set_difference(reference.begin(), reference.end(), emulated.begin(), emulated.end(),
                      std::back_inserter(absent));
  std::printf("%zu cases pass; %zu functions, %zu of the CPU reference's are not emulated:\n", passed,
              emulated.size(), absent.size());
  for (const std::string& name : absent) std::printf("  %s\n", name.c_str());
  EXPECT_GE(passed, 12300u);
}

#ifdef DIOPI_HAVE_CUDA
// Hides the GPU where there is one.
TEST_F(CudaTest, WithoutADeviceTheLibraryLoadsAndSaysSo) {
  const Finished run = Agent(LibPath("libdiopi_cuda.so"), Core(), {"CUDA_VISIBLE_DEVICES="});
  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_NE(run.err.find("initLibrary returned 1: initLibrary: no CUDA device: "), std::string::npos)
      << run.err;
}

TEST_F(CudaTest, TheLibraryIsSound) {
  const std::string library = LibPath("libdiopi_cuda.so");
  const Finished check = RunProgram({BinPath("diopi-cli"), "abi-check", "--impl", library});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  const std::set<std::string> real = Functions(library),
                              emulated = Functions(VendorPath("libdiopi_cuda_emulated"));
  EXPECT_TRUE(std::includes(real.begin(), real.end(), emulated.begin(), emulated.end()));
}
#endif

}  // namespace
}  // namespace diopi::testing
