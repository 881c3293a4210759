// The C file needs only the public headers: it begins with a small host (repro_runtime.c), followed by the
// inputs as byte arrays, the arguments as C initialisers, one call, and the bounds that each output element
// must meet. Numbers are written so that they read back to the same bits.
#include "client/cli/c_source.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cases/base/dtype.h"
#include "cases/base/layout.h"
#include "cases/base/split_mix.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "client/cli/case_text.h"
#include "client/cli/output_bounds.h"
#include "client/cli/repro_runtime.h"
#include "proto/abi/abi.h"

namespace diopi::cli {
namespace {

constexpr size_t kBytesPerLine = 20;
constexpr size_t kValuesPerLine = 5;

std::vector<int64_t> ToVector(const google::protobuf::RepeatedField<int64_t>& field) {
  return {field.begin(), field.end()};
}

// C identifiers: tensors.0 -> tensors_0. The prefix avoids keywords and the runtime's names.
std::string Identifier(const std::string& key) {
  return "a_" + absl::StrReplaceAll(key, {{".", "_"}});
}

std::string Number(double value) {
  if (std::isnan(value)) return "(double)NAN";
  if (std::isinf(value)) return value > 0 ? "(double)INFINITY" : "-(double)INFINITY";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";  // -0 is an integer, which has no sign
  return absl::StrFormat("%.17g", value);
}

std::string Integer(int64_t value) {
  // The literal 9223372036854775808 has no type.
  return value == INT64_MIN ? "INT64_MIN" : absl::StrCat("INT64_C(", value, ")");
}

std::string IntegerList(const std::vector<int64_t>& values) {
  if (values.empty()) return "{0}";  // C has no empty arrays
  return absl::StrCat(
      "{", absl::StrJoin(values, ", ", [](std::string* out, int64_t v) { out->append(Integer(v)); }), "}");
}

// A path with a folder, as a shell needs it.
std::string ProgramName(const CSourceOptions& options) {
  const std::string name = options.file_name.substr(0, options.file_name.rfind('.'));
  return absl::StrContains(name, '/') ? name : "./" + name;
}

class Writer {
 public:
  Writer(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
         const CSourceOptions& options)
      : case_(c), inputs_(inputs), references_(references), options_(options) {}

  absl::StatusOr<std::string> Write() {
    const abi::Function* function = abi::FindFunction(case_.function());
    if (function == nullptr)
      return absl::InvalidArgumentError(case_.function() + " is not a function of the ABI");
    std::vector<std::string> call = {"&context"};
    for (const v1::Argument& arg : case_.args()) {
      const abi::Param* param = abi::FindParam(*function, arg.name());
      if (param == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(case_.function(), " has no parameter ", arg.name()));
      }
      ASSIGN_OR_RETURN(const std::string expression, Argument(arg, *param));
      call.push_back(expression);
      preparing_.push_back(param->prepares().empty() ? expression : "false");
    }
    const std::string arguments = absl::StrJoin(call, ",\n      ");
    preparing_.insert(preparing_.begin(), call[0]);
    const std::string preparing = absl::StrJoin(preparing_, ",\n      ");
    std::string before = sizes_.empty() ? "" : absl::StrCat("  if (i == 0) call(", arguments, ");\n", sizes_);
    if (preparing != arguments) absl::StrAppend(&before, "  call(", preparing, ");\n");
    const std::string& name = case_.function();
    return absl::StrCat(
        Comment(), std::string(kReproRuntime), "\n", data_, "\nint main(int argc, char** argv) {\n",
        "  void* library = load(argc > 1 ? argv[1] : \"", absl::CEscape(options_.library), "\");\n",
        "  const int calls = argc > 2 ? atoi(argv[2]) : ", options_.calls, ";\n  __typeof__(&", name,
        ") call;\n  *(void**)&call = dlsym(library, \"", name, "\");\n  if (call == NULL) {\n    printf(\"",
        name, " is not implemented\\n\");\n    return 1;\n  }\n  for (int i = 0; i < calls; ++i) {\n", body_,
        shared_, before, "  synchronize();\n  const diopiError_t error = call(", arguments,
        ");\n  synchronize();\n  if (i == 0 || error != diopiSuccess) report_error(library, error);\n",
        "  if (error != diopiSuccess) return 1;\n", shows_, "  }\n  return conclude(calls);\n}\n");
  }

