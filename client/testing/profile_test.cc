// Device profiles, the adaptor and the modes, with the real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProfileTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new TestFolder; }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static std::string data() { return *folder_ / "data"; }
  static std::string errors() { return *folder_ / "error_report.csv"; }
  static std::string Profile(const std::string& text) {
    std::string path = *folder_ / "chip.textproto";
    WriteFile(path, text);
    return path;
  }
  static Finished Agent(const std::string& library, std::vector<std::string> more) {
    std::vector<std::string> command = {BinPath("diopi-agent"), "--impl", library,  "--data", data(),
                                        "--error-report",       errors(), "--quiet"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command);
  }
  // Outcomes of the last run, without the checks of the library as a whole.
  static std::map<v1::Outcome, int> Outcomes() {
    std::map<v1::Outcome, int> outcomes;
    for (const v1::Verdict& verdict : WithoutLibraryChecks(ReadRun(data())).verdicts)
      ++outcomes[verdict.outcome()];
    return outcomes;
  }

  static TestFolder* folder_;
};

TestFolder* ProfileTest::folder_ = nullptr;

constexpr char kWaiver[] = R"(
chip: "c9"
environment { name: "DIOPI_TEST_ERROR" value: "1e-4" }
waiver {
  match { function: "diopiAdd" dtype: float32 }
  tolerance { atol: 1e-6 rtol: $RTOL }
  reason: "fast sums"
  issue: "https://example.com/4"
  expires: "$DAY"
}
)";

std::string WaiverProfile(const std::string& rtol, const std::string& day) {
  std::string text = kWaiver;
  text.replace(text.find("$RTOL"), 5, rtol);
  text.replace(text.find("$DAY"), 4, day);
  return text;
}

TEST_F(ProfileTest, AWaiverCoversWhatItStatesUntilItExpires) {
  const std::vector<std::string> selection = {"--case", "add.float32.n?", "--case", "add.float32.n??"};
  const auto run = [&](const std::string& text) {
    std::vector<std::string> more = selection;
    more.insert(more.end(), {"--profile", Profile(text)});
    return Agent(VendorPath("vendor_imprecise"), more);
  };
  Finished finished = run(WaiverProfile("1e-3", "2099-12-31"));
  std::map<v1::Outcome, int> outcomes = Outcomes();
  const int waived = outcomes[v1::OUTCOME_WAIVED];
  EXPECT_GT(waived, 3) << finished.out << finished.err;
  EXPECT_EQ(outcomes[v1::OUTCOME_FAIL], 0) << finished.out;
  EXPECT_THAT(finished.out,
              HasSubstr(absl::StrCat("Waivers      waiver chip.textproto:4 until 2099-12-31, ", waived,
                                     " cases waived: function diopiAdd; dtype float32: fast sums "
                                     "(https://example.com/4)")));
  EXPECT_THAT(ReadFile(errors()), HasSubstr("Waivers: waiver chip.textproto:4 until 2099-12-31"));
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.info.options().chip(), "c9");
  EXPECT_EQ(stored.info.options().profile().file(), "chip.textproto");
  EXPECT_EQ(stored.info.options().profile().hash().size(), 32U);
  for (const v1::Verdict& verdict : stored.verdicts) {
    if (verdict.outcome() != v1::OUTCOME_WAIVED) continue;
    EXPECT_THAT(verdict.reason(), StartsWith("waived by chip.textproto:4 until 2099-12-31: fast sums"));
  }
  // A tolerance below the error waives nothing, and the reason says so.
  finished = run(WaiverProfile("1e-5", "2099-12-31"));
  EXPECT_EQ(finished.code, 1);
  outcomes = Outcomes();
  EXPECT_EQ(outcomes[v1::OUTCOME_WAIVED], 0);
  EXPECT_GE(outcomes[v1::OUTCOME_FAIL], waived);
  for (const v1::Verdict& verdict : WithoutLibraryChecks(ReadRun(data())).verdicts) {
    if (verdict.outcome() != v1::OUTCOME_FAIL) continue;
    EXPECT_THAT(verdict.reason(), HasSubstr("beyond the waiver chip.textproto:4"));
  }
  // Expired.
  finished = run(WaiverProfile("1e-3", "2020-12-31"));
  EXPECT_EQ(finished.code, 1);
  outcomes = Outcomes();
  EXPECT_EQ(outcomes[v1::OUTCOME_WAIVED], 0);
  EXPECT_GE(outcomes[v1::OUTCOME_FAIL], waived);
  EXPECT_THAT(finished.out,
              HasSubstr("Waivers      waiver chip.textproto:4 EXPIRED on 2020-12-31, 0 cases waived"));
}

