// Packs from end to end, with another library instead of the GPU: made, verified, and installed for a user
// who has only the oracle, with the same grades for a chip's verdicts. Also the error of --reference cuda
// without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Grades by case and output, and the device reference in the verdict.
std::map<std::string, std::string> GradesOf(const std::string& data) {
  std::map<std::string, std::string> grades;
  for (const v1::Verdict& verdict : ReadRun(data).verdicts) {
    std::string& text = grades[verdict.case_id()];
    const std::string& reference = verdict.reference();  // the oracle's part has a date
    text = v1::Outcome_Name(verdict.outcome()) + " " +
           reference.substr(std::min(reference.size(), reference.find("device reference: ")));
    for (const v1::OutputStats& stats : verdict.outputs()) text += " " + stats.key() + stats.grade();
  }
  return grades;
}

class PackTest : public ::testing::Test {
 protected:
  static Finished Cli(const std::string& data, std::vector<std::string> words) {
    words.insert(words.begin(), BinPath("diopi-cli"));
    if (!data.empty()) words.insert(words.end(), {"--data", data});
    return RunProgram(words);
  }
  Finished Agent(const std::string& data) const {
    return RunProgram({BinPath("diopi-agent"), "--impl", VendorPath("libdiopi_cuda_emulated"), "--data", data,
                       "--error-report", folder_ / "errors.csv", "--quiet", "--fname", "sum", "mean", "sort",
                       "std"});
  }
  static std::vector<std::string> With(std::vector<std::string> words) {
    words.insert(words.end(), {"--fname", "sum", "mean", "sort", "std"});
    return words;
  }

  TestFolder folder_;
  const std::string pack_ = folder_ / "packs/some.h5";
  const std::string here_ = folder_ / "here";    // where the device is
  const std::string there_ = folder_ / "there";  // where it is not
};

TEST_F(PackTest, AUserWithoutTheDeviceGetsTheSameGrades) {
  // The oracle's own library in float32 acts as the device; the emulated one, whose sums are trees, as the
  // chip.
  const Finished gen = Cli(here_, With({"gen", "--quiet", "--device-reference", LibPath("libdiopi_cpu.so")}));
  ASSERT_EQ(gen.code, 0) << gen.err;
  const Finished make = Cli(here_, With({"pack", "make", pack_}));
  ASSERT_EQ(make.code, 0) << make.err;
  EXPECT_THAT(make.out, HasSubstr(", 0 sampled; 0 cases quarantined, 0 without outputs"));

  const Finished verify = Cli("", With({"pack", "verify", pack_}));
  EXPECT_EQ(verify.code, 0) << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("Outputs of diopi-conformance CPU reference"));
  EXPECT_THAT(verify.out, HasSubstr(" 0 not compared: their inputs differ on this machine"));
  EXPECT_THAT(verify.out, HasSubstr("The pack is correct"));

  // Without the options that made the pack, its contents are verified.
  const Finished partial = Cli("", {"pack", "verify", pack_});
  EXPECT_EQ(partial.code, 0) << partial.err;
  EXPECT_THAT(partial.out, HasSubstr(" cases of the suite are not in this pack\nThe pack is correct"));

  const Finished install = Cli(there_, With({"pack", "install", pack_}));
  ASSERT_EQ(install.code, 0) << install.err;
  EXPECT_THAT(install.out, HasSubstr(" 0 are quarantined, 0 have none"));

  ASSERT_EQ(Agent(here_).code, 0);
  ASSERT_EQ(Agent(there_).code, 0);
  const std::map<std::string, std::string> here = GradesOf(here_), there = GradesOf(there_);
  EXPECT_GT(here.size(), 100U);
  EXPECT_EQ(here, there);
  int graded = 0;
  for (const auto& [id, text] : here) graded += text.ends_with("A") || text.ends_with("B") ? 1 : 0;
  EXPECT_GT(graded, 50);
}

