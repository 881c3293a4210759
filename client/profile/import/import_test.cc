#include "client/profile/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cases/base/test_folder.h"
#include "client/profile/profile.h"

namespace diopi::profile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// In the form of the public harness's files, with our own texts. Importing `skip` under another name, a
// lambda for lists, the harness's own names and `skip_all` occur in vendors' files.
constexpr char kVendorStyle[] = R"text(
from skip import Skip as S
import numpy as np

__Skip = lambda *args: [S(x) for x in args]
Leave = S

device_configs = {
    # no gather unit yet
    'embedding': dict(name=['embedding'], skip_all=True),
    'Scaled-lookup': dict(name=["embedding"], interface=['torch'], skip_all=True,
        tensor_para=dict(args=[{"ins": ['input'], "dtype": __Skip(np.int32, np.int64)}])),
    'drawn': dict(name=['normal_', 'relu'], dtype=[Leave(np.float16)], atol=1e-2),
    'steps': dict(name=['sgd'], tensor_para=dict(args=[{"ins": ['param_grad', 'buf'], "shape": __Skip((3,), ())}])),
    'pools': dict(name=['max_pool2d'], skip_all=False, interface=['torch'],
        para=dict(stride=[S(2), S((2, 1))], return_indices=[S(True)])),
    'made': dict(name=['sync_bn_mean_', 'box_iou_rotated_mmcv'], skip_all=True),
}
)text";

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
    options_.output = folder_ / "chip.textproto";
    options_.verbose = true;
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const TestFolder folder_;
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
                  R"x(operator: "conv2d" parameter { name: "padding" value: "[1, 1]" value: "-1" )x"
                  R"x(value: "[-1]" value: "[-1, -1]" })x"));
  EXPECT_THAT(rules.skip(0).reason(), AllOf(HasSubstr("rounds twice; imported from "),
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
           ":24: 'batch_norm': para: momentum: the value is not a literal: compute()",
           ":24: 'batch_norm': para: colour: no parameter of these functions has this name",
           ":26: 'two_at_once': 'no_such_operator': the suite has no such operator",
           ":27: 'pads': para: groups: no Skip(...): 3",
           ":28: 'mirror': saved_args: profiles have no equivalent of saved_args",
           ":28: 'mirror': para: 'mirror': para has a key that cannot be read without running the file",
           ":30: device_configs.update(later): code that would have to be run",
       }) {
    EXPECT_THAT(*report, HasSubstr("  " + path + line + "\n"));
  }
  EXPECT_THAT(*report, HasSubstr("not imported: 9\n"));
}

TEST_F(ImportTest, DeviceConfigsAsVendorsWriteThem) {
  options_.device_configs = Write("device_configs.py", kVendorStyle);
  options_.verbose = false;
  const absl::StatusOr<std::string> report = ImportProfile(options_);
  ASSERT_TRUE(report.ok()) << report.status();
  const absl::StatusOr<Profile> profile = ReadProfile(options_.output);
  ASSERT_TRUE(profile.ok()) << profile.status();
  std::vector<std::string> skips;
  for (const v1::Skip& skip : profile->rules.skip()) skips.push_back(skip.match().ShortDebugString());
  EXPECT_THAT(
      skips,
      testing::ElementsAre(
          R"x(operator: "embedding")x",
          R"x(operator: "embedding" case: "*.public_scaled_lookup_?" case: "*.public_scaled_lookup_?_?")x"
          R"x( case: "*.public_scaled_lookup_?_??" case: "*.public_scaled_lookup_??")x"
          R"x( case: "*.public_scaled_lookup_??_?" case: "*.public_scaled_lookup_??_??")x",
          R"x(operator: "embedding" tensor { argument: "indices" dtype: int32 dtype: int64 })x",
          R"x(operator: "relu" dtype: float16)x", R"x(function: "diopiNormalInp" dtype: float16)x",
          R"x(operator: "sgd" tensor { argument: "grad" argument: "buf" shape: "(3)" shape: "()" })x",
          R"x(operator: "max_pool2d" parameter { name: "stride" value: "2" value: "[2]" value: "[2, 2]" )x"
          R"x(value: "[2, 1]" })x"));
  EXPECT_THAT(profile->rules.skip(0).reason(), HasSubstr("no gather unit yet; imported from "));
  const std::string at = options_.device_configs + ":";
  EXPECT_EQ(
      *report,
      "imported: 7 skip rules, 0 waiver rules, 0 adaptor rules\nnot imported: 6\n"
      "      2  profiles have no equivalent of interface\n"
      "         e.g. " +
          at +
          "11: 'Scaled-lookup': interface: profiles have no equivalent of interface\n"
          "      2  the suite has no such operator\n"
          "         e.g. " +
          at +
          "17: 'made': 'sync_bn_mean_': the suite has no such operator\n"
          "      1  a tolerance is overridden by a waiver, which has an issue and an end: give --issue and "
          "--expires\n"
          "         e.g. " +
          at +
          "13: 'drawn': atol: a tolerance is overridden by a waiver, which has an "
          "issue and an end: give --issue and --expires\n"
          "      1  no parameter of these functions has this name\n"
          "         e.g. " +
          at +
          "16: 'pools': para: return_indices: no parameter of these functions has "
          "this name\n");
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
              HasSubstr("--expires: 'soon' is not a date"));
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
  for (const char* line : {":5: diopiAdd: (uint8,no_type)->int32: unsupported conversion: no_type",
                           ":5: diopiAdd: (bool)->complex64: unsupported conversion: bool",
                           ":10: diopiRMSNorm: nothing: the function has no such parameter",
                           ":12: diopiConvolution2d: layout: imput(NHWC): the function has no such parameter",
                           ":12: diopiConvolution2d: layout: WXYZ: unknown layout",
                           ":13: diopiConvolution2d: profiles have no equivalent of colour",
                           ":14: diopiNoSuch: the ABI has no such function"}) {
    EXPECT_THAT(*report, HasSubstr("  " + options_.convert_config + line + "\n"));
  }
  EXPECT_THAT(*report, HasSubstr("not imported: 7\n"));
}