TEST_F(ProfileTest, SkippedCasesSayWhoAndWhy) {
  const std::string profile = Profile(R"(skip {
  match { operator: "relu" dtype: float64 }
  reason: "no float64 units"
  issue: "https://example.com/5"
})");
  const Finished run = Agent(LibPath("libdiopi_cpu.so"), {"--fname", "relu", "--profile", profile});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  int skipped = 0;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (verdict.function().empty()) continue;
    const bool double_case = verdict.dtype() == v1::Dtype::float64;
    EXPECT_EQ(verdict.outcome(), double_case ? v1::OUTCOME_SKIPPED : v1::OUTCOME_PASS) << verdict.case_id();
    if (!double_case) continue;
    ++skipped;
    EXPECT_EQ(verdict.reason(), "skipped by chip.textproto:1: no float64 units (https://example.com/5)");
  }
  EXPECT_GT(skipped, 1);
}

TEST_F(ProfileTest, ATimeLimitOfItsOwn) {
  const std::string profile = Profile(R"(timeout { match { function: "diopiAdd" } seconds: 0.2 })");
  const Finished run = Agent(VendorPath("vendor_hang"),
                             {"--case", "add.float32.n17", "--profile", profile, "--timeout-s", "60"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_THAT(ReadRun(data()).verdicts.at(0).reason(), HasSubstr("timed out after 0.2 s"));
}

TEST_F(ProfileTest, BadProfilesAreTheUsersFault) {
  const std::string profile = Profile("skip {\n  match { operator: \"ad\" }\n}");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--profile",
                                 profile},
        std::vector<std::string>{BinPath("diopi-cli"), "profile", "check", profile}}) {
    const Finished run = RunProgram(command);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr("chip.textproto:2:11: skip.match.operator: no operator 'ad'"));
    EXPECT_THAT(run.err, HasSubstr("skip.reason: missing"));
  }
}

TEST_F(ProfileTest, CheckTellsWhatEachRuleIsAbout) {
  const std::string profile = Profile(WaiverProfile("1e-3", "2020-12-31") + R"(
skip { match { operator: "relu" tensor { rank { min: 30 } } } reason: "none is" }
adaptor { dtype: "(int64)->int32" }
environment { name: "ACME_LICENCE_TOKEN" value: "x" })");
  const Finished run = RunProgram({BinPath("diopi-cli"), "profile", "check", profile});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Waiver     chip.textproto:4: "));
  EXPECT_THAT(run.out, HasSubstr("EXPIRED on 2020-12-31"));
  EXPECT_THAT(run.out, HasSubstr("Adaptor    all operators: dtype (int64)->int32"));
  EXPECT_THAT(run.out, HasSubstr("Variable   DIOPI_TEST_ERROR=1e-4\n"));
  EXPECT_THAT(run.err, HasSubstr("chip.textproto:12: matches no case"));
  EXPECT_THAT(run.err, HasSubstr("environment: ACME_LICENCE_TOKEN looks like a secret"));
  EXPECT_THAT(run.err, Not(HasSubstr("DIOPI_TEST_ERROR looks")));
}

TEST_F(ProfileTest, ARunGoesOnWithTheProfileThatItBeganWith) {
  ASSERT_EQ(
      Agent(LibPath("libdiopi_cpu.so"), {"--fname", "relu", "--profile", Profile("timeout_s: 20")}).code, 0);
  const Finished without = Agent(LibPath("libdiopi_cpu.so"), {"--resume", "latest"});
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("was started with the device profile chip.textproto"));
  EXPECT_EQ(
      Agent(LibPath("libdiopi_cpu.so"), {"--resume", "latest", "--profile", *folder_ / "chip.textproto"})
          .code,
      0);
}

constexpr char kFloat32Only[] =
    "adaptor { dtype: \"(int64, int32, int16, int8, uint8, bool)->float32, (float64, float16, "
    "bfloat16)->float32\" "
    "}\n";

