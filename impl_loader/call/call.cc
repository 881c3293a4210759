// Every argument is checked against the ABI's description before libffi sees it: libffi would cut off what
// does not fit, and the library would be blamed for a call that nobody meant. All state of a call lies on the
// caller's stack or in its vectors, so threads may call at the same time. Exceptions are caught, because they
// must not unwind through libffi into the worker.
#include "impl_loader/call/call.h"

#include <cxxabi.h>
#include <ffi.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/status_macros.h"

namespace diopi::loader {
namespace {

// Storage for one argument in the form that libffi reads.
union Slot {
  void* pointer;
  int64_t i64;
  int32_t i32;
  uint8_t boolean;
  float f32;
  double f64;
  diopiSize_t size;
};

// diopiSize_t for libffi. Size and alignment are given, so that libffi never writes to it and threads may
// share it.
ffi_type* SizeType() {
  static ffi_type* elements[] = {&ffi_type_pointer, &ffi_type_sint64, nullptr};
  static ffi_type type = {sizeof(diopiSize_t), alignof(diopiSize_t), FFI_TYPE_STRUCT, elements};
  return &type;
}

absl::Status Bad(const abi::Function& function, const abi::Param& param, absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(function.name(), ".", param.name(), ": ", text));
}

// What a variant holds, in words.
const char* Held(const ArgValue& value) {
  constexpr std::array<const char*, 6> kWords = {"null",   "an integer", "a floating number",
                                                 "a bool", "a pointer",  "a size list"};
  return kWords[value.index()];
}

struct Range {
  int64_t low;
  int64_t high;
};

Range RangeOf(abi::Kind kind) {
  switch (kind) {
    case abi::BOOL:
      return {0, 1};
    case abi::REDUCTION:
      return {ReductionNone, ReductionSum};
    case abi::ROUND_MODE:
      return {RoundModeNone, RoundModeFloor};
    case abi::MEMORY_FORMAT:
      return {Contiguous, ChannelsLast1d};
    case abi::INT64:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    default:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
}

absl::Status SetInteger(const abi::Function& function, const abi::Param& param, const ArgValue& value,
                        Slot* slot, ffi_type** type) {
  int64_t v = 0;
  if (const auto* i = std::get_if<int64_t>(&value)) {
    v = *i;
  } else if (const auto* b = std::get_if<bool>(&value); b != nullptr && param.kind() == abi::BOOL) {
    v = *b ? 1 : 0;
  } else {
    return Bad(function, param, absl::StrCat("takes an integer, not ", Held(value)));
  }
  const Range range = RangeOf(param.kind());
  if (v < range.low || v > range.high) {
    return Bad(function, param,
               absl::StrCat(v, " is outside ", range.low, " to ", range.high, ", the range of a ",
                            param.c_type(), " here"));
  }
  if (param.kind() == abi::INT64) {
    slot->i64 = v;
    *type = &ffi_type_sint64;
  } else if (param.kind() == abi::BOOL) {
    slot->boolean = static_cast<uint8_t>(v);
    *type = &ffi_type_uint8;
  } else {
    slot->i32 = static_cast<int32_t>(v);
    *type = &ffi_type_sint32;
  }
  return absl::OkStatus();
}

absl::Status SetFloating(const abi::Function& function, const abi::Param& param, const ArgValue& value,
                         Slot* slot, ffi_type** type) {
  const auto* v = std::get_if<double>(&value);
  if (v == nullptr) return Bad(function, param, absl::StrCat("takes a floating number, not ", Held(value)));
  if (param.kind() == abi::DOUBLE) {
    slot->f64 = *v;
    *type = &ffi_type_double;
    return absl::OkStatus();
  }
  // A C caller rounds to float, too; turning a finite number into an infinity is a mistake.
  if (std::isfinite(*v) && std::fabs(*v) >= 0x1.ffffffp127) {
    return Bad(function, param, absl::StrFormat("%g does not fit a float", *v));
  }
  slot->f32 = static_cast<float>(*v);
  *type = &ffi_type_float;
  return absl::OkStatus();
}

absl::Status SetSize(const abi::Function& function, const abi::Param& param, const ArgValue& value,
                     Slot* slot, ffi_type** type) {
  const auto* v = std::get_if<diopiSize_t>(&value);
  if (v == nullptr) return Bad(function, param, absl::StrCat("takes a size list, not ", Held(value)));
  if (v->len < 0 || (v->len > 0 && v->data == nullptr)) {
    return Bad(function, param, absl::StrCat("a size list of length ", v->len, " has no data"));
  }
  slot->size = *v;
  *type = SizeType();
  return absl::OkStatus();
}

absl::Status SetPointer(const abi::Function& function, const abi::Param& param, const ArgValue& value,
                        Slot* slot, ffi_type** type) {
  slot->pointer = nullptr;
  if (const auto* p = std::get_if<void*>(&value)) {
    slot->pointer = *p;
  } else if (!std::holds_alternative<ArgNull>(value)) {
    return Bad(function, param, absl::StrCat("takes a ", param.c_type(), ", not ", Held(value)));
  }
  if (slot->pointer == nullptr && !param.nullable()) return Bad(function, param, "may not be null");
  *type = &ffi_type_pointer;
  return absl::OkStatus();
}

absl::Status SetSlot(const abi::Function& function, const abi::Param& param, const ArgValue& value,
                     Slot* slot, ffi_type** type) {
  switch (param.kind()) {
    case abi::BOOL:
    case abi::INT:
    case abi::INT32:
    case abi::INT64:
    case abi::REDUCTION:
    case abi::ROUND_MODE:
    case abi::MEMORY_FORMAT:
      return SetInteger(function, param, value, slot, type);
    case abi::FLOAT:
    case abi::DOUBLE:
      return SetFloating(function, param, value, slot, type);
    case abi::SIZE:
      return SetSize(function, param, value, slot, type);
    case abi::KIND_UNSET:
    case abi::OTHER:
    case abi::CONTEXT:
      return Bad(function, param, "a parameter of this kind cannot be passed");
    default:
      return SetPointer(function, param, value, slot, type);
  }
}

// An array with a negative count, or no array with a positive one, would be read out of bounds.
absl::Status CheckCounts(const abi::Function& function, const std::vector<ArgValue>& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    const abi::Param& param = function.param(static_cast<int>(i) + 1);
    if (param.count().empty()) continue;
    for (size_t j = 0; j < args.size(); ++j) {
      if (function.param(static_cast<int>(j) + 1).name() != param.count()) continue;
      const auto* count = std::get_if<int64_t>(&args[j]);
      if (count != nullptr && *count < 0) {
        return Bad(function, param, absl::StrCat("its count '", param.count(), "' is ", *count));
      }
    }
  }
  return absl::OkStatus();
}

std::string CurrentExceptionType() {
  const std::type_info* type = ::abi::__cxa_current_exception_type();
  if (type == nullptr) return "a foreign exception";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      ::abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
  return name != nullptr ? name.get() : type->name();
}

CallResult Threw(const char* what) {
  CallResult result;
  result.kind = CallResult::Kind::kException;
  result.exception = CurrentExceptionType();
  if (what != nullptr) absl::StrAppend(&result.exception, ": ", what);
  return result;
}

CallResult Invoke(ffi_cif* cif, void* symbol, void** values) {
  ffi_arg returned = 0;
  try {
    ffi_call(cif, FFI_FN(symbol), &returned, values);
  } catch (::abi::__forced_unwind&) {
    throw;  // the thread is being cancelled
  } catch (const std::exception& e) {
    return Threw(e.what());
  } catch (const std::string& text) {
    return Threw(text.c_str());
  } catch (const char* text) {
    return Threw(text);
  } catch (...) {
    return Threw(nullptr);
  }
  CallResult result;
  result.error_code = static_cast<int32_t>(returned);
  return result;
}

// The values and the names are those of the generated diopi/diopirt.h.
#define DIOPI_ERROR(name) \
  { name, #name }
constexpr std::pair<int32_t, const char*> kErrors[] = {
    DIOPI_ERROR(diopiSuccess),
    DIOPI_ERROR(diopiErrorOccurred),
    DIOPI_ERROR(diopiNotInited),
    DIOPI_ERROR(diopiNoRegisteredStreamCreateFunction),
    DIOPI_ERROR(diopiNoRegisteredStreamDestoryFunction),
    DIOPI_ERROR(diopiNoRegisteredStreamSyncFunction),
    DIOPI_ERROR(diopiNoRegisteredDeviceMemoryMallocFunction),
    DIOPI_ERROR(diopiNoRegisteredDeviceMemoryFreeFunction),
    DIOPI_ERROR(diopiNoRegisteredDevice2DdeviceMemoryCopyFunction),
    DIOPI_ERROR(diopiNoRegisteredDevice2HostMemoryCopyFunction),
    DIOPI_ERROR(diopiNoRegisteredHost2DeviceMemoryCopyFunction),
    DIOPI_ERROR(diopiNoRegisteredGetLastErrorFunction),
    DIOPI_ERROR(diopi5DNotSupported),
    DIOPI_ERROR(diopiNoImplement),
    DIOPI_ERROR(diopiForceFallbackToCPU),
    DIOPI_ERROR(diopiDtypeNotSupported),
};
#undef DIOPI_ERROR

}  // namespace

absl::StatusOr<CallResult> CallFunction(void* symbol, const abi::Function& function,
                                        diopiContextHandle_t context, const std::vector<ArgValue>& args) {
  const size_t n = static_cast<size_t>(function.param_size());
  if (symbol == nullptr)
    return absl::InvalidArgumentError(absl::StrCat(function.name(), ": no symbol to call"));
  if (n == 0 || function.param(0).kind() != abi::CONTEXT || !function.result().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(function.name(), " is not an operator function"));
  }
  if (args.size() + 1 != n) {
    return absl::InvalidArgumentError(
        absl::StrCat(function.name(), " takes ", n - 1, " arguments after the context, not ", args.size()));
  }
  RETURN_IF_ERROR(CheckCounts(function, args));
  std::vector<Slot> slots(n);
  std::vector<ffi_type*> types(n);
  std::vector<void*> values(n);
  slots[0].pointer = context;
  types[0] = &ffi_type_pointer;
  values[0] = &slots[0];
  for (size_t i = 1; i < n; ++i) {
    RETURN_IF_ERROR(
        SetSlot(function, function.param(static_cast<int>(i)), args[i - 1], &slots[i], &types[i]));
    values[i] = &slots[i];
  }
  ffi_cif cif;
  // diopiError_t is an enum, which the calling convention treats as an int.
  if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, static_cast<unsigned>(n), &ffi_type_sint32, types.data()) !=
      FFI_OK) {
    return absl::InternalError(absl::StrCat(function.name(), ": libffi refuses the signature"));
  }
  return Invoke(&cif, symbol, values.data());
}

std::string ErrorName(int32_t code) {
  for (const auto& [known, name] : kErrors) {
    if (code == known) return name;
  }
  return absl::StrCat(code);
}

}  // namespace diopi::loader
