// The ABI's textproto is written by hand, so everything that the generators, the caller of libraries and the
// tests rely on is checked here: names, the spelling of each kind, directions, counts of arrays. All problems
// are reported, each with its file and line; nothing is written while there is one.
#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "proto/abi/codegen/load.h"

namespace diopi::abi {
namespace {

// How the headers may spell each kind, apart from a leading "const " and what follows a "*".
const std::map<Kind, std::vector<std::string_view>>& Spellings() {
  static const auto* const spellings = new std::map<Kind, std::vector<std::string_view>>{
      {CONTEXT, {"diopiContextHandle_t"}},
      {TENSOR, {"diopiTensorHandle_t"}},
      {CONST_TENSOR, {"diopiConstTensorHandle_t"}},
      {TENSOR_POINTER, {"diopiTensorHandle_t*"}},
      {TENSOR_ARRAY, {"diopiTensorHandle_t*"}},
      {CONST_TENSOR_ARRAY, {"diopiConstTensorHandle_t*"}},
      {SIZE, {"diopiSize_t"}},
      {SIZE_POINTER, {"diopiSize_t*"}},
      {SCALAR_POINTER, {"diopiScalar_t*"}},
      {BOOL, {"bool"}},
      {INT, {"int"}},
      {INT32, {"int32_t"}},
      {INT64, {"int64_t"}},
      {FLOAT, {"float"}},
      {DOUBLE, {"double"}},
      {STRING, {"char*"}},
      {BOOL_POINTER, {"bool*"}},
      {INT64_POINTER, {"int64_t*"}},
      {DOUBLE_POINTER, {"double*"}},
      {VOID_POINTER, {"void*"}},
      {GENERATOR, {"diopiGeneratorHandle_t"}},
      {GENERATOR_ARRAY, {"diopiGeneratorHandle_t*"}},
      {REDUCTION, {"diopiReduction_t"}},
      {ROUND_MODE, {"diopiRoundMode_t"}},
      {MEMORY_FORMAT, {"diopiMemoryFormat_t"}},
      {TENSOR_SIZE_OUT, {"diopiSize_t*"}},
  };
  return *spellings;
}

bool IsArray(Kind kind) {
  return kind == TENSOR_ARRAY || kind == CONST_TENSOR_ARRAY || kind == GENERATOR_ARRAY;
}

bool IsValue(Kind kind) {
  switch (kind) {
    case BOOL:
    case INT:
    case INT32:
    case INT64:
    case FLOAT:
    case DOUBLE:
    case REDUCTION:
    case ROUND_MODE:
    case MEMORY_FORMAT:
    case CONTEXT:
      return true;
    default:
      return false;
  }
}

bool IsIdentifier(const std::string& name) {
  const auto ok = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), ok);
}

std::string_view WithoutConst(std::string_view type) {
  constexpr std::string_view kConst = "const ";
  return type.substr(0, kConst.size()) == kConst ? type.substr(kConst.size()) : type;
}