 private:
  // Nothing of a text ends the comment, not even after the lines are spliced.
  std::string Comment() const {
    const std::string text =
        absl::StrCat(PrintableLine(case_.id()), ": calls ", case_.function(),
                     " and compares its outputs.\n   Reveals: ", PrintableLine(case_.reveals()),
                     "\n\n   Compile and run:\n     ", CompileCommand(options_), "\n     ",
                     RunCommand(options_), "\n\n   Arguments:\n", ArgumentsText(case_));
    return absl::StrCat("/* ", absl::StrReplaceAll(text, {{"*/", "* /"}, {"\\\n", "\\ \n"}}), "*/\n");
  }

  absl::StatusOr<std::string> Argument(const v1::Argument& arg, const abi::Param& param) {
    const std::string id = Identifier(arg.name());
    if (arg.value_case() == v1::Argument::kNull) {
      return param.kind() == abi::SIZE ? std::string("(diopiSize_t){NULL, 0}") : std::string("NULL");
    }
    switch (param.kind()) {
      case abi::TENSOR:
      case abi::CONST_TENSOR:
        if (!param.scratch_size().empty()) return Scratch(arg, param);
        if (arg.tensors().sparse_shape_size() == 2) return Sparse(arg);
        if (!arg.has_tensor()) return Misfit(arg);
        if (arg.role() != v1::ROLE_OUTPUT && !arg.tensor().same_as().empty())
          return Identifier(arg.tensor().same_as());
        return Tensor(arg.name(), arg, arg.tensor());
      case abi::TENSOR_POINTER:
      case abi::TENSOR_ARRAY:
      case abi::CONST_TENSOR_ARRAY:
        return Handles(arg, param.kind() == abi::CONST_TENSOR_ARRAY);
      case abi::SIZE:
      case abi::SIZE_POINTER:
        body_ += absl::StrCat(
            "  static const int64_t ", id, "_values[] = ", IntegerList(ToVector(arg.sizes().values())),
            ";\n  diopiSize_t ", id, " = {", id, "_values, ", arg.sizes().values_size(), "};\n");
        return param.kind() == abi::SIZE ? id : "&" + id;
      case abi::SCALAR_POINTER:
        return Scalar(id, arg.scalar());
      case abi::GENERATOR:
        return Generator(id, arg.generator());
      case abi::GENERATOR_ARRAY:
        return Generators(id, arg.generator(), param.count());
      case abi::BOOL_POINTER:
        return HostPointer(arg, "bool");
      case abi::INT64_POINTER:
        return HostPointer(arg, "int64_t");
      case abi::DOUBLE_POINTER:
        return HostPointer(arg, "double");
      default:
        return Value(arg, param);
    }
  }

  static absl::Status Misfit(const v1::Argument& arg) {
    return absl::InvalidArgumentError(absl::StrCat("argument ", arg.name(), " does not fit its parameter"));
  }

  static absl::StatusOr<std::string> Value(const v1::Argument& arg, const abi::Param& param) {
    switch (arg.value_case()) {
      case v1::Argument::kI:
        return param.kind() == abi::FLOAT || param.kind() == abi::DOUBLE
                   ? Number(static_cast<double>(arg.i()))
                   : absl::StrCat("(", param.c_type(), ")", Integer(arg.i()));
      case v1::Argument::kF:
        return Number(arg.f());
      case v1::Argument::kB:
        return std::string(arg.b() ? "true" : "false");
      case v1::Argument::kS:
        return absl::StrCat("\"", absl::CEscape(arg.s()), "\"");
      default:
        return Misfit(arg);
    }
  }

