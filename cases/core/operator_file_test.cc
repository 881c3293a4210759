#include "cases/core/operator_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/core/catalog.h"

namespace diopi::cases {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A file without fault, one thing of which each case of the table changes.
constexpr char kGood[] = R"(operator: "add"
family: "elementwise"
function {
  name: "diopiAdd"
  arg { name: "out" broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
function {
  name: "diopiAddInp"
  variant: "inplace"
  arg { name: "input" state: true broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
grid {
  dtypes: [float32, int32]
  point {
    label: "plain"
    reveals: "wrong sum"
    in { name: "input" shape: [2, 3] }
    in { name: "other" shape: [3] }
    attr { name: "alpha" i: 2 }
  }
}
)";

absl::Status Compile(const std::string& text) {
  absl::StatusOr<ParsedOperator> parsed = ParseOperator(text, "add.textproto");
  if (!parsed.ok()) return parsed.status();
  return ExpandOperator(parsed->file, parsed->lines).status();
}

TEST(OperatorFileTest, TheGoodFileExpands) {
  absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(kGood, "add.textproto");
  ASSERT_TRUE(op.ok()) << op.status();
  absl::StatusOr<std::vector<v1::Case>> cases = Expand(*op, "add.textproto");
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_EQ(cases->size(), 4U);
}

struct Fault {
  const char* from;
  const char* to;
  const char* message;  // its beginning
};

const Fault kFaults[] = {
    // Syntax.
    {"family:", "famly:",
     "add.textproto:2:6: Message type \"diopi.v1.OperatorFile\" has no field named \"famly\"."},
    {"dtypes: [float32, int32]", "dtypes: [float33]",
     "add.textproto:15:19: Unknown enumeration value of \"float33\""},
    {"shape: [3] }", "shape: [x] }", "add.textproto:20:32: Expected integer, got: x"},
    // Names.
    {"\"add\"", "\"Add!\"", "add.textproto:1: `operator` must match [a-z0-9_]+"},
    {"family: \"elementwise\"", "", "add.textproto: `family` must match [a-z0-9_]+"},
    {"name: \"diopiAdd\"", "name: \"diopiAdds\"",
     "add.textproto:3: the ABI has no function 'diopiAdds'; nearest: diopiAdd"},
    {"diopiAddInp", "diopiAdd", "add.textproto:8: diopiAdd is given twice"},
    {"family: \"elementwise\"", "family: \"elementwise\" nhwc: \"inptu\"",
     "add.textproto: `nhwc`: no function of this file has an argument 'inptu'; nearest: input"},
    {"family: \"elementwise\"", "family: \"elementwise\" nhwc: \"input\" nhwc: \"*\"",
     "add.textproto: `nhwc`: no function of this file has an argument '*'"},
    {"variant: \"inplace\"", "", "add.textproto:8: two functions have variant ''"},
    {"variant: \"inplace\"", "variant: \"In\"", "add.textproto:8: `variant` must match [a-z0-9_]+"},
    {"name: \"out\"", "name: \"outs\"",
     "add.textproto:5: `arg`: diopiAdd has no argument 'outs'; nearest: out"},
    {"broadcast: [\"input\", \"other\"] promote", "like: \"imput\" promote",
     "add.textproto:5: `like`: diopiAdd has no argument 'imput'; nearest: input"},
    {"broadcast: [\"input\", \"other\"] promote", "rule: \"matmull\" promote",
     "add.textproto:5: no shape rule 'matmull'; nearest: matmul"},
    {"broadcast: [\"input\", \"other\"] promote", "from: \"diopiSub.out\" promote",
     "add.textproto:5: 'diopiSub.out' is not FUNCTION.output of a function of this file"},
    {"broadcast: [\"input\", \"other\"] promote", "shape_of: \"diopiAddInp.inptu\" promote",
     "add.textproto:5: `diopiAddInp.inptu`: diopiAddInp has no argument 'inptu'; nearest: input"},
    {"promote: [\"input\", \"other\"] }\n  judge { kind: MATH }\n}\nfunction",
     "dtype: \"float\" }\n  judge { kind: MATH }\n}\nfunction", "add.textproto:5: unknown dtype 'float'"},
    // Rules that contradict themselves or the ABI.
    {"broadcast: [\"input\", \"other\"] promote", "like: \"input\" rule: \"matmul\" promote",
     "add.textproto:5: argument 'out' has more than one of like, broadcast"},
    {"broadcast: [\"input\", \"other\"] promote: [\"input\", \"other\"] }\n  judge { kind: MATH "
     "}\n}\nfunction",
     "}\n  judge { kind: MATH }\n}\nfunction", "add.textproto:3: output 'out' of diopiAdd has no shape rule"},
    {"arg { name: \"out\"", "arg { name: \"alpha\" like: \"input\" } arg { name: \"out\"",
     "add.textproto:5: argument 'alpha' of diopiAdd is not a tensor"},
    {"arg { name: \"out\"", "arg { name: \"other\" optional: true } arg { name: \"out\"",
     "add.textproto:5: argument 'other' is `optional`, but proto/abi says that it may not be null"},
    {"arg { name: \"out\"", "arg { name: \"other\" host_output: true } arg { name: \"out\"",
     "add.textproto:5: argument 'other' is `host_output`, but not a pointer to host memory"},
    {"arg { name: \"out\"", "arg { name: \"other\" holds: \"input\" } arg { name: \"out\"",
     "add.textproto:5: argument 'other' is not an output tensor, so it cannot hold 'input'"},
    {"arg { name: \"out\"", "arg { name: \"out\" holds: \"inptu\"",
     "add.textproto:5: `holds`: diopiAdd has no argument 'inptu'; nearest: input"},
    {"arg { name: \"out\"", "arg { name: \"out\" } arg { name: \"out\"",
     "add.textproto:5: argument 'out' is given twice"},
    {"variant: \"inplace\"", "variant: \"inplace\" skip_dtypes: int32",
     "add.textproto:8: `skip_dtypes` needs `why`"},
    // Judges.
    {"judge { kind: MATH }", "",
     "add.textproto:16: point 'plain', diopiAdd, float32: output 'out' has no judge"},
    {"judge { kind: MATH }", "judge { }", "add.textproto:6: a judge needs a `kind`"},
    {"judge { kind: MATH }", "judge { kind: MATH output: \"oot\" }",
     "add.textproto:6: `output`: diopiAdd has no argument 'oot'; nearest: out"},
    {"judge { kind: MATH }", "judge { kind: NOT_JUDGED }", "add.textproto:6: NOT_JUDGED needs a `reason`"},
    {"judge { kind: MATH }", "judge { kind: MATH written_if: \"alhpa\" }",
     "add.textproto:6: `written_if`: diopiAdd has no argument 'alhpa'; nearest: alpha"},
    {"judge { kind: MATH }", "judge { kind: MATH may_stay_unwritten: true }",
     "add.textproto:6: use `written_if` instead of `may_stay_unwritten`"},
    {"judge { kind: MATH }", "judge { kind: RANDOM }", "add.textproto:6: RANDOM needs a `distribution`"},
    {"judge { kind: MATH }", "judge { kind: INDEX_OF }", "add.textproto:6: INDEX_OF needs `input`"},
    {"judge { kind: MATH }", "judge { kind: MATH groups: \"rows\" }",
     "add.textproto:6: unknown `groups` 'rows'"},
    {"judge { kind: MATH }", "judge { kind: MATH } judge { kind: EXACT }",
     "add.textproto:6: two judges for output ''"},
    // Readings.
    {"judge { kind: MATH }", "judge { kind: MATH } reading { reason: \"x\" }",
     "add.textproto:6: a reading needs a `kind`"},
    {"judge { kind: MATH }", "judge { kind: MATH } reading { kind: SPREAD_NAN dims: 1 }",
     "add.textproto:6: a reading needs a `reason`"},
    {"judge { kind: MATH }", "judge { kind: MATH } reading { kind: SPREAD_NAN dims: -1 reason: \"x\" }",
     "add.textproto:6: `dims` counts from the first dimension, 0"},
    {"judge { kind: MATH }", "judge { kind: MATH } reading { kind: ROUNDED_SCALARS reason: \"x\" }",
     "add.textproto:6: ROUNDED_SCALARS needs `args`: the numbers"},
    {"judge { kind: MATH }",
     "judge { kind: MATH } reading { kind: SPREAD_NAN args: \"alpha\" dims: 1 reason: \"x\" }",
     "add.textproto:6: `args` belongs to ROUNDED_SCALARS and OPPOSITE_SIGNS"},
    {"judge { kind: MATH }",
     "judge { kind: MATH } reading { kind: OPPOSITE_SIGNS args: \"out\" reason: \"x\" }",
     "add.textproto:6: OPPOSITE_SIGNS needs two `args`: the matrix whose columns, and the one whose rows "
     "change sign"},
    {"judge { kind: MATH }",
     "judge { kind: MATH } reading { kind: OPPOSITE_SIGNS args: [\"out\", \"input\"] reason: \"x\" }",
     "add.textproto:6: `args`: 'input' of diopiAdd is not an output tensor"},
    {"judge { kind: MATH }",
     "judge { kind: MATH } reading { kind: OPPOSITE_SIGNS args: [\"out\", \"out\"] dims: 1 reason: \"x\" }",
     "add.textproto:6: `dims` belongs to SPREAD_NAN"},
    {"judge { kind: MATH }",
     "judge { kind: MATH } reading { kind: ROUNDED_SCALARS args: \"alhpa\" reason: \"x\" }",
     "add.textproto:6: `args`: diopiAdd has no argument 'alhpa'; nearest: alpha"},
    {"judge { kind: MATH }",
     "judge { kind: MATH } reading { kind: SPREAD_NAN reason: \"x\" } reading { kind: SPREAD_NAN reason: "
     "\"y\" }",
     "add.textproto:6: the same reading twice"},
    // Grids and points.
    {"dtypes: [float32, int32]", "", "add.textproto:14: a grid needs `dtypes` or `dtype_sets`"},
    {"dtypes: [float32, int32]", "dtypes: float32 functions: \"diopiAddd\"",
     "add.textproto:14: this file has no function 'diopiAddd'; nearest: diopiAdd"},
    {"label: \"plain\"", "", "add.textproto:16: a point needs a `label`"},
    {"label: \"plain\"", "label: \"Plain case\"",
     "add.textproto:16: label 'Plain case' must match [a-z0-9_]+"},
    {"reveals: \"wrong sum\"", "", "add.textproto:16: point 'plain' needs `reveals`"},
    {"  }\n}\n", "  }\n  point { label: \"plain\" reveals: \"x\" }\n}\n",
     "add.textproto:23: label 'plain' is used twice"},
    {"attr { name: \"alpha\" i: 2 }", "attr { name: \"alpha\" }",
     "add.textproto:21: attribute 'alpha' has no value"},
    {"attr { name: \"alpha\" i: 2 }", "attr { name: \"alpha\" i: 2 }\n attr { name: \"alpha\" i: 2 }",
     "add.textproto:22: attribute 'alpha' is given twice"},
    {"attr { name: \"alpha\" i: 2 }", "attr { name: \"alpha\" i: 2 } attr { name: \"other\" i: 2 }",
     "add.textproto:20: 'other' is given both as `in` and as `attr`"},
    {"shape: [3] }", "shape: [3] dtype: \"int33\" }", "add.textproto:20: unknown dtype 'int33'"},
    // Expansion.
    {"shape: [3] }", "shape: [4] }",
     "add.textproto:16: point 'plain', diopiAdd, float32: argument 'out': shapes (2, 3) and (4,) do not "
     "broadcast"},
    {"attr { name: \"alpha\" i: 2 }", "",
     "add.textproto:16: point 'plain' fits no function\n    diopiAdd: `alpha` is not given\n    diopiAddInp: "
     "`alpha`"},
    {"name: \"alpha\" i: 2", "name: \"alpha\" s: \"2\"",
     "add.textproto:16: point 'plain' fits no function\n    diopiAdd: `alpha` (const diopiScalar_t*) does "
     "not take a "
     "string"},
    {"in { name: \"other\" shape: [3] }", "attr { name: \"other\" i: 3 }",
     "add.textproto:16: point 'plain' fits no function\n    diopiAdd: `other` (diopiConstTensorHandle_t) "
     "does not take an "
     "integer"},
    {"in { name: \"other\" shape: [3] }", "in { name: \"other\" null: true }",
     "add.textproto:16: point 'plain' fits no function\n    diopiAdd: `other` may not be null"},
    {"shape: [3] }", "shape: [3] layout { kind: transposed } }",
     "add.textproto:16: point 'plain' fits no function\n    diopiAdd: `other`: layout transposed needs two "
     "dimensions"},
    {"attr { name: \"alpha\" i: 2 }", "attr { name: \"alpha\" i: 2 } attr { name: \"alhpa\" i: 2 }",
     "add.textproto:16: point 'plain' gives 'alhpa', which no function that fits it takes; nearest: alpha"},
    {"reveals: \"wrong sum\"", "reveals: \"x\" dtypes: float64",
     "add.textproto:16: point 'plain' narrows to float64, which is not in its grid"},
    {"attr { name: \"alpha\" i: 2 }", "attr { name: \"alpha\" i: 2 } out_layout { kind: channels_last }",
     "add.textproto:16: point 'plain', diopiAdd, float32: argument 'out_layout': layout channels_last needs "
     "four"},
};

TEST(OperatorFileTest, ReadingsGoToTheCasesOfTheirTypesAndChangeNoHash) {
  const auto cases = [](const std::string& dtypes, const std::string& readings) {
    const std::string text = absl::StrReplaceAll(
        kGood, {{"float32, int32", dtypes},
                {"promote: [\"input\", \"other\"] }\n  judge { kind: MATH }\n}\nfunction",
                 absl::StrCat("promote: [\"input\", \"other\"] }\n  judge { kind: MATH } ", readings,
                              "\n}\nfunction")}});
    absl::StatusOr<v1::OperatorFile> op = ParseOperatorFile(text, "add.textproto");
    EXPECT_TRUE(op.ok()) << op.status();
    absl::StatusOr<std::vector<v1::Case>> expanded = Expand(*op, "add.textproto");
    EXPECT_TRUE(expanded.ok()) << expanded.status();
    return *expanded;
  };
  const std::string dtypes = "int32, float32, bfloat16";
  const std::vector<v1::Case> with = cases(dtypes,
                                           "reading { kind: ROUNDED_SCALARS args: \"alpha\" reason: \"x\" } "
                                           "reading { kind: SPREAD_NAN dims: 0 reason: \"y\" }");
  const std::vector<v1::Case> without = cases(dtypes, "");
  ASSERT_EQ(with.size(), without.size());
  std::vector<int> readings;
  for (size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].hash(), without[i].hash());
    if (with[i].function() == "diopiAdd") readings.push_back(with[i].readings_size());
  }
  EXPECT_THAT(readings, testing::ElementsAre(0, 1, 2));
}

TEST(OperatorFileTest, EveryFaultIsToldWithItsLine) {
  for (const Fault& fault : kFaults) {
    std::string text = kGood;
    const size_t at = text.find(fault.from);
    ASSERT_NE(at, std::string::npos) << fault.from;
    text.replace(at, std::string(fault.from).size(), fault.to);
    const absl::Status status = Compile(text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << fault.message;
    EXPECT_THAT(std::string(status.message()), StartsWith(fault.message));
  }
}

TEST(OperatorFileTest, AllFindingsAreToldAtOnce) {
  std::string text =
      absl::StrReplaceAll(kGood, {{"like:", "x"}, {"reveals: \"wrong sum\"", ""}, {"\"add\"", "\"\""}});
  const absl::Status status = Compile(text);
  EXPECT_THAT(std::string(status.message()), HasSubstr("`operator`"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("\nadd.textproto:16: point 'plain' needs `reveals`"));
}

TEST(OperatorFileTest, AnEmptyFileIsRefused) {
  EXPECT_THAT(std::string(Compile("").message()), HasSubstr("no function"));
}

}  // namespace
}  // namespace diopi::cases