struct OddRow {
  const char* text;               // of the file
  const char* rules;              // "2 skip rules, 0 waiver rules, 1 adaptor rules"
  std::vector<std::string> told;  // each after "  FILE:"
};

TEST_F(ImportTest, OddDeviceConfigs) {
  const OddRow rows[] = {
      {"device_configs = {'x': dict(name='relu', dtype=(Skip(np.float16), Skip('float64')))}", "1 skip", {}},
      {"device_configs: dict = dict(x={'name': {'relu'}, 'dtype': {Skip(np.half)}})", "1 skip", {}},
      {"device_configs = {'x': dict(name=['relu'], dtype=[Skip(np.float16)])}\n"
       "device_configs = {'y': dict(name=['relu'], dtype=[Skip(np.float32)])}",
       "1 skip",
       {"1: device_configs: it is assigned again in line 2"}},
      {"device_configs = {'x': dict(name=['relu']), 'x': dict(name=['relu'], dtype=[Skip(np.float16)])}",
       "1 skip",
       {"1: x: it is there again in line 1"}},
      {"device_configs = {'x': {'name': ['relu'], 'dtype': [Skip(np.float16)], 'dtype': [Skip(np.half)]}}",
       "1 skip",
       {"1: 'x': dtype: it is there again in line 1"}},
      {"device_configs = {**base, f'{n}': {}, 'x': {k: v for k, v in y}, 'y': 5, 'z': dict(a, b=1)}",
       "0 skip",
       {"1: base: its name cannot be read without running the file",
        "1: f'{n}': its name cannot be read without running the file",
        "1: 'x': 'x' is not a dictionary of literals", "1: 'y': 'y' is not a dictionary of literals: 5",
        "1: 'z': 'z' is not a dictionary of literals"}},
      {"device_configs = dict(base, x={})",
       "0 skip",
       {"1: base: it cannot be read without running the file", "1: 'x': it names no operator"}},
      {"device_configs = {'x': dict(name=[f'relu', 5, None, *more], dtype=[Skip(np.float16)])}",
       "0 skip",
       {"1: 'x': f'relu': the suite has no such operator", "1: 'x': 5: the suite", "1: 'x': None: the suite",
        "1: 'x': *more: the suite"}},
      {"device_configs = {'x': dict(name=['relu'], dtype=[Skip(np.float33), Skip(a, b), np.int8, Skip(*a)])}",
       "0 skip",
       {"1: 'x': dtype: unknown dtype: np.float33", "1: 'x': dtype: no Skip(...): Skip(a, b)",
        "1: 'x': dtype: no Skip(...): np.int8", "1: 'x': dtype: no Skip(...): Skip(*a)"}},
      {"device_configs = {'x': dict(name=['relu'], tensor_para=dict(args=[5, {'ins': ['input'], 'shape': "
       "[Skip((1.5,)), Skip((-1,)), Skip((n,)), Skip((99999999999999999999,)), Skip([2, 3])]}]))}",
       "1 skip",
       {"1: 'x': args: 'x': args is not a dictionary of literals: 5",
        "1: 'x': shape: not a size of a dimension: 1.5", "1: 'x': shape: not a size of a dimension: -1",
        "1: 'x': shape: the shape is not a literal: n",
        "1: 'x': shape: not a size of a dimension: 99999999999999999999"}},
      {"device_configs = {'x': dict(name=['relu'], atol=float('inf')), 'y': dict(name=['relu'], rtol=-1.0),\n"
       "'z': dict(name=['relu'], atol=np.nan), 'w': dict(name=['relu'], atol=f())}",
       "0 skip rules, 0 waiver",
       {"1: 'x': atol: not a tolerance that a waiver may have", "1: 'y': rtol: not a tolerance",
        "2: 'z': atol: not a tolerance", "2: 'w': atol: the value is not a literal: f()"}},
      {"device_configs = {'\\x1b[31m\\ud800': {'\\n': 1, 'name': ['relu']}}",
       "0 skip",
       {"1: '\\x1b[31m\\ud800': ?: profiles have no equivalent of ?"}},
      {"if True:\n  device_configs = {}\nfor x in y: f(x)\ndevice_configs = {}\ndevice_configs['a'] = {}\n",
       "0 skip",
       {"1: if True:: code that would have to be run", "3: for x in y:: code that",
        "5: device_configs['a'] = {}: code that"}},
      {"# -*- coding: latin-1 -*-\ndevice_configs = {'caf\xe9': {}}",
       "0 skip",
       {"2: 'caf\xc3\xa9': it names no operator"}},
  };
  options_.issue = "https://example.com/12";
  options_.expires = "2099-06-30";
  for (const OddRow& row : rows) {
    options_.device_configs = Write("odd.py", row.text);
    const absl::StatusOr<std::string> report = ImportProfile(options_);
    ASSERT_TRUE(report.ok()) << row.text << "\n" << report.status();
    EXPECT_THAT(*report, HasSubstr(std::string("imported: ") + row.rules)) << row.text;
    for (const std::string& told : row.told) {
      EXPECT_THAT(*report, HasSubstr("  " + options_.device_configs + ":" + told)) << row.text;
    }
    EXPECT_THAT(*report, HasSubstr("not imported: " + std::to_string(row.told.size()) + "\n")) << row.text;
  }
}