  absl::StatusOr<std::string> Handles(const v1::Argument& arg, bool constant) {
    std::string id = Identifier(arg.name()) + "_handles";
    const bool list = arg.has_tensors();
    const int count = list ? arg.tensors().tensors_size() : 1;
    std::vector<std::string> handles;
    for (int i = 0; i < count; ++i) {
      const bool null = list && i < arg.tensors().null_size() && arg.tensors().null(i);
      const std::string key = list ? absl::StrCat(arg.name(), ".", i) : arg.name();
      if (null) {
        handles.emplace_back("NULL");
      } else if (arg.role() == v1::ROLE_LIBRARY_OUTPUT) {
        handles.emplace_back("NULL");
        Show(key, absl::StrCat(id, "[", i, "]"));
      } else {
        ASSIGN_OR_RETURN(const std::string handle,
                         Tensor(key, arg, list ? arg.tensors().tensors(i) : arg.tensor()));
        handles.push_back(handle);
      }
    }
    handles.emplace_back("NULL");  // a list may be empty, its pointer must not be null
    absl::StrAppend(&body_, "  ", constant ? "diopiConstTensorHandle_t " : "diopiTensorHandle_t ", id,
                    "[] = {", absl::StrJoin(handles, ", "), "};\n");
    return id;
  }

  absl::StatusOr<std::string> Sparse(const v1::Argument& arg) {
    std::string id = Identifier(arg.name()), parts;
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      ASSIGN_OR_RETURN(const std::string part,
                       Tensor(absl::StrCat(arg.name(), ".", i), arg, arg.tensors().tensors(i)));
      absl::StrAppend(&parts, ", ", part);
    }
    absl::StrAppend(&body_, "  static diopiTensorHandle_t ", id, ";\n  if (", id, " == NULL) ", id,
                    " = make_sparse(", absl::StrJoin(arg.tensors().sparse_shape(), ", "), parts, ");\n");
    return id;
  }

  absl::StatusOr<std::string> Tensor(const std::string& key, const v1::Argument& arg,
                                     const v1::TensorSpec& spec) {
    std::string id = Identifier(key);
    const abi::Function* function = abi::FindFunction(case_.function());
    const abi::Param* param = function == nullptr ? nullptr : abi::FindParam(*function, arg.name());
    const bool on_host = param != nullptr && param->on_host();
    const std::string& values = arg.role() == v1::ROLE_OUTPUT ? arg.holds() : key;
    const std::vector<int64_t> shape = ToVector(spec.shape());
    std::vector<int64_t> strides = ToVector(spec.strides());
    if (strides.empty()) strides = ContiguousStrides(shape);
    absl::StrAppend(&body_, "  static const int64_t ", id, "_shape[] = ", IntegerList(shape), ";\n",
                    "  static const int64_t ", id, "_strides[] = ", IntegerList(strides), ";\n",
                    "  static diopiTensorHandle_t ", id, ";\n  if (", id, " == NULL) ", id,
                    " = make_tensor(diopi_dtype_", std::string(DtypeName(spec.dtype())), ", ", shape.size(),
                    ", ", id, "_shape, ", id, "_strides, ", spec.storage_offset(), ", ",
                    spec.storage_elements(), on_host ? ", diopi_host);\n" : ", diopi_device);\n");
    if (values.empty() && !spec.same_as().empty()) {
      const std::string in = Identifier(spec.same_as());
      absl::StrAppend(&shared_, "  ", id, "->storage = ", in, "->storage;\n  ", id, "->host = ", in,
                      "->host;\n");
    } else if (values.empty()) {
      absl::StrAppend(&body_, "  upload(", id, ", NULL);\n");
    } else {
      const auto input = inputs_.find(values);
      if (input == inputs_.end()) return absl::InvalidArgumentError("no values for the input " + values);
      Bytes(id, Storage(spec, strides, input->second));
      absl::StrAppend(&body_, "  upload(", id, ", ", id, "_bytes);\n");
    }
    if (arg.role() != v1::ROLE_INPUT) Show(key, id);
    return id;
  }

  static std::string Storage(const v1::TensorSpec& spec, const std::vector<int64_t>& strides,
                             const HostTensor& dense) {
    const int64_t size = ElementSize(dense.dtype);
    const int64_t elements = std::max(spec.storage_elements(), NumElements(dense.shape));
    std::string storage(static_cast<size_t>(elements * size), '\xff');
    if (NumElements(dense.shape) > 0) {
      ScatterToStorage(dense.data.data(), dense.shape, strides, spec.storage_offset(), size, storage.data());
    }
    return storage;
  }