bool KnownDtype(const std::string& name) {
  static constexpr std::string_view kNames[] = {
      "int8",    "uint8",   "int16", "uint16",   "int32",    "uint32",    "int64",     "uint64",    "float16",
      "float32", "float64", "bool",  "bfloat16", "tfloat32", "complex32", "complex64", "complex128"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Reports about one function, each message with the function's name in it.
class FunctionCheck {
 public:
  FunctionCheck(const LoadedHeader& loaded, int index, Problems* problems)
      : loaded_(loaded), index_(index), function_(loaded.header.function(index)), problems_(problems) {}

  void Run(HeaderRole role) {
    if (!IsIdentifier(function_.name())) AddError("'" + function_.name() + "' is not a C identifier");
    if (role == HeaderRole::kOperators) {
      if (function_.param_size() == 0 || function_.param(0).kind() != CONTEXT) {
        AddError("the first parameter must be the context");
      }
      if (!function_.result().empty()) AddError("an operator returns diopiError_t; drop `result`");
    }
    for (int i = 0; i < function_.param_size(); ++i) CheckParam(i, role);
  }

 private:
  void AddError(const std::string& text) {
    problems_->Add(loaded_.path, loaded_.LineOfFunction(index_), function_.name() + ": " + text);
  }
  void AddError(int param, const std::string& text) {
    problems_->Add(loaded_.path, loaded_.LineOfParam(index_, param),
                   function_.name() + "." + function_.param(param).name() + ": " + text);
  }

  void CheckParam(int i, HeaderRole role) {
    const Param& p = function_.param(i);
    if (!IsIdentifier(p.name())) AddError(i, "'" + p.name() + "' is not a C identifier");
    for (int j = 0; j < i; ++j) {
      if (function_.param(j).name() == p.name()) AddError(i, "the name is used twice");
    }
    CheckSpelling(i, role);
    CheckScratch(i);
    if (p.kind() == CONTEXT && i != 0) AddError(i, "the context must come first");
    if (IsValue(p.kind()) && p.nullable()) AddError(i, "a value cannot be null");
    if (IsValue(p.kind()) && p.direction() != IN) AddError(i, "a value cannot be written");
    if (p.direction() != IN && (p.kind() == CONST_TENSOR || p.kind() == CONST_TENSOR_ARRAY)) {
      AddError(i, "a const tensor cannot be written");
    }
    if (role == HeaderRole::kOperators && p.kind() == TENSOR_POINTER && p.direction() != OUT) {
      AddError(i, "TENSOR_POINTER is one handle that the library fills: direction must be OUT");
    }
    if (p.on_host() && p.kind() != TENSOR && p.kind() != CONST_TENSOR)
      AddError(i, "`on_host` is for tensors");
    if (p.fills() != 0 && (p.kind() != TENSOR_POINTER || p.fills() < 2 || p.fills() > 64)) {
      AddError(i, "`fills` is for a TENSOR_POINTER with 2 to 64 handles");
    }
    CheckCount(i);
    for (const std::string& dtype : p.dtypes()) {
      if (!KnownDtype(dtype)) AddError(i, "unknown dtype '" + dtype + "'");
    }
  }

  void CheckSpelling(int i, HeaderRole role) {
    const Param& p = function_.param(i);
    if (p.kind() == KIND_UNSET) return AddError(i, "`kind` is missing");
    if (p.c_type().empty()) return AddError(i, "`c_type` is missing");
    if (p.kind() == OTHER) {
      if (role == HeaderRole::kOperators) AddError(i, "OTHER is for runtime and device functions only");
      return;
    }
    const auto it = Spellings().find(p.kind());
    const std::string_view type = WithoutConst(p.c_type());
    if (it == Spellings().end() ||
        std::find(it->second.begin(), it->second.end(), type) == it->second.end()) {
      AddError(i, "kind " + Kind_Name(p.kind()) + " does not match c_type '" + p.c_type() + "'");
    }
  }

  const Param* Find(const std::string& name) const {
    for (const Param& p : function_.param()) {
      if (p.name() == name) return &p;
    }
    return nullptr;
  }

  void CheckScratch(int i) {
    const Param& p = function_.param(i);
    if (!p.scratch_size().empty()) {
      const Param* size = Find(p.scratch_size());
      const bool fits = p.kind() == TENSOR && p.direction() == INOUT && size != nullptr &&
                        size->kind() == INT64_POINTER && size->direction() == INOUT;
      if (!fits) AddError(i, "`scratch_size` is for a TENSOR and names an INT64_POINTER, both INOUT");
    }
    if (!p.prepares().empty()) {
      const Param* scratch = Find(p.prepares());
      if (p.kind() != BOOL || scratch == nullptr || scratch->scratch_size().empty()) {
        AddError(i, "`prepares` is for a BOOL and names scratch memory");
      }
    }
  }

  void CheckCount(int i) {
    const Param& p = function_.param(i);
    if (!IsArray(p.kind())) {
      if (!p.count().empty()) AddError(i, "`count` is for arrays only");
      return;
    }
    if (p.count().empty()) {
      return AddError(i, "an array needs `count`; one handle that the library fills is a TENSOR_POINTER");
    }
    for (const Param& other : function_.param()) {
      if (other.name() != p.count()) continue;
      if (other.kind() != INT && other.kind() != INT32 && other.kind() != INT64) {
        AddError(i, "count '" + p.count() + "' is not an integer parameter");
      }
      return;
    }
    AddError(i, "count '" + p.count() + "' is not a parameter of the function");
  }

  const LoadedHeader& loaded_;
  const int index_;
  const Function& function_;
  Problems* problems_;
};

}  // namespace

void ValidateHeader(const LoadedHeader& loaded, HeaderRole role, std::set<std::string>* names,
                    Problems* problems) {
  if (loaded.header.file().empty()) problems->Add(loaded.path, 1, "`file` is missing");
  for (int i = 0; i < loaded.header.function_size(); ++i) {
    if (!names->insert(loaded.header.function(i).name()).second) {
      problems->Add(loaded.path, loaded.LineOfFunction(i),
                    "function '" + loaded.header.function(i).name() + "' is declared twice");
    }
    FunctionCheck(loaded, i, problems).Run(role);
  }
}

}  // namespace diopi::abi
