// Types and enums are text in kTypes, as they never change; functions are made from the ABI's data. The
// library's functions are weak symbols, so that a program linked without a library starts and sees null
// pointers. The numbers in kTypes are those that vendors' libraries were built with and must stay.
#include <cctype>
#include <cstdio>

#include "proto/abi/codegen/emit.h"

namespace diopi::abi {
namespace {

constexpr char kTypes[] = R"(#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define DIOPI_EXTERN_C extern "C"
#else
#define DIOPI_EXTERN_C extern
#endif

/* What the host provides. */
#define DIOPI_RT_API DIOPI_EXTERN_C __attribute__((visibility("default")))

/* What a library provides: weak, so that a program linked without it sees a null pointer. Define
   DIOPI_STRONG to define strong symbols instead. */
#if defined(DIOPI_STRONG)
#define DIOPI_API DIOPI_EXTERN_C __attribute__((visibility("default")))
#else
#define DIOPI_API DIOPI_EXTERN_C __attribute__((weak, visibility("default")))
#endif

#define DIOPI_VER_MAJOR 1
#define DIOPI_VER_MINOR 0
#define DIOPI_VER_PATCH 0

typedef enum {
  diopiSuccess = 0,
  diopiErrorOccurred = 1,
  diopiNotInited = 2,
  diopiNoRegisteredStreamCreateFunction = 3,
  diopiNoRegisteredStreamDestoryFunction = 4,
  diopiNoRegisteredStreamSyncFunction = 5,
  diopiNoRegisteredDeviceMemoryMallocFunction = 6,
  diopiNoRegisteredDeviceMemoryFreeFunction = 7,
  diopiNoRegisteredDevice2DdeviceMemoryCopyFunction = 8,
  diopiNoRegisteredDevice2HostMemoryCopyFunction = 9,
  diopiNoRegisteredHost2DeviceMemoryCopyFunction = 10,
  diopiNoRegisteredGetLastErrorFunction = 11,
  diopi5DNotSupported = 12,
  diopiNoImplement = 13,
  diopiForceFallbackToCPU = 14,
  diopiDtypeNotSupported = 1000
} diopiError_t;

typedef enum { diopi_host = 0, diopi_device = 1 } diopiDevice_t;

typedef enum {
  diopi_dtype_int8 = 0,
  diopi_dtype_uint8 = 1,
  diopi_dtype_int16 = 2,
  diopi_dtype_uint16 = 3,
  diopi_dtype_int32 = 4,
  diopi_dtype_uint32 = 5,
  diopi_dtype_int64 = 6,
  diopi_dtype_uint64 = 7,
  diopi_dtype_float16 = 8,
  diopi_dtype_float32 = 9,
  diopi_dtype_float64 = 10,
  diopi_dtype_bool = 11,
  diopi_dtype_bfloat16 = 12,
  diopi_dtype_tfloat32 = 13,
  diopi_dtype_complex32 = 14,
  diopi_dtype_complex64 = 15,
  diopi_dtype_complex128 = 16,
  diopi_dtype_unsupported = 255
} diopiDtype_t;

typedef enum {
  Contiguous = 0,
  ChannelsLast = 1,
  ChannelsLast3d = 2,
  Preserve = 3,
  ChannelsLast1d = 4
} diopiMemoryFormat_t;

typedef enum { ReductionNone = 0, ReductionMean = 1, ReductionSum = 2 } diopiReduction_t;

typedef enum { RoundModeNone = 0, RoundModeTrunc = 1, RoundModeFloor = 2 } diopiRoundMode_t;

typedef int8_t diopiDeviceIndex_t;

/* Not owned; by value in most functions. */
typedef struct diopiSize_t {
  const int64_t* data;
  int64_t len;
} diopiSize_t;

typedef struct diopiScalar_t {
  diopiDtype_t stype;
  union {
    double fval;
    int64_t ival;
  };
} diopiScalar_t;

typedef struct diopiContext* diopiContextHandle_t;
typedef struct diopiTensor* diopiTensorHandle_t;
typedef const struct diopiTensor* diopiConstTensorHandle_t;
typedef struct diopiGenerator* diopiGeneratorHandle_t;
typedef const struct diopiGenerator* diopiConstGeneratorHandle_t;
typedef void* diopiStreamHandle_t;

/* What a library of the older device dialect registers from its initLibrary. */
typedef int32_t (*diopiStreamCreateFunc_t)(diopiStreamHandle_t* stream);
typedef int32_t (*diopiStreamDestroyFunc_t)(diopiStreamHandle_t stream);
typedef int32_t (*diopiStreamSyncFunc_t)(diopiStreamHandle_t stream);
typedef void* (*diopiDeviceMallocFunc_t)(uint64_t bytes);
typedef void (*diopiDeviceFreeFunc_t)(void* ptr);
typedef int32_t (*diopiMemcpyFunc_t)(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes);
typedef const char* (*diopiLastErrorFunc_t)(void);
)";

std::string Guard(const std::string& file) {
  std::string guard = "DIOPI_";
  for (char c : file)
    guard += std::isalnum(static_cast<unsigned char>(c)) != 0
                 ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                 : '_';
  return guard + "_";
}

std::string Open(const std::string& file) {
  const std::string guard = Guard(file);
  return "/* Written by the build from proto/abi; do not edit. */\n#ifndef " + guard + "\n#define " + guard +
         "\n\n";
}

std::string Close(const std::string& file) {
  return "\n#endif /* " + Guard(file) + " */\n";
}

std::string Declaration(const Function& function, const std::string& linkage) {
  std::string text;
  if (!function.doc().empty()) text += "/* " + function.doc() + " */\n";
  const std::string result = function.result().empty() ? "diopiError_t" : function.result();
  text += linkage + " " + result + " " + function.name() + "(";
  for (int i = 0; i < function.param_size(); ++i) {
    if (i > 0) text += ", ";
    text += function.param(i).c_type() + " " + function.param(i).name();
  }
  if (function.param_size() == 0) text += "void";
  return text + ");\n";
}

std::string Declarations(const Header& header, const std::string& linkage) {
  std::string text;
  for (const Function& function : header.function()) text += Declaration(function, linkage);
  return text;
}

}  // namespace

std::string RuntimeHeader(const Header& runtime) {
  return Open(runtime.file()) + kTypes + "\n" + Declarations(runtime, "DIOPI_RT_API") + Close(runtime.file());
}

std::string OperatorHeader(const Header& header, const Header* meta) {
  std::string text = Open(header.file()) + "#include <diopi/diopirt.h>\n\n";
  if (meta != nullptr) text += Declarations(*meta, "DIOPI_API") + "\n";
  return text + Declarations(header, "DIOPI_API") + Close(header.file());
}

std::string DeviceHeader(const Header& device) {
  return Open(device.file()) + "#include <diopi/diopirt.h>\n\n" + Declarations(device, "DIOPI_API") +
         Close(device.file());
}

std::string BlobSource(const Abi& abi) {
  const std::string bytes = abi.SerializeAsString();
  std::string text =
      "// Written by the build from proto/abi; do not edit.\n#include \"proto/abi/abi_data.h\"\n\n"
      "namespace diopi::abi {\n\nconst unsigned char kAbiData[] = {";
  char number[8];
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::snprintf(number, sizeof(number), "%u,", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
    if (i % 32 == 0) text += "\n";
    text += number;
  }
  return text + "};\nconst std::size_t kAbiDataSize = " + std::to_string(bytes.size()) +
         ";\n\n}  // namespace diopi::abi\n";
}

}  // namespace diopi::abi
