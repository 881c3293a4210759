// Templates are made from the ABI's description alone: each argument gets the simplest value of its kind, so
// that the operator's file expands at once and the author replaces values one by one. What only the author
// can know (the judge, an output's shape) is guessed and marked with a comment that asks for it.
#include "client/cli/new_operator_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/abi/abi.h"

namespace diopi::cli {
namespace {

constexpr char kShape[] = "shape: [3, 5]";

bool IsTensor(const abi::Param& param) {
  return param.kind() == abi::TENSOR || param.kind() == abi::CONST_TENSOR;
}

bool IsArray(const abi::Param& param) {
  return param.kind() == abi::TENSOR_ARRAY || param.kind() == abi::CONST_TENSOR_ARRAY;
}

bool IsGiven(const abi::Param& param) {
  const bool size = param.kind() == abi::INT64_POINTER && param.direction() == abi::INOUT;
  return param.direction() != abi::OUT && param.scratch_size().empty() && !size;
}

// Arguments that hold the lengths of others are filled automatically.
bool IsCount(const abi::Function& function, const abi::Param& param) {
  for (const abi::Param& other : function.param()) {
    if (other.kind() != abi::GENERATOR_ARRAY && other.count() == param.name()) return true;
  }
  return false;
}

// The first tensor that a point gives; empty: none.
std::string FirstInput(const abi::Function& function) {
  for (const abi::Param& param : function.param()) {
    if (IsTensor(param) && IsGiven(param)) return param.name();
    if (IsArray(param) && IsGiven(param)) return param.name() + ".0";
  }
  return "";
}

std::string FirstList(const abi::Function& function) {
  for (const abi::Param& param : function.param()) {
    if (IsArray(param) && IsGiven(param)) return param.name();
  }
  for (const abi::Param& param : function.param()) {
    if (param.kind() == abi::SIZE) return param.name();
  }
  return "";
}

std::string OutputRule(const abi::Function& function, const abi::Param& param) {
  const std::string input = FirstInput(function);
  const std::string shape = input.empty() ? "rule: \"scalar\"" : absl::StrCat("like: \"", input, "\"");
  const std::string list = FirstList(function);
  const std::string count =
      IsArray(param) && !list.empty() ? absl::StrCat(" count_like: \"", list, "\"") : "";
  return absl::StrCat("  arg { name: \"", param.name(), "\" ", shape, count, " }  # which shape has it?\n");
}

// "f: 1.5"; empty for an argument that needs no value.
std::string AttributeValue(const abi::Param& param) {
  switch (param.kind()) {
    case abi::SIZE:
    case abi::SIZE_POINTER:
      return "sizes { values: [1, 1] }";
    case abi::SCALAR_POINTER:
      return "i: 2";
    case abi::BOOL:
    case abi::BOOL_POINTER:
      return "b: true";
    case abi::INT:
    case abi::INT32:
    case abi::INT64:
    case abi::INT64_POINTER:
      return "i: 1";
    case abi::FLOAT:
    case abi::DOUBLE:
    case abi::DOUBLE_POINTER:
      return "f: 0.5";
    case abi::STRING:
      return "s: \"none\"";
    case abi::REDUCTION:
      return "s: \"mean\"";
    case abi::ROUND_MODE:
      return "s: \"floor\"";
    case abi::MEMORY_FORMAT:
      return "s: \"contiguous\"";
    default:
      return "";
  }
}

std::string PointLines(const abi::Function& function) {
  std::string lines;
  for (const abi::Param& param : function.param()) {
    if (!IsGiven(param) || IsCount(function, param)) continue;
    const int tensors = IsArray(param) ? 2 : IsTensor(param) ? 1 : 0;
    for (int i = 0; i < tensors; ++i) {
      absl::StrAppend(&lines, "    in { name: \"", param.name(), "\" ", kShape, " }\n");
    }
    const std::string value = AttributeValue(param);
    if (!value.empty()) absl::StrAppend(&lines, "    attr { name: \"", param.name(), "\" ", value, " }\n");
  }
  return lines;
}

}  // namespace

absl::Status CheckArguments(const abi::Function& function) {
  for (const abi::Param& param : function.param()) {
    if (param.kind() != abi::VOID_POINTER) continue;
    return absl::UnimplementedError(absl::StrCat("no operator file can give ", function.name(),
                                                 " its argument ", param.name(), " (", param.c_type(), ")"));
  }
  return absl::OkStatus();
}

std::string NewOperatorText(const NewOperator& op) {
  std::string rules;
  for (const abi::Param& param : op.function->param()) {
    const bool host_tensor = IsTensor(param) || IsArray(param);
    if (host_tensor && param.direction() == abi::OUT)
      absl::StrAppend(&rules, OutputRule(*op.function, param));
  }
  return absl::StrCat(
      "# proto-file: proto/diopi/v1/operator.proto\n# proto-message: diopi.v1.OperatorFile\noperator: \"",
      op.name, "\"\nfamily: \"", op.family, "\"\n\nfunction {\n  name: \"", op.function->name(), "\"\n",
      rules, "  judge { kind: COMPOSITION }  # or EXACT, MATH, ACCUMULATION, ...: how does it round?\n}\n\n",
      "grid {\n  dtypes: [float32]  # or dtype_sets: floating\n  point {\n    label: \"first\"\n",
      "    reveals: \"the defect that this point shows and no other does\"\n", PointLines(*op.function),
      "  }\n}\n");
}

std::string NewReferenceText(const NewOperator& op) {
  std::vector<std::string> arguments;
  for (const abi::Param& param : op.function->param()) arguments.push_back("a." + param.name());
  return absl::StrCat("// ", op.name, ": the formula, for the CPU and the NVIDIA reference.\n",
                      "#include \"baselines/ops/both.h\"\n\nnamespace diopi::ops::both {\n\n// ",
                      absl::StrJoin(arguments, ", "), "\nDIOPI_KERNEL(", op.function->name(),
                      ", a) {\n  static_cast<void>(a);\n  FailWith(diopiNoImplement, \"not written yet\");  "
                      "// diopi-cli gen says so\n}\n\n",
                      "}  // namespace diopi::ops::both\n");
}

std::string NewCheckText(const NewOperator& op) {
  std::string output;
  for (const abi::Param& param : op.function->param()) {
    const bool written = param.direction() != abi::IN && (IsTensor(param) || IsArray(param));
    if (written && output.empty()) output = param.name();
  }
  return absl::StrCat("\"\"\"", op.name, " by PyTorch.\"\"\"\nimport torch\n\n\ndef ", op.function->name(),
                      "(a):\n    return {\"", output, "\": torch.", op.name, "(",
                      FirstInput(*op.function).empty() ? "" : absl::StrCat("a.", FirstInput(*op.function)),
                      ")}\n");
}

std::string NewReadmeText(const NewOperator& op) {
  const std::string folder = absl::StrCat("baselines/ops/", op.family, "/");
  return absl::StrCat(
      "# ", op.name, " (", op.function->name(), ")\n\n- `", op.name,
      ".textproto`: the functions, where arguments come from, how outputs are judged, and the "
      "points. Its manual is\n"
      "  `cases/ops/GUIDE.md`. It runs without changes with `--cases` and this folder, "
      "anywhere. As a part of the\n"
      "  suite it belongs to `cases/ops/",
      op.family, "/` and needs a cover.\n- `", op.name,
      ".cc`: the kernel of both references, not written yet; it belongs to `", folder,
      "` (`CONTRIBUTING.md`,\n  \"An operator in ten minutes\"). `", op.name,
      "_cpu.cc` and `_cuda.cu` where the two differ. A function of one\n  operand needs one line only (`",
      "baselines/ops/elementwise/unary.h`).\n- `", op.name,
      "_crosscheck.py`: the same call in PyTorch; it belongs to `", folder,
      "`, too, and so do,\n  where the operator has them, `", op.name,
      "_timing.textproto`, the sizes at which it is timed, `", op.name, "_bugs.cc`,\n  injected bugs, and `",
      op.name,
      "_variants.cc`, correct variants (`CONTRIBUTING.md`).\n\nCheck: `diopi-cli list cases --cases DIR "
      "--fname ",
      op.name, "`\n");
}

}  // namespace diopi::cli
