#include "client/profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "cases/core/catalog.h"

namespace diopi::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<v1::OperatorFile>& Operators() {
  static const std::unique_ptr<cases::Catalog> catalog = *cases::Catalog::LoadBuiltin();
  return catalog->operators();
}

absl::StatusOr<Profile> Parse(const std::string& text) {
  return ParseProfile(text, "folder/chip.textproto", Operators());
}

constexpr char kWhole[] = R"text(# A chip of ours.
chip: "c1"
contract: "tf32"
skip {
  match { operator: "conv*" dtype: float64 }
  reason: "no float64 units"
}
waiver {
  match { function: "diopiBatchNorm" tensor { argument: "input" rank { min: 5 } } }
  tolerance { atol: 1e-3 rtol: 1e-3 }
  reason: "low precision of the 5-d kernel"
  issue: "https://example.com/7"
  expires: "2099-12-31"
}
timeout_s: 60
timeout { match { case: "conv2d.*" } seconds: 120 }
environment { name: "CHIP_CACHE" value: "off" }
devices: 8
adaptor { dtype: "(int64)->int32, (float64)->float32" }
adaptor { operator: "batch_norm" layout: "NCHW, input(NHWC)"
}
)text";

TEST(ProfileTest, EverythingAtOnce) {
  const absl::StatusOr<Profile> profile = Parse(kWhole);
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->file, "chip.textproto");
  EXPECT_EQ(profile->hash.size(), 32U);
  EXPECT_THAT(profile->skip_at, ElementsAre("chip.textproto:4"));
  EXPECT_THAT(profile->waiver_at, ElementsAre("chip.textproto:8"));
  EXPECT_THAT(profile->timeout_at, ElementsAre("chip.textproto:16"));
  EXPECT_THAT(profile->adaptor_at, ElementsAre("chip.textproto:19", "chip.textproto:20"));
  EXPECT_EQ(profile->rules.devices(), 8U);
  EXPECT_NE(Parse(std::string(kWhole) + "# more")->hash, profile->hash);
}

TEST(ProfileTest, AnEmptyFileSaysNothing) {
  const absl::StatusOr<Profile> profile = Parse("");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->rules.ByteSizeLong(), 0U);
}

// Users of the public harness say mm; our cases say bmm.
TEST(ProfileTest, OtherNamesOfOperators) {
  const absl::StatusOr<Profile> profile = Parse(R"(skip { match { operator: "mm" } reason: "r" })");
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_THAT(profile->rules.skip(0).match().operator_(), ElementsAre("mm", "bmm"));
}

struct Bad {
  const char* what;
  const char* text;
  const char* message;
};

class BadProfile : public testing::TestWithParam<Bad> {};