TEST_F(ImportTest, OddConvertConfigs) {
  const OddRow rows[] = {
      {"- [1, 2]\n- 5\n- diopiAdd: {}\n",
       "0 skip",
       {"1: an element: expected NAME:", "2: an element: expected NAME:"}},
      {"- ? [a, b]\n  : 1\n- common_config: {}\n", "0 skip", {"1: an element: a key that is not text"}},
      {"- diopiAdd: 5\n- diopiMul:\n",
       "0 skip",
       {"1: diopiAdd: expected NAME:", "2: diopiMul: expected NAME:"}},
      {"- diopiAdd:\n    dtype: [1]\n    layout: {a: b}\n",
       "0 skip",
       {"2: diopiAdd: profiles have no equivalent of dtype",
        "3: diopiAdd: profiles have no equivalent of layout"}},
      {"- diopiAdd:\n    dtype: (int64)->int32\n    dtype: (int64)->float32\n",
       "1 adaptor",
       {"2: diopiAdd: dtype: it is there again in line 3"}},
      {"- diopiAdd:\n    dtype: !!python/object/apply:os.system ['touch /tmp/never_run']\n",
       "0 skip",
       {"2: diopiAdd: profiles have no equivalent of dtype"}},
      {"- diopiAdd:\n    tensor_dtype:\n        input: [x]\n        other: (int64)>int32\n",
       "0 skip",
       {"3: diopiAdd: input: expected (FROM, ...)->TO", "4: diopiAdd: dtype: (int64)>int32: expected"}},
      {"- &a [*a]\n- &b {diopiAdd: *b}\n",
       "0 skip",
       {"1: an element: expected NAME:", "2: diopiAdd: profiles have no equivalent of diopiAdd"}},
      {"- diopiAdd: &r\n    dtype: (int64)->int32\n- diopiMul:\n    <<: *r\n",
       "1 adaptor",
       {"4: diopiMul: profiles have no equivalent of <<"}},
  };
  std::filesystem::remove("/tmp/never_run");
  for (const OddRow& row : rows) {
    options_.convert_config = Write("odd.yaml", row.text);
    const absl::StatusOr<std::string> report = ImportProfile(options_);
    ASSERT_TRUE(report.ok()) << row.text << "\n" << report.status();
    EXPECT_THAT(*report, HasSubstr(row.rules)) << row.text;
    for (const std::string& told : row.told) {
      EXPECT_THAT(*report, HasSubstr("  " + options_.convert_config + ":" + told)) << row.text;
    }
    EXPECT_THAT(*report, HasSubstr("not imported: " + std::to_string(row.told.size()) + "\n")) << row.text;
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/never_run"));
}

TEST_F(ImportTest, FilesThatCannotBeRead) {
  const std::string head = "device_configs = {'a': ";
  const std::pair<std::string, std::string> python[] = {
      {std::string("x = 1\0", 6), "cannot contain null bytes"},
      {"device_configs = {'\xff': 1}\n", "odd.py:1:"},
      {head + std::string(5000, '(') + "1" + std::string(5000, ')') + "}", "too many nested parentheses"},
      {head + std::string(50'000, '-') + "1}", "odd.py: cannot be read: nested too deep"},
  };
  for (const auto& [text, why] : python) {
    options_.device_configs = Write("odd.py", text);
    const absl::Status status = ImportProfile(options_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }
  options_.device_configs.clear();
  const std::pair<std::string, std::string> yaml[] = {
      {"- a: \xff\n", "odd.yaml: cannot be read: "},
      {"- a: \x01\n", "odd.yaml: cannot be read: "},
      {"- a: *nowhere\n", "odd.yaml: cannot be read: "},
      {"--- 1\n--- 2\n", "odd.yaml: cannot be read: "},
      {std::string(20'000, '['), "odd.yaml: cannot be read: nested too deep"},
  };
  for (const auto& [text, why] : yaml) {
    options_.convert_config = Write("odd.yaml", text);
    const absl::Status status = ImportProfile(options_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(why));
  }
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

TEST_F(ImportTest, SomethingElseIsNoEmptyProfile) {
  const struct {
    const char* name;
    const char* text;
    const char* why;
  } rows[] = {
      {"a.py", "", ": not a device file: it has no `device_configs = {...}`"},
      {"a.py", "import os\ndiopi_configs = {}\n", ": not a device file: it has no"},
      {"a.py", "device_configs = 5\n", ":1: not a device file: device_configs is not a dictionary literal"},
      {"a.py", "import x\ndevice_configs = x.read()\n", ":2: not a device file: device_configs is not"},
      {"a.py",
       "\x7f"
       "ELF\x02\x01",
       ":1: no Python"},
      {"a.yaml", "", ": not an adaptor's file: expected a list"},
      {"a.yaml", "5\n", ": not an adaptor's file: expected a list"},
      {"a.yaml", "version: 3\nservices: {}\n", ": not an adaptor's file: expected a list"},
      {"a.yaml", "- [1, 2]\n- 5\n", ": not an adaptor's file: no element is named common_config, or as"},
      {"a.yaml", "- hosts: all\n  tasks: []\n", ": not an adaptor's file: no element is named common_config"},
      {"a.yaml", "[]\n", ": not an adaptor's file: no element"},
  };
  for (const auto& row : rows) {
    const bool python = std::string(row.name) == "a.py";
    options_.device_configs = python ? Write(row.name, row.text) : "";
    options_.convert_config = python ? "" : Write(row.name, row.text);
    const absl::Status status = ImportProfile(options_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << row.text << status;
    EXPECT_THAT(std::string(status.message()), testing::StartsWith(folder_ / row.name + row.why)) << row.text;
    EXPECT_FALSE(std::filesystem::exists(options_.output)) << row.text;
  }
}

TEST_F(ImportTest, InputIsBounded) {
  const struct {
    const char* what;
    std::string text;
    const char* why;
  } rows[] = {
      {"size", std::string(5 << 20, '#'), "has more than 4194304 bytes"},
      {"nesting", "device_configs = {'a': " + std::string(700'000, '[') + "}", "odd.py"},
      {"a long line", "device_configs = {'" + std::string(1'000'000, 'x'), "odd.py:1: no Python"},
  };
  for (const auto& row : rows) {
    options_.device_configs = Write("odd.py", row.text);
    const absl::Status status = ImportProfile(options_).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << row.what << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.why)) << row.what;
    EXPECT_LT(status.message().size(), 3000U) << row.what;
  }
}

TEST_F(ImportTest, FilesThatAreNone) {
  options_.device_configs = Write("device_configs.py", "device_configs = {\n  'x': dict(\n");
  const absl::Status python = ImportProfile(options_).status();
  EXPECT_TRUE(absl::IsInvalidArgument(python)) << python;
  EXPECT_THAT(std::string(python.message()), HasSubstr("device_configs.py:2:"));
  EXPECT_FALSE(std::filesystem::exists(options_.output));
  options_.device_configs = folder_ / "not_there.py";
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