TEST_F(ProfileTest, AFloat32LibraryPassesWhatItCanThroughTheAdaptor) {
  const std::vector<std::string> selection = {
      "--fname", "diopiAdd", "diopiMul", "diopiRelu", "diopiAddInp", "--dtype", "float32,float64,int64"};
  const auto verdicts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = selection;
    all.insert(all.end(), more.begin(), more.end());
    const Finished run = Agent(VendorPath("vendor_float32_only"), all);
    EXPECT_LE(run.code, 1) << run.err;
    std::map<std::string, v1::Verdict> by_case;
    for (const v1::Verdict& verdict : WithoutLibraryChecks(ReadRun(data())).verdicts)
      by_case[verdict.case_id()] = verdict;
    return by_case;
  };
  const auto passed = [](const std::map<std::string, v1::Verdict>& all, v1::Dtype::Code dtype) {
    int count = 0;
    for (const auto& [id, verdict] : all)
      count += verdict.dtype() == dtype && verdict.outcome() == v1::OUTCOME_PASS;
    return count;
  };
  const auto adapted = [](const v1::Verdict& verdict) { return verdict.adapted(); };

  const auto without = verdicts({});
  EXPECT_EQ(passed(without, v1::Dtype::int64), 0);
  for (const auto& [id, verdict] : without) {
    EXPECT_FALSE(adapted(verdict)) << id;
    if (verdict.dtype() == v1::Dtype::float32) continue;
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_UNSUPPORTED_DTYPE) << id << " " << verdict.reason();
  }
  const auto with = verdicts({"--profile", Profile(kFloat32Only)});
  ASSERT_EQ(with.size(), without.size());
  EXPECT_GT(passed(with, v1::Dtype::int64), 5);
  EXPECT_GT(passed(with, v1::Dtype::float64), 10);
  for (const auto& [id, verdict] : with) {
    if (verdict.dtype() != v1::Dtype::float32) {
      EXPECT_TRUE(adapted(verdict) || verdict.outcome() == v1::OUTCOME_SKIPPED) << id;
      EXPECT_TRUE(verdict.conversions_size() > 0 || absl::StrContains(verdict.reason(), "adaptor")) << id;
    }
    // Integers may exceed what float32 can hold; float64 cases that are called must not fail.
    if (verdict.dtype() == v1::Dtype::float64) {
      EXPECT_NE(verdict.outcome(), v1::OUTCOME_FAIL) << id << verdict.reason();
    }
    EXPECT_NE(verdict.outcome(), v1::OUTCOME_UNSUPPORTED_DTYPE) << id << verdict.reason();
    if (verdict.outcome() == v1::OUTCOME_SKIPPED) {
      EXPECT_THAT(verdict.reason(), HasSubstr("not called")) << id;
      EXPECT_THAT(verdict.reason(),
                  AnyOf(HasSubstr("do not fit in float32"), HasSubstr("does not fit in float32")))
          << id;
    }
  }
  const Finished report = RunProgram({BinPath("diopi-cli"), "report", "--data", data(), "--format", "text"});
  EXPECT_THAT(report.out, HasSubstr("adaptor ("));
  EXPECT_THAT(report.out, HasSubstr("verdicts through it)"));
}

TEST_F(ProfileTest, ConvertedStridesAndDtypesArriveInTheVendorsCall) {
  const std::vector<std::string> conv = {"--case", "conv2d.float64.*", "--case", "index_select.float32.*"};
  const auto log = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = conv;
    all.insert(all.end(), more.begin(), more.end());
    return Agent(VendorPath("vendor_tensor_log"), all).err;
  };
  const std::string plain = log({});
  ASSERT_THAT(plain, HasSubstr("tensor conv2d input dtype=10 "));
  EXPECT_THAT(plain, HasSubstr("tensor index_select index dtype=6 "));
  const std::string four = log({"--four_bytes"});
  EXPECT_THAT(four, HasSubstr("tensor conv2d input dtype=9 "));
  EXPECT_THAT(four, HasSubstr("tensor conv2d out dtype=9 "));
  EXPECT_THAT(four, HasSubstr("tensor index_select index dtype=4 "));
  EXPECT_THAT(four, Not(HasSubstr("dtype=10 ")));
  EXPECT_THAT(four, Not(HasSubstr("dtype=6 ")));
  // Every tensor of 4 dimensions has channels innermost: the stride of dimension 1 is 1.
  for (const std::string& text : {log({"--nhwc"}), log({"--nhwc", "--nhwc_min_dim", "4"})}) {
    int seen = 0;
    for (size_t at = text.find("tensor conv2d "); at != std::string::npos;
         at = text.find("tensor conv2d ", at + 1)) {
      const std::string line = text.substr(at, text.find('\n', at) - at);
      const std::string strides = line.substr(line.find("strides=("));
      if (std::count(strides.begin(), strides.end(), ',') != 3) continue;
      ++seen;
      EXPECT_EQ(strides.substr(strides.find(',') + 1, 2), "1,") << line;
    }
    EXPECT_GT(seen, 3);
  }
  const std::string five = log({"--nhwc", "--nhwc-min-dim", "5"});
  EXPECT_EQ(five.find("strides=(") == std::string::npos, false);
}