  void Bytes(const std::string& id, const std::string& bytes) {
    absl::StrAppend(&data_, "static const unsigned char ", id, "_bytes[] = {");
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (i % kBytesPerLine == 0) data_ += "\n ";
      absl::StrAppend(&data_, " ", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])), ",");
    }
    absl::StrAppend(&data_, bytes.empty() ? "0" : "", "\n};\n");
  }

  // Outputs that the library allocates have no expected shape; the reference's values are shown anyway.
  void Show(const std::string& key, const std::string& expression) {
    const std::string id = Identifier(key);
    const OutputBounds bounds = BoundsOf(case_, inputs_, references_, key, options_.contracts);
    const HostTensor& expected = bounds.expected;
    const int64_t count =
        expected.data.empty() || IsComplex(expected.dtype) ? 0 : NumElements(expected.shape);
    std::vector<std::string> values;
    values.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) values.push_back(Element(expected, i));
    List("long double", id + "_expected", values);
    std::vector<std::string> tolerances;
    tolerances.reserve(bounds.tolerances.size());
    for (const double tolerance : bounds.tolerances) tolerances.push_back(Number(tolerance));
    if (!tolerances.empty()) List("double", id + "_tolerances", tolerances);
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    absl::StrAppend(&data_, "static struct output ", id, "_output = {\"", key, "\", ", count, ", ", id,
                    "_expected, ", tolerances.empty() ? "NULL" : id + "_tolerances", ", ",
                    flag(bounds.judged), ", ", flag(bounds.repeats), ", ", flag(bounds.may_flush),
                    ", NULL};\n");
    absl::StrAppend(&shows_, "  inspect(&", id, "_output, ", expression, ");\n");
  }

  // An empty tensor, which is replaced when the library has said how much it needs.
  std::string Scratch(const v1::Argument& arg, const abi::Param& param) {
    std::string id = Identifier(arg.name());
    const std::string size = Identifier(param.scratch_size());
    const std::string make =
        absl::StrCat(" = make_tensor(diopi_dtype_", std::string(DtypeName(arg.scratch())), ", 1, ", size,
                     ", NULL, 0, 0, diopi_device);\n");
    absl::StrAppend(&body_, "  static int64_t ", size, "[] = {0};\n  static diopiTensorHandle_t ", id,
                    ";\n  if (i == 0) ", id, make, "  if (i == 0) ", size, "[0] = -1;\n");
    absl::StrAppend(&sizes_, "  if (i == 0) ", id, make, "  upload(", id, ", NULL);\n");
    return id;
  }

  // A constant with exactly the element's value.
  static std::string Element(const HostTensor& tensor, int64_t i) {
    if (tensor.dtype == v1::Dtype::int64) return absl::StrCat("(int64_t)", "UINT64_C(", Bits(tensor, i), ")");
    if (tensor.dtype == v1::Dtype::uint64) return absl::StrCat("UINT64_C(", Bits(tensor, i), ")");
    return Number(ElementAsDouble(tensor.dtype, tensor.data.data(), i));
  }

  static uint64_t Bits(const HostTensor& tensor, int64_t i) {
    uint64_t bits = 0;
    std::memcpy(&bits, tensor.data.data() + static_cast<size_t>(i) * sizeof(bits), sizeof(bits));
    return bits;
  }

  void List(const char* type, const std::string& name, std::vector<std::string> values) {
    if (values.empty()) values.emplace_back("0");  // C has no empty arrays
    absl::StrAppend(&data_, "static const ", type, " ", name, "[] = {\n ");
    for (size_t i = 0; i < values.size(); ++i) {
      absl::StrAppend(&data_, i > 0 && i % kValuesPerLine == 0 ? "\n " : "", " ", values[i], ",");
    }
    data_ += "\n};\n";
  }

  std::string Scalar(const std::string& id, const v1::ScalarValue& scalar) {
    const bool is_float = scalar.value_case() == v1::ScalarValue::kF;
    const double number = is_float ? scalar.f() : static_cast<double>(scalar.i());
    std::string field = ".fval = " + Number(number);
    if (scalar.dtype() == v1::Dtype::bool_) field = number != 0 ? ".fval = 1.0" : ".fval = 0.0";
    if (IsInteger(scalar.dtype())) {
      field = ".ival = " + Integer(is_float ? static_cast<int64_t>(scalar.f()) : scalar.i());
    }
    absl::StrAppend(&body_, "  diopiScalar_t ", id, " = {.stype = diopi_dtype_",
                    std::string(DtypeName(scalar.dtype())), ", ", field, "};\n");
    return "&" + id;
  }

  std::string Generator(const std::string& id, const v1::GeneratorValue& value) {
    absl::StrAppend(&body_, "  struct diopiGenerator ", id, " = {UINT64_C(", value.seed(), "), UINT64_C(",
                    value.offset(), ")};\n");
    return "&" + id;
  }

  std::string Generators(const std::string& id, const v1::GeneratorValue& value, const std::string& count) {
    int64_t generators = 1;
    for (const v1::Argument& arg : case_.args()) {
      if (arg.name() == count) generators = std::max<int64_t>(arg.i(), 1);
    }
    absl::StrAppend(&body_, "  struct diopiGenerator ", id, "[] = {");
    for (int64_t i = 0; i < generators; ++i) {
      absl::StrAppend(&body_, i % kValuesPerLine == 0 ? "\n   " : "", " {UINT64_C(",
                      SeedOfGenerator(value.seed(), static_cast<uint64_t>(i)), "), UINT64_C(", value.offset(),
                      ")},");
    }
    absl::StrAppend(&body_, "\n  };\n  diopiGeneratorHandle_t ", id, "_handles[", generators,
                    "];\n  for (int g = 0; g < ", generators, "; ++g) ", id, "_handles[g] = &", id, "[g];\n");
    return id + "_handles";
  }

  // Scratch declares the size.
  bool IsScratchSize(const v1::Argument& arg) const {
    for (const abi::Param& param : abi::FindFunction(case_.function())->param()) {
      if (param.scratch_size() == arg.name()) return true;
    }
    return false;
  }

  absl::StatusOr<std::string> HostPointer(const v1::Argument& arg, const char* type) {
    std::string id = Identifier(arg.name());
    if (IsScratchSize(arg)) return id;
    std::string value = "{0}";
    if (arg.value_case() == v1::Argument::kSizes) {
      value = IntegerList(ToVector(arg.sizes().values()));
    } else if (arg.value_case() == v1::Argument::kI) {
      value = absl::StrCat("{", Integer(arg.i()), "}");
    } else if (arg.value_case() == v1::Argument::kF) {
      value = absl::StrCat("{", Number(arg.f()), "}");
    } else if (arg.value_case() == v1::Argument::kB) {
      value = arg.b() ? "{true}" : "{false}";
    } else if (arg.value_case() != v1::Argument::kHostOutput) {
      return Misfit(arg);
    }
    absl::StrAppend(&body_, "  ", type, " ", id, "[] = ", value, ";\n");
    if (arg.has_host_output()) {
      absl::StrAppend(&shows_, "  if (i == 0) printf(\"", arg.name(), ": %.17g\\n\", (double)", id,
                      "[0]);\n");
    }
    return id;
  }

  const v1::Case& case_;
  const TensorMap& inputs_;
  const TensorMap& references_;
  const CSourceOptions& options_;
  std::string data_;                    // file scope
  std::string body_;                    // of main, before the call
  std::string shows_;                   // after the call
  std::string shared_;                  // outputs that get the memory of an input
  std::string sizes_;                   // after the call that asks for the sizes of scratch memory
  std::vector<std::string> preparing_;  // arguments of the call that prepares scratch memory
};

}  // namespace

std::string CompileCommand(const CSourceOptions& options) {
  return absl::StrCat("cc -I ", ShellWord(options.include_folder), " ", ShellWord(options.file_name),
                      " -rdynamic -ldl -lm -o ", ShellWord(ProgramName(options)));
}

std::string RunCommand(const CSourceOptions& options) {
  return absl::StrCat(ShellWord(ProgramName(options)), " ", ShellWord(options.library));
}

absl::StatusOr<std::string> CSource(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                                    const CSourceOptions& options) {
  return Writer(c, inputs, references, options).Write();
}

}  // namespace diopi::cli
