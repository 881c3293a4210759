/* A minimal host for a DIOPI library: tensors, a context, a generator, and memory of the library's own
   device when it has one. */
#define _GNU_SOURCE
#include <diopi/diopirt.h>
#include <diopi/functions.h>
#include <diopi/functions_ext.h>
#include <diopi/functions_lmdeploy.h>
#include <diopi/functions_mmcv.h>
#include <diopi/functions_sparse.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANK 16
#define SHOWN 8 /* elements of each output */

struct diopiTensor {
  diopiDtype_t dtype;
  diopiDevice_t device;
  int64_t rank, shape[MAX_RANK], strides[MAX_RANK];
  int64_t offset, numel, itemsize;
  size_t bytes;
  void* storage; /* the library works on it */
  void* host;    /* its mirror on the host; the same when the library has no device */
  /* of a sparse matrix, which has no storage: row starts, column indices, values */
  diopiConstTensorHandle_t row_starts, columns, values;
};
struct diopiContext {
  diopiStreamHandle_t stream;
};
struct diopiGenerator {
  uint64_t seed, offset;
};

static struct diopiContext context;
static struct diopiGenerator default_generator = {2026, 0};

/* The device's functions, of either dialect; null: host memory. */
static diopiDeviceMallocFunc_t device_malloc_fn;
static diopiMemcpyFunc_t copy_h2d_fn, copy_d2h_fn;
static diopiStreamCreateFunc_t make_stream_fn;
static diopiStreamSyncFunc_t synchronize_fn;

const char* diopiGetVersion(void) {
  return "1.0.0";
}

static int64_t item_size(diopiDtype_t dtype) {
  static const int64_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1, 2, 4, 4, 8, 16};
  return (unsigned)dtype < sizeof(sizes) / sizeof(sizes[0]) ? sizes[dtype] : 1;
}

static void* allocate(size_t bytes) {
  void* memory = calloc(1, bytes + 64);
  if (memory == NULL) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(3);
  }
  return memory;
}

/* `strides` null: contiguous. `elements` 0: as many as the tensor has. */
static diopiTensorHandle_t make_tensor(diopiDtype_t dtype, int64_t rank, const int64_t* shape,
                                       const int64_t* strides, int64_t offset, int64_t elements,
                                       diopiDevice_t device) {
  struct diopiTensor* t = allocate(sizeof(*t));
  int64_t step = 1;
  if (rank > MAX_RANK) {
    fprintf(stderr, "a tensor of %" PRId64 " dimensions\n", rank);
    exit(3);
  }
  t->dtype = dtype;
  t->device = device;
  t->rank = rank;
  t->offset = offset;
  t->numel = 1;
  t->itemsize = item_size(dtype);
  for (int64_t i = rank - 1; i >= 0; --i) {
    t->shape[i] = shape[i];
    t->strides[i] = strides != NULL ? strides[i] : step;
    step *= shape[i] > 1 ? shape[i] : 1;
    t->numel *= shape[i];
  }
  t->bytes = (size_t)((elements > 0 ? elements : t->numel) * t->itemsize);
  t->host = allocate(t->bytes);
  t->storage = t->host;
  if (device == diopi_device && device_malloc_fn != NULL) t->storage = device_malloc_fn(t->bytes + 64);
  return t;
}

static diopiTensorHandle_t make_sparse(int64_t rows, int64_t columns, diopiTensorHandle_t row_starts,
                                       diopiTensorHandle_t column_indices, diopiTensorHandle_t values) {
  struct diopiTensor* t = allocate(sizeof(*t));
  t->dtype = values->dtype;
  t->device = values->device;
  t->rank = 2;
  t->shape[0] = rows;
  t->shape[1] = t->strides[0] = columns;
  t->strides[1] = 1;
  t->numel = rows * columns;
  t->itemsize = values->itemsize;
  t->row_starts = row_starts;
  t->columns = column_indices;
  t->values = values;
  return t;
}

/* `data` null: an output, whose memory holds poison until the library writes it. */
static void upload(diopiTensorHandle_t t, const void* data) {
  if (data != NULL) memcpy(t->host, data, t->bytes);
  if (data == NULL) memset(t->host, 0xA5, t->bytes);
  if (t->storage != t->host) copy_h2d_fn(context.stream, t->storage, t->host, t->bytes);
}

