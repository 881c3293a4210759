// The recorder is the other side of a test: compiled C that received its arguments from the caller under test
// through the ABI's calling convention. It records bytes, not text, so that the test compares exactly what
// arrived. A function returns its own number, which shows that the right one was called.
#include "proto/abi/codegen/emit.h"

namespace diopi::abi {
namespace {

constexpr char kRecorderPrologue[] = R"(/* Written by the build from proto/abi; do not edit.
   A vendor library in which every operator appends what it was handed to a record:
     the function's name, then for each parameter its kind as one byte, and
       values          8 bytes: integers, enums and bool widened to int64_t; double; float's bits in an int64_t
       handles         8 bytes: the pointer
       diopiSize_t     pointer, length, elements
       pointers        pointer; when not null and read (IN, INOUT), the value behind it
       arrays          pointer, then `count` handles
       strings         pointer; when not null, length and bytes
   Out pointers are written with a value made from the parameter's position: see recorder_* below. A function
   returns its position among all functions as its error code. */
#define DIOPI_STRONG
#include <diopi/functions.h>
#include <diopi/functions_ext.h>
#include <diopi/functions_lmdeploy.h>
#include <diopi/functions_mmcv.h>
#include <diopi/functions_sparse.h>
#include <string.h>

DIOPI_API const unsigned char* recorder_data(void);
DIOPI_API size_t recorder_size(void);
DIOPI_API void recorder_reset(void);

static unsigned char record[1 << 16];
static size_t record_size;

const unsigned char* recorder_data(void) { return record; }
size_t recorder_size(void) { return record_size; }
void recorder_reset(void) { record_size = 0; }

static void put(const void* bytes, size_t n) {
  if (n > sizeof(record) - record_size) __builtin_trap();
  if (n > 0) memcpy(record + record_size, bytes, n);
  record_size += n;
}
static void put_kind(unsigned char kind) { put(&kind, 1); }
static void put_int(int64_t v) { put(&v, sizeof(v)); }
static void put_double(double v) { put(&v, sizeof(v)); }
static void put_float(float v) {
  int32_t bits;
  memcpy(&bits, &v, sizeof(bits));
  put_int(bits);
}
static void put_pointer(const void* p) { put(&p, sizeof(p)); }
static void put_size(diopiSize_t v) {
  put_pointer(v.data);
  put_int(v.len);
  if (v.data) put(v.data, (size_t)v.len * sizeof(int64_t));
}
static void put_size_pointer(const diopiSize_t* v) {
  put_pointer(v);
  if (v) put_size(*v);
}
static void put_scalar(const diopiScalar_t* v) {
  put_pointer(v);
  if (v) {
    put_int((int64_t)v->stype);
    put_int(v->ival);
  }
}
static void put_string(const char* v) {
  put_pointer(v);
  if (v) {
    put_int((int64_t)strlen(v));
    put(v, strlen(v));
  }
}
static void put_array(const void* array, int64_t count) {
  put_pointer(array);
  if (array) put(array, (size_t)count * sizeof(void*));
}
static void put_behind(const void* p, size_t n) {
  put_pointer(p);
  if (p) put(p, n);
}
static void begin(const char* name) { put(name, strlen(name)); }

/* What out pointers are written with. */
static void recorder_tensor(diopiTensorHandle_t* p, int position, int fills) {
  for (int i = 0; p && i < fills; ++i) p[i] = (diopiTensorHandle_t)(uintptr_t)(0x5EED0000 + 100 * i + position);
}
static void recorder_int64(int64_t* p, int position) {
  if (p) *p = -1000 - position;
}
static void recorder_double(double* p, int position) {
  if (p) *p = 0.5 + position;
}
static void recorder_bool(bool* p, int position) {
  if (p) *p = position >= 0;
}

/* Not every helper is needed by every ABI. */
void recorder_unused(void);
void recorder_unused(void) {
  (void)put_float;
  (void)put_double;
  (void)put_behind;
  (void)recorder_tensor;
  (void)recorder_int64;
  (void)recorder_double;
  (void)recorder_bool;
}

)";

std::string Behind(const Param& p, const char* type) {
  if (p.direction() == OUT) return "put_pointer(" + p.name() + ")";
  return "put_behind(" + p.name() + ", sizeof(" + type + "))";
}

std::string Put(const Param& p) {
  const std::string& name = p.name();
  switch (p.kind()) {
    case SIZE:
      return "put_size(" + name + ")";
    case SIZE_POINTER:
      return "put_size_pointer(" + name + ")";
    case SCALAR_POINTER:
      return "put_scalar(" + name + ")";
    case STRING:
      return "put_string(" + name + ")";
    case TENSOR_ARRAY:
    case CONST_TENSOR_ARRAY:
    case GENERATOR_ARRAY:
      return "put_array(" + name + ", (int64_t)" + p.count() + ")";
    case BOOL:
    case INT:
    case INT32:
    case INT64:
    case REDUCTION:
    case ROUND_MODE:
    case MEMORY_FORMAT:
      return "put_int((int64_t)" + name + ")";
    case FLOAT:
      return "put_float(" + name + ")";
    case DOUBLE:
      return "put_double(" + name + ")";
    case BOOL_POINTER:
      return Behind(p, "bool");
    case INT64_POINTER:
      return Behind(p, "int64_t");
    case DOUBLE_POINTER:
      return Behind(p, "double");
    default:
      return "put_pointer(" + name + ")";
  }
}

std::string Write(const Param& p, int position) {
  if (p.direction() == IN) return "";
  const std::string args = "(" + p.name() + ", " + std::to_string(position) + ");\n";
  switch (p.kind()) {
    case TENSOR_POINTER:
      return "  recorder_tensor(" + p.name() + ", " + std::to_string(position) + ", " +
             std::to_string(p.fills() == 0 ? 1 : p.fills()) + ");\n";
    case INT64_POINTER:
      return "  recorder_int64" + args;
    case DOUBLE_POINTER:
      return "  recorder_double" + args;
    case BOOL_POINTER:
      return "  recorder_bool" + args;
    default:
      return "";
  }
}

std::string Definition(const Function& function, int index) {
  std::string text = "diopiError_t " + function.name() + "(";
  std::string body = "  begin(\"" + function.name() + "\");\n";
  std::string writes;
  for (int i = 0; i < function.param_size(); ++i) {
    const Param& p = function.param(i);
    text += (i > 0 ? ", " : "") + p.c_type() + " " + p.name();
    body += "  put_kind(" + std::to_string(p.kind()) + ");\n  " + Put(p) + ";\n";
    writes += Write(p, i);
  }
  return text + ") {\n" + body + writes + "  return (diopiError_t)" + std::to_string(index) + ";\n}\n\n";
}

}  // namespace

std::string RecorderSource(const Abi& abi) {
  std::string text = kRecorderPrologue;
  int index = 0;
  for (const Header& header : abi.operators()) {
    for (const Function& function : header.function()) text += Definition(function, index++);
  }
  return text;
}

}  // namespace diopi::abi
