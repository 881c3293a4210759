#include "client/profile/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "client/profile/profile.h"

namespace diopi::profile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// In the form of the public harness's files; every text is ours.
constexpr char kDeviceConfigs[] = R"text(# One chip's exceptions.
import os
import numpy as np
from skip import Skip

os.environ["NEVER_RUN"] = open("/tmp/never_run", "w").name

device_configs = {
    'batch_norm': dict(
        name=['batch_norm'],
        atol=1e-2,
        rtol=1e-3,
        tensor_para=dict(
            args=[
                {
                    "ins": ['input'],
                    # rounds twice
                    "dtype": [Skip(np.float16), Skip(Dtype.float64)],
                    "shape": [Skip((2, 16)), Skip(()), Skip(None)],
                },
                {"ins": ['inptu'], "dtype": [Skip(np.float32)]},
            ]
        ),
        para=dict(training=[Skip(True)], momentum=[Skip(0.1), Skip(compute())], colour=[Skip(1)]),
    ),
    'two_at_once': dict(name=['relu', 'no_such_operator'], atol_half=1e-1, dtype=[Skip("bfloat16")]),
    'pads': {"name": ["conv2d"], "para": {"padding": [Skip((1, 1)), Skip(-1)], "groups": [3]}},
    'mirror': dict(name=['mm'], saved_args=dict(output=0), para=dict(**other)),
}
device_configs.update(later)
)text";

constexpr char kConvertConfig[] = R"text(- common_config:
    dtype: (int64)->int32, (float64)->float32, (complex128)->complex64
    layout: NCHW
- diopiAdd:
    dtype: (uint8, no_type)->int32, (bool)->complex64
    layout: NLC, NHWC, NDHWC
- diopiRMSNorm:
    tensor_dtype:
        inv_rms: (float16, float64)->float32
        nothing: (float16)->float32
- diopiConvolution2d:
    layout: NCHW, input(NHWC), imput(NHWC), WXYZ
    colour: red
- diopiNoSuch:
    dtype: (float64)->float32
)text";

class ImportTest : public testing::Test {
 protected:
  ImportTest() {
    std::string path = testing::TempDir() + "/import-XXXXXX";
    folder_ = mkdtemp(path.data());
    options_.output = folder_ + "/chip.textproto";
  }
  ~ImportTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_;
  ImportOptions options_;
};