static void synchronize(void) {
  if (synchronize_fn != NULL && synchronize_fn(context.stream) != 0) printf("synchronising failed\n");
}

static void download(diopiTensorHandle_t t) {
  if (t->storage != t->host) copy_d2h_fn(context.stream, t->host, t->storage, t->bytes);
  synchronize();
}

diopiError_t diopiGetTensorData(diopiTensorHandle_t t, void** data) {
  *data = (char*)t->storage + t->offset * t->itemsize;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t t, const void** data) {
  *data = (const char*)t->storage + t->offset * t->itemsize;
  return diopiSuccess;
}
diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t t, diopiSize_t* size) {
  size->data = t->shape;
  size->len = t->rank;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t t, diopiSize_t* stride) {
  stride->data = t->strides;
  stride->len = t->rank;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t t, diopiDtype_t* dtype) {
  *dtype = t->dtype;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t t, diopiDevice_t* device) {
  *device = t->device;
  return diopiSuccess;
}
diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t t, int64_t* numel) {
  *numel = t->numel;
  return diopiSuccess;
}
diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t t, int64_t* size) {
  *size = t->itemsize;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t t, void** data) {
  *data = t->storage;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t t, int64_t* offset) {
  *offset = t->offset;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t t, size_t* bytes) {
  *bytes = t->bytes;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t t, diopiDeviceIndex_t* index) {
  (void)t;
  *index = 0;
  return diopiSuccess;
}
static diopiError_t part_of(diopiConstTensorHandle_t value, diopiConstTensorHandle_t* part) {
  *part = value;
  return value != NULL ? diopiSuccess : diopiErrorOccurred;
}
diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t t, diopiConstTensorHandle_t* part) {
  return part_of(t->row_starts, part);
}
diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t t, diopiConstTensorHandle_t* part) {
  return part_of(t->columns, part);
}
diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t t, diopiConstTensorHandle_t* part) {
  return part_of(t->values, part);
}
diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t t, bool* sparse) {
  *sparse = t->row_starts != NULL;
  return diopiSuccess;
}
diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* index) {
  *index = 0;
  return diopiSuccess;
}
diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream) {
  *stream = ctx->stream;
  return diopiSuccess;
}
diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                const diopiSize_t* size, const diopiSize_t* stride, const diopiDtype_t dtype,
                                const diopiDevice_t device) {
  const int64_t* strides = stride != NULL ? stride->data : NULL;
  int64_t elements = 1;
  (void)ctx;
  for (int64_t i = 0; i < size->len && strides != NULL; ++i) {
    if (size->data[i] > 0) elements += (size->data[i] - 1) * strides[i];
  }
  *tensor = make_tensor(dtype, size->len, size->data, strides, 0, strides != NULL ? elements : 0, device);
  return diopiSuccess;
}
diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t bytes,
                                diopiDevice_t device) {
  (void)ctx;
  *tensor = make_tensor(diopi_dtype_int8, 1, &bytes, NULL, 0, 0, device);
  return diopiSuccess;
}
diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t g, uint64_t* seed, uint64_t* offset) {
  if (g == NULL) g = &default_generator;
  *seed = g->seed;
  *offset = g->offset;
  return diopiSuccess;
}
diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t g, uint64_t seed, uint64_t offset) {
  if (g == NULL) g = &default_generator;
  g->seed = seed;
  g->offset = offset;
  return diopiSuccess;
}
diopiError_t diopiGeneratorGetState(diopiContextHandle_t ctx, diopiConstGeneratorHandle_t g,
                                    diopiTensorHandle_t* data) {
  const int64_t bytes = sizeof(*g);
  (void)ctx;
  *data = make_tensor(diopi_dtype_uint8, 1, &bytes, NULL, 0, 0, diopi_host);
  memcpy((*data)->host, g != NULL ? g : &default_generator, sizeof(*g));
  return diopiSuccess;
}
diopiError_t diopiGeneratorSetState(diopiGeneratorHandle_t g, diopiConstTensorHandle_t state) {
  memcpy(g != NULL ? g : &default_generator, state->host, sizeof(*g));
  return diopiSuccess;
}
diopiError_t diopiRecordStart(const char* name, void** record) {
  (void)name;
  (void)record;
  return diopiSuccess;
}
diopiError_t diopiRecordEnd(void** record) {
  (void)record;
  return diopiSuccess;
}
diopiError_t diopiRegisterStreamCreateFunc(diopiStreamCreateFunc_t f) {
  make_stream_fn = f;
  return diopiSuccess;
}
diopiError_t diopiRegisterStreamDestroyFunc(diopiStreamDestroyFunc_t f) {
  (void)f;
  return diopiSuccess;
}
diopiError_t diopiRegisterSynchronizeStreamFunc(diopiStreamSyncFunc_t f) {
  synchronize_fn = f;
  return diopiSuccess;
}
diopiError_t diopiRegisterDeviceMallocFunc(diopiDeviceMallocFunc_t f) {
  device_malloc_fn = f;
  return diopiSuccess;
}
diopiError_t diopiRegisterDevMemFreeFunc(diopiDeviceFreeFunc_t f) {
  (void)f;
  return diopiSuccess;
}
diopiError_t diopiRegisterMemcpyH2DAsyncFunc(diopiMemcpyFunc_t f) {
  copy_h2d_fn = f;
  return diopiSuccess;
}
diopiError_t diopiRegisterMemcpyD2HAsyncFunc(diopiMemcpyFunc_t f) {
  copy_d2h_fn = f;
  return diopiSuccess;
}
diopiError_t diopiRegisterMemcpyD2DAsyncFunc(diopiMemcpyFunc_t f) {
  (void)f;
  return diopiSuccess;
}
diopiError_t diopiRegisterGetLastErrorFunc(diopiLastErrorFunc_t f) {
  (void)f;
  return diopiSuccess;
}