// The whole reference library, called as for a chip with four-byte types.
TEST_F(ProfileTest, TheReferencePassesInEveryMode) {
  for (const char* mode : {"--four-bytes", "--nhwc"}) {
    const Finished run = Agent(LibPath("libdiopi_cpu.so"), {"--fname", "conv2d", "batch_norm", "index_select",
                                                            "max_pool2d", "add", "sort", "nonzero", mode});
    std::map<v1::Outcome, int> outcomes = Outcomes();
    int adapted = 0;
    for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
      adapted += verdict.adapted();
      const bool good = verdict.outcome() == v1::OUTCOME_PASS || verdict.outcome() == v1::OUTCOME_SKIPPED ||
                        verdict.function().empty();
      EXPECT_TRUE(good) << mode << " " << verdict.case_id() << " " << verdict.reason();
    }
    EXPECT_GT(adapted, 10) << mode;
    EXPECT_GT(outcomes[v1::OUTCOME_PASS], 100) << mode;
  }
}

TEST_F(ProfileTest, ModesThatRunNothing) {
  const std::string library = LibPath("libdiopi_cpu.so");
  const Finished list =
      RunProgram({BinPath("diopi-agent"), "--list_only", "--fname", "relu", "--dtype", "float32"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("relu.float32."));
  EXPECT_THAT(list.out, Not(HasSubstr("float64")));
  const Finished models = RunProgram({BinPath("diopi-agent"), "--get_model_list"});
  EXPECT_EQ(models.code, 0) << models.err;
  EXPECT_THAT(models.out, HasSubstr("\nresnet50\n"));
  const Finished model = RunProgram({BinPath("diopi-agent"), "--impl", library, "--model_name", "resnet5"});
  EXPECT_EQ(model.code, 2);
  EXPECT_THAT(model.err, HasSubstr("there is no suite for a model 'resnet5'; did you mean resnet50"));
}

TEST_F(ProfileTest, FailureDebugLevels) {
  for (const int level : {0, 1, 2}) {
    const std::string folder = *folder_ / absl::StrCat("level", level);
    const Finished run = RunProgram(
        {BinPath("diopi-agent"), "--impl", VendorPath("vendor_imprecise"), "--data", data(), "--quiet",
         "--report-dir", folder, "--case", "add.float32.n17", "--failure_debug_level", absl::StrCat(level),
         "--profile", Profile("environment { name: \"DIOPI_TEST_ERROR\" value: \"0.5\" }")});
    EXPECT_EQ(run.code, 1) << run.out << run.err;
    const std::string dump = folder + "/failures/add.float32.n17/";
    EXPECT_EQ(std::filesystem::exists(dump + "case.txt"), level > 0);
    EXPECT_EQ(std::filesystem::exists(dump + "input.other.npy"), level > 1);
    EXPECT_EQ(std::filesystem::exists(dump + "actual.out.npy"), level > 1);
    EXPECT_EQ(std::filesystem::exists(dump + "reference.out.npy"), level > 1);
    if (level == 0) continue;
    EXPECT_THAT(ReadFile(dump + "case.txt"), HasSubstr("in    other: float32 ("));
    EXPECT_THAT(run.out, HasSubstr(folder + "/failures"));
    if (level < 2) continue;
    EXPECT_THAT(ReadFile(dump + "input.other.npy"), HasSubstr("'descr': '<f4', 'fortran_order': False"));
  }
}

}  // namespace
}  // namespace diopi::testing