TEST_F(ImportTest, DeviceConfigs) {
  std::filesystem::remove("/tmp/never_run");
  options_.device_configs = Write("device_configs.py", kDeviceConfigs);
  options_.issue = "https://example.com/12";
  options_.expires = "2099-06-30";
  const absl::StatusOr<std::string> report = ImportProfile(options_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(std::filesystem::exists("/tmp/never_run"));
  const absl::StatusOr<Profile> profile = ReadProfile(options_.output);
  ASSERT_TRUE(profile.ok()) << profile.status();
  const v1::DeviceProfile& rules = profile->rules;
  std::vector<std::string> skips;
  for (const v1::Skip& skip : rules.skip()) skips.push_back(skip.match().ShortDebugString());
  EXPECT_THAT(skips,
              testing::UnorderedElementsAre(
                  R"x(operator: "batch_norm" tensor { argument: "input" dtype: float16 dtype: float64 })x",
                  R"x(operator: "batch_norm" parameter { name: "input" value: "none" })x",
                  R"x(operator: "batch_norm" tensor { argument: "input" shape: "(2, 16)" shape: "()" })x",
                  R"x(operator: "batch_norm" parameter { name: "training" value: "true" })x",
                  R"x(operator: "batch_norm" parameter { name: "momentum" value: "0.1" })x",
                  R"x(operator: "relu" dtype: bfloat16)x",
                  R"x(operator: "conv2d" parameter { name: "padding" value: "[1, 1]" value: "-1" })x"));
  EXPECT_THAT(rules.skip(0).reason(), AllOf(HasSubstr("rounds twice; carried over from "),
                                            HasSubstr("device_configs.py:18 (batch_norm)")));
  ASSERT_EQ(rules.waiver_size(), 2);
  EXPECT_EQ(rules.waiver(0).match().ShortDebugString(),
            R"x(operator: "batch_norm" dtype: float32 dtype: float64)x");
  EXPECT_EQ(rules.waiver(0).tolerance().atol(), 1e-2);
  EXPECT_EQ(rules.waiver(0).tolerance().rtol(), 1e-3);
  EXPECT_EQ(rules.waiver(0).expires(), "2099-06-30");
  EXPECT_EQ(rules.waiver(1).match().ShortDebugString(), R"x(operator: "relu" dtype: float16)x");
  EXPECT_EQ(rules.waiver(1).tolerance().rtol(), 1e-5);
  const std::string path = options_.device_configs;
  for (const char* line : {
           ":6: os.environ['NEVER_RUN'] = open('/tmp/never_run', 'w').name: code that would have to be run",
           ":21: 'batch_norm': ins: 'inptu': no parameter of these functions has this name",
           ":24: 'batch_norm': para: momentum: a value that cannot be read without running it: compute()",
           ":24: 'batch_norm': para: colour: no parameter of these functions has this name",
           ":26: 'two_at_once': 'no_such_operator': there is no such operator here",
           ":27: 'pads': para: groups: no Skip(...): 3",
           ":28: 'mirror': saved_args: profiles have nothing like it",
           ":28: 'mirror': para: dict(**...) cannot be read without running it",
           ":30: device_configs.update(later): code that would have to be run",
       }) {
    EXPECT_THAT(*report, HasSubstr("  " + path + line + "\n"));
  }
  EXPECT_THAT(*report, HasSubstr("not carried over: 9\n"));
}

TEST_F(ImportTest, WithoutAnIssueAndAnEndNoToleranceIsOverridden) {
  options_.device_configs =
      Write("device_configs.py", "device_configs = {'x': dict(name=['relu'], atol=1e-2)}\n");
  const absl::StatusOr<std::string> report = ImportProfile(options_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(ReadProfile(options_.output)->rules.waiver_size(), 0);
  EXPECT_THAT(*report,
              HasSubstr("device_configs.py:1: 'x': atol: a tolerance is overridden by a waiver, which has an "
                        "issue and an end: give --issue and --expires"));
  options_.expires = "soon";
  EXPECT_THAT(std::string(ImportProfile(options_).status().message()),
              HasSubstr("--expires: 'soon' is no day"));
}

TEST_F(ImportTest, ConvertConfig) {
  options_.convert_config = Write("convert_config.yaml", kConvertConfig);
  const absl::StatusOr<std::string> report = ImportProfile(options_);
  ASSERT_TRUE(report.ok()) << report.status();
  const absl::StatusOr<Profile> profile = ReadProfile(options_.output);
  ASSERT_TRUE(profile.ok()) << profile.status();
  std::vector<std::string> rules;
  for (const v1::AdaptorRule& rule : profile->rules.adaptor()) rules.push_back(rule.ShortDebugString());
  EXPECT_THAT(rules,
              testing::ElementsAre(
                  R"x(dtype: "(int64)->int32, (float64)->float32, (complex128)->complex64" layout: "NCHW")x",
                  R"x(function: "diopiAdd" dtype: "(uint8)->int32" layout: "NLC, NHWC, NDHWC")x",
                  R"x(function: "diopiRMSNorm" argument: "inv_rms" dtype: "(float16, float64)->float32")x",
                  R"x(function: "diopiConvolution2d" layout: "NCHW, input(NHWC)")x"));
  for (const char* line : {":5: diopiAdd: (uint8,no_type)->int32: no conversion of ours: no_type",
                           ":5: diopiAdd: (bool)->complex64: no conversion of ours: bool",
                           ":10: diopiRMSNorm: nothing: the function has no such parameter",
                           ":12: diopiConvolution2d: layout: imput(NHWC): the function has no such parameter",
                           ":12: diopiConvolution2d: layout: WXYZ: no layout of ours",
                           ":13: diopiConvolution2d: colour: profiles have nothing like it",
                           ":14: diopiNoSuch: the ABI has no such function"}) {
    EXPECT_THAT(*report, HasSubstr("  " + options_.convert_config + line + "\n"));
  }
  EXPECT_THAT(*report, HasSubstr("not carried over: 7\n"));
}

TEST_F(ImportTest, FilesThatAreNone) {
  options_.device_configs = Write("device_configs.py", "device_configs = {\n  'x': dict(\n");
  const absl::Status python = ImportProfile(options_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(python)) << python;
  EXPECT_THAT(std::string(python.message()), HasSubstr("device_configs.py:2:"));
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  options_.device_configs = folder_ + "/not_there.py";
  EXPECT_THAT(std::string(ImportProfile(options_).status().message()),
              HasSubstr("not_there.py: cannot be read"));
  options_.device_configs.clear();
  options_.convert_config = Write("convert_config.yaml", "- diopiAdd: [\n");
  const absl::Status yaml = ImportProfile(options_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(yaml)) << yaml;
  EXPECT_THAT(std::string(yaml.message()), HasSubstr("convert_config.yaml"));
}

}  // namespace
}  // namespace diopi::profile