TEST_P(BadProfile, IsRefusedWithThePlace) {
  const absl::StatusOr<Profile> profile = Parse(GetParam().text);
  ASSERT_FALSE(profile.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(profile.status()));
  EXPECT_THAT(std::string(profile.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadProfile,
    testing::Values(
        Bad{"syntax", "skip {\n  match {", "folder/chip.textproto:2:10: Expected"},
        Bad{"field", "skip {\n  mach { }\n}",
            "folder/chip.textproto:2:8: there is no field 'mach' here; nearest: match"},
        Bad{"type", "devices: \"many\"", "folder/chip.textproto:1:10: Expected integer"},
        Bad{"dtype", "skip { match { dtype: flot16 } }",
            ":1:30: dtype: unknown dtype 'flot16'; nearest: float16"},
        Bad{"contract", "\ncontract: \"tf23\"",
            "folder/chip.textproto:2:1: contract: unknown contract 'tf23'; known: tf32"},
        Bad{"contract_operator", "contract: \"native16@bach_norm:float16\"",
            "folder/chip.textproto:1:1: contract: no operator 'bach_norm'; expected an operator's name"},
        Bad{"contract_dtype", "contract: \"tf32:float16\"", "tf32 applies to float32, not 'float16'"},
        Bad{"operator", "skip {\n match { operator: \"bach_norm\" }\n reason: \"r\" }",
            "folder/chip.textproto:2:10: skip.match.operator: no operator 'bach_norm'; expected an "
            "operator's name or a "
            "glob of some; nearest: batch_norm"},
        Bad{"function", "skip { match { function: \"diopiAd\" } reason: \"r\" }",
            "skip.match.function: the ABI has no function 'diopiAd'; expected a name or a glob of some; "
            "nearest: diopiAdd"},
        Bad{"case", "skip { match { case: \"ad.float32.x\" } reason: \"r\" }",
            "skip.match.case: no case 'ad.float32.x': there is no operator 'ad'; nearest:"},
        Bad{"parameter",
            "skip { match { operator: \"batch_norm\" parameter { name: \"trainig\" value: \"true\" } } "
            "reason: \"r\" }",
            "skip.match.parameter.name: no parameter 'trainig' of the functions that the rule names; "
            "nearest: training"},
        Bad{"no value", "skip { match { parameter { name: \"p\" } } reason: \"r\" }",
            "skip.match.parameter: no value; expected"},
        Bad{"argument",
            "skip { match { operator: \"relu\" tensor { argument: \"inptu\" rank { min: 3 } } } reason: "
            "\"r\" }",
            "skip.match.tensor.argument: no parameter 'inptu' of the functions"},
        Bad{"shape", "skip { match { tensor { shape: \"2x3\" } } reason: \"r\" }",
            "skip.match.tensor.shape: '2x3' is not a shape; expected sizes and *"},
        Bad{"bounds", "skip { match { tensor { rank { min: 5 max: 3 } } } reason: \"r\" }",
            "skip.match.tensor.rank: min 5 is above max 3"},
        Bad{"skip of everything", "skip { reason: \"r\" }",
            "skip: match: sets nothing; expected at least one of operator"},
        Bad{"skip without a reason", "skip { match { operator: \"add\" } }",
            "skip.reason: missing; expected the reason"},
        Bad{"waiver without a reason",
            "waiver { match { operator: \"add\" } tolerance { atol: 1 } issue: \"u\" expires: \"2099-01-01\" "
            "}",
            "waiver.reason: missing"},
        Bad{"waiver without a link",
            "waiver { match { operator: \"add\" } tolerance { atol: 1 } reason: \"r\" expires: "
            "\"2099-01-01\" }",
            "waiver.issue: missing; expected a link"},
        Bad{"waiver without an end",
            "waiver { match { operator: \"add\" } tolerance { atol: 1 } reason: \"r\" issue: \"u\" }",
            "waiver.expires: missing; expected the last day on which it holds, such as 2026-12-31"},
        Bad{"waiver with no day",
            "waiver { match { operator: \"add\" } tolerance { atol: 1 } reason: \"r\" issue: \"u\" expires: "
            "\"2099-02-30\" }",
            "waiver.expires: '2099-02-30' is not a date"},
        Bad{"waiver of nothing",
            "waiver { match { operator: \"add\" } reason: \"r\" issue: \"u\" expires: \"2099-01-01\" }",
            "waiver.tolerance: sets nothing; expected atol, rtol or mismatch_ratio"},
        Bad{"negative tolerance",
            "waiver { match { operator: \"add\" } tolerance { atol: -1 } reason: \"r\" issue: \"u\" expires: "
            "\"2099-01-01\" }",
            "waiver.tolerance.atol: expected a number of at least 0"},
        Bad{"NaN tolerance",
            "waiver { match { operator: \"add\" } tolerance { rtol: nan } reason: \"r\" issue: \"u\" "
            "expires: \"2099-01-01\" }",
            "waiver.tolerance.rtol: expected a number of at least 0"},
        Bad{"half of the elements",
            "waiver { match { operator: \"add\" } tolerance { mismatch_ratio: 0.5 } reason: \"r\" issue: "
            "\"u\" expires: "
            "\"2099-01-01\" }",
            "waiver.tolerance.mismatch_ratio: expected a share from 0 to 0.1"},
        Bad{"timeout", "timeout { seconds: 0 }", "timeout.seconds: 0 is not a time limit"},
        Bad{"variable", "environment { name: \"A=B\" value: \"c\" }",
            "environment.name: 'A=B' is not the name of a variable"},
        Bad{"variable twice", "environment { name: \"A\" }\nenvironment { name: \"A\" }",
            ":2:15: environment.name: A is set twice"},
        Bad{"devices", "devices: 1000", "devices: 1000 devices; expected 1 to 256"},
        Bad{"adaptor of nothing", "adaptor { operator: \"add\" }",
            "adaptor: sets nothing; expected dtype or layout"},
        Bad{"adaptor dtype", "adaptor { dtype: \"int64->int32\" }",
            "adaptor.dtype: 'int64->int32' is not a rule; expected (FROM, ...)->TO"},
        Bad{"adaptor dtype name", "adaptor { dtype: \"(int46)->int32\" }",
            "adaptor.dtype: unknown dtype 'int46'"},
        Bad{"adaptor layout", "adaptor { layout: \"NWHC\" }",
            "adaptor.layout: 'NWHC' is not a rule; expected a list of NHWC"},
        Bad{"adaptor layout argument", "adaptor { operator: \"conv2d\" layout: \"imput(NHWC)\" }",
            "adaptor.layout: no parameter 'imput' of the functions"}),
    [](const testing::TestParamInfo<Bad>& row) {
      std::string name = row.param.what;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

// Reports every finding, not only the first.
TEST(ProfileTest, EveryFindingIsTold) {
  const absl::Status status = Parse("skip { }\nwaiver { }").status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("skip.reason"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("waiver.reason"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("waiver.expires"));
}

TEST(ProfileTest, AFileThatIsNotThere) {
  const absl::Status status = ReadProfile("/nonexistent/chip.textproto").status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nonexistent/chip.textproto: cannot be read"));
}

}  // namespace
}  // namespace diopi::profile