TEST_F(PackTest, SamplesAreShownAndAreNoReference) {
  ASSERT_EQ(Cli(here_, With({"gen", "--quiet", "--device-reference", LibPath("libdiopi_cpu.so")})).code, 0);
  const Finished make = Cli(here_, With({"pack", "make", pack_, "--full-bytes", "64", "--samples", "5"}));
  ASSERT_EQ(make.code, 0) << make.err;
  EXPECT_THAT(make.out, Not(HasSubstr(", 0 sampled")));
  EXPECT_EQ(Cli("", With({"pack", "verify", pack_})).code, 0);
  const Finished show = Cli("", {"pack", "show", pack_, "--case", "sort.float32.*"});
  EXPECT_EQ(show.code, 0) << show.err;
  EXPECT_THAT(show.out, HasSubstr(": 5 elements kept; of all "));
  EXPECT_THAT(show.out, Not(HasSubstr("std.float32")));
  const Finished install = Cli(there_, With({"pack", "install", pack_}));
  ASSERT_EQ(install.code, 0) << install.err;
  EXPECT_THAT(install.out, HasSubstr("the pack holds only samples of an output"));
  EXPECT_THAT(install.out, Not(HasSubstr(" 0 have none")));
}

TEST_F(PackTest, WhatIsWrongWithAPackIsSaid) {
  EXPECT_EQ(Cli(here_, {"pack", "make", pack_, "--fname", "sum"}).code, 2);  // no baselines
  ASSERT_EQ(Cli(here_, {"gen", "--quiet", "--fname", "sum"}).code, 0);
  const Finished none = Cli(here_, {"pack", "make", pack_, "--fname", "sum"});
  EXPECT_EQ(none.code, 4);
  EXPECT_THAT(none.err, HasSubstr("no outputs of a device"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "packs"));

  ASSERT_EQ(
      Cli(here_, {"gen", "--quiet", "--fname", "sum", "--device-reference", LibPath("libdiopi_cpu.so")}).code,
      0);
  ASSERT_EQ(Cli(here_, {"pack", "make", pack_, "--fname", "sum"}).code, 0);
  const Finished part = Cli("", With({"pack", "verify", pack_}));
  EXPECT_EQ(part.code, 1);
  EXPECT_THAT(part.err, HasSubstr("it is not in the pack"));
  const Finished less = Cli("", {"pack", "verify", pack_, "--fname", "sum", "--dtype", "float32"});
  EXPECT_EQ(less.code, 1);
  EXPECT_THAT(less.err, HasSubstr("not a case of this suite"));

  std::filesystem::resize_file(pack_, std::filesystem::file_size(pack_) / 2);
  for (const std::string action : {"verify", "install"}) {
    const Finished damaged =
        Cli(action == "install" ? there_ : "", {"pack", action, pack_, "--fname", "sum"});
    EXPECT_EQ(damaged.code, 4);
    EXPECT_THAT(damaged.err, HasSubstr(pack_ + ": truncated"));
  }
  EXPECT_FALSE(std::filesystem::exists(there_));
}

// A faulty device: cases that it fails are quarantined, in the pack as in the store.
TEST_F(PackTest, QuarantineTravels) {
  ASSERT_EQ(Cli(here_, {"gen", "--quiet", "--fname", "add", "gelu", "--device-reference",
                        VendorPath("libdiopi_faulty")})
                .code,
            0);
  ASSERT_EQ(Cli(here_, {"pack", "make", pack_, "--fname", "add", "gelu"}).code, 0);
  const Finished verify = Cli("", {"pack", "verify", pack_, "--fname", "add", "gelu"});
  EXPECT_EQ(verify.code, 0) << verify.err;
  EXPECT_THAT(verify.out, Not(HasSubstr("; 0 cases quarantined")));
  EXPECT_THAT(verify.out, Not(HasSubstr(" 0 without outputs")));
  const Finished install = Cli(there_, {"pack", "install", pack_, "--fname", "add", "gelu"});
  EXPECT_EQ(install.code, 0) << install.err;
  EXPECT_THAT(install.out, HasSubstr("quarantined: add.float32."));
}

// On machines with a GPU this makes real baselines.
TEST_F(PackTest, ReferenceCudaNeedsTheLibraryAndAGpu) {
  const Finished both = Cli(here_, {"gen", "--fname", "sum", "--reference", "cuda", "--device-reference",
                                    LibPath("libdiopi_cpu.so")});
  EXPECT_EQ(both.code, 2);
  const Finished gen = Cli(here_, {"gen", "--fname", "sum", "--reference", "cuda"});
  if (gen.code == 0) {
    EXPECT_THAT(gen.out, HasSubstr("Device reference NVIDIA reference "));
    return;
  }
  EXPECT_EQ(gen.code, 4);
  const bool built = std::filesystem::exists(LibPath("libdiopi_cuda.so"));
  EXPECT_THAT(gen.err, HasSubstr(built ? "no CUDA device" : "this build has no NVIDIA reference"));
  EXPECT_FALSE(std::filesystem::exists(here_));
}

}  // namespace
}  // namespace diopi::testing