static double half_value(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
  return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

/* The i-th element in row-major order. */
static const void* element(diopiConstTensorHandle_t t, int64_t i) {
  int64_t at = t->offset;
  for (int64_t d = t->rank - 1; d >= 0; --d) {
    at += i % t->shape[d] * t->strides[d];
    i /= t->shape[d];
  }
  return (const char*)t->host + at * t->itemsize;
}

/* A long double holds every 64-bit integer. */
static long double value_of(diopiDtype_t dtype, const void* p) {
#define READ(type)            \
  {                           \
    type v;                   \
    memcpy(&v, p, sizeof(v)); \
    return (long double)v;    \
  }
  switch (dtype) {
    case diopi_dtype_int8:
      READ(int8_t)
    case diopi_dtype_uint8:
    case diopi_dtype_bool:
      READ(uint8_t)
    case diopi_dtype_int16:
      READ(int16_t)
    case diopi_dtype_uint16:
      READ(uint16_t)
    case diopi_dtype_int32:
      READ(int32_t)
    case diopi_dtype_uint32:
      READ(uint32_t)
    case diopi_dtype_int64:
      READ(int64_t)
    case diopi_dtype_uint64:
      READ(uint64_t)
    case diopi_dtype_float32:
    case diopi_dtype_tfloat32:
      READ(float)
    case diopi_dtype_float64:
      READ(double)
    case diopi_dtype_float16: {
      uint16_t v;
      memcpy(&v, p, sizeof(v));
      return half_value(v);
    }
    case diopi_dtype_bfloat16: {
      uint32_t v = 0;
      float f;
      memcpy((char*)&v + 2, p, 2);
      memcpy(&f, &v, sizeof(f));
      return f;
    }
    default:
      return NAN;
  }
#undef READ
}

static int is_floating(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16 || dtype == diopi_dtype_float32 ||
         dtype == diopi_dtype_float64;
}

/* One output: the expected elements, and those of the first call. */
struct output {
  const char* name;
  int64_t count; /* of `values` */
  const long double* values;
  const double* tolerances; /* null: every element must match exactly */
  bool judged;              /* the elements are compared with `values` */
  bool repeats;             /* equal calls must give equal outputs */
  bool may_flush;           /* a subnormal result may come out as zero */
  char* first;
};

static int64_t mismatches, differences;

/* The rule by which diopi-conformance judges single elements. */
static bool matches(const struct output* o, diopiDtype_t dtype, long double y, int64_t i) {
  const long double r = o->values[i];
  const bool narrow = dtype == diopi_dtype_float32 || dtype == diopi_dtype_bfloat16;
  const long double overflow = dtype == diopi_dtype_float16 ? 65536
                               : narrow                     ? 0x1p128L
                                                            : (long double)INFINITY;
  long double clipped = r;
  if (isnan(r) || isnan(y)) return isnan(r) && isnan(y);
  if (isinf(r)) return y == r;
  if (o->may_flush && narrow && y == 0 && fabsl(r) < 0x1p-126L) return true;
  if (o->tolerances == NULL) return y == r && (!is_floating(dtype) || !signbit(y) == !signbit(r));
  if (fabsl(r) > overflow) clipped = copysignl(overflow, r);
  if (isinf(y)) y = copysignl(overflow, y);
  return fabsl(y - clipped) <= o->tolerances[i];
}

static void print_value(diopiDtype_t dtype, long double value) {
  printf(is_floating(dtype) ? "%.17Lg" : "%.0Lf", value);
}

/* Prints the first elements, and the first of those that do not match. */
static void judge(const struct output* o, diopiTensorHandle_t t) {
  int64_t wrong = 0;
  printf("%s: dtype %d, shape (", o->name, (int)t->dtype);
  for (int64_t i = 0; i < t->rank; ++i) printf("%s%" PRId64, i > 0 ? ", " : "", t->shape[i]);
  printf(")\n");
  if (o->judged && t->numel != o->count) {
    printf("  MISMATCH: %" PRId64 " elements, expected %" PRId64 "\n", t->numel, o->count);
    ++mismatches;
    return;
  }
  for (int64_t i = 0; i < t->numel && i < o->count; ++i) {
    const long double y = value_of(t->dtype, element(t, i));
    const bool bad = o->judged && !matches(o, t->dtype, y, i);
    wrong += bad;
    if (i >= SHOWN && !(bad && wrong <= SHOWN)) continue;
    printf("  [%" PRId64 "] ", i);
    print_value(t->dtype, y);
    printf("   expected ");
    print_value(t->dtype, o->values[i]);
    if (o->judged && o->tolerances != NULL) printf(", tolerance %.3g", o->tolerances[i]);
    printf("%s\n", bad ? "   MISMATCH" : "");
  }
  if (wrong > 0) printf("  MISMATCH: %" PRId64 " of %" PRId64 " elements\n", wrong, o->count);
  if (!o->judged) printf("  (not compared: its elements are not judged one by one)\n");
  mismatches += wrong;
}

/* After each call. */
static void inspect(struct output* o, diopiTensorHandle_t t) {
  const bool first = o->first == NULL;
  int64_t differing = 0;
  if (t == NULL) {
    printf("%s: no tensor\n", o->name);
    mismatches += o->judged;
    return;
  }
  download(t);
  if (first) judge(o, t);
  if (first) o->first = allocate((size_t)(t->numel * t->itemsize));
  for (int64_t i = 0; i < t->numel && (first || o->repeats); ++i) {
    char* before = o->first + i * t->itemsize;
    if (!first) differing += memcmp(before, element(t, i), (size_t)t->itemsize) != 0;
    if (first) memcpy(before, element(t, i), (size_t)t->itemsize);
  }
  if (differing > 0 && differences == 0) {
    printf("%s: %" PRId64 " elements DIFFER from those of the first call\n", o->name, differing);
  }
  differences += differing;
}

static void* load(const char* path) {
  int32_t (*init)(void);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  *(void**)&init = dlsym(library, "initLibrary");
  if (init != NULL) init();
  if (dlsym(library, "device_malloc") != NULL) {
    *(void**)&device_malloc_fn = dlsym(library, "device_malloc");
    *(void**)&copy_h2d_fn = dlsym(library, "device_memcpy_h2d_async");
    *(void**)&copy_d2h_fn = dlsym(library, "device_memcpy_d2h_async");
    *(void**)&make_stream_fn = dlsym(library, "device_make_stream");
    *(void**)&synchronize_fn = dlsym(library, "device_synchronize_stream");
  }
  if (make_stream_fn != NULL) make_stream_fn(&context.stream);
  return library;
}

static void report_error(void* library, diopiError_t error) {
  const char* (*last_error)(void);
  printf("returned %d\n", (int)error);
  *(void**)&last_error = dlsym(library, "diopiGetLastErrorString");
  if (error != diopiSuccess && last_error != NULL) printf("last error: %s\n", last_error());
}

/* The exit status: 0 the outputs are right, 1 they are not, 2 the library cannot be loaded, 3 no memory. */
static int conclude(int calls) {
  printf("%s after %d calls: %" PRId64 " elements do not match, %" PRId64 " differ between calls\n",
         mismatches + differences > 0 ? "FAILED" : "PASSED", calls, mismatches, differences);
  return mismatches + differences > 0;
}
