/* A framework's own runtime, which the tap must get along with; impl_loader/runtime would test itself.
   The runtime functions, and the program: tap_host LIBRARY MODEL STEPS [MOST_LOSS [THREADS]]
   Exit status: 0 every last loss is a number of at most MOST_LOSS; 1 it is not; 2 wrong usage; 3 a call
   failed. */
#include "host.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* library;

void* Find(const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol != NULL) return symbol;
  fprintf(stderr, "tap_host: the library has no %s\n", name);
  exit(3);
}

void Check(const char* name, diopiError_t error) {
  if (error == diopiSuccess) return;
  fprintf(stderr, "tap_host: %s returned %d\n", name, (int)error);
  exit(3);
}

static size_t ElementSize(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int64:
    case diopi_dtype_float64:
      return 8;
    case diopi_dtype_float32:
    case diopi_dtype_int32:
      return 4;
    default:
      return 1;
  }
}

static Tensor* Add(Context* context, Tensor* tensor) {
  if (context != NULL) {
    tensor->next = context->tensors;
    context->tensors = tensor;
  }
  return tensor;
}

static Tensor* Shaped(diopiDtype_t dtype, const int64_t* shape, int64_t dims) {
  Tensor* tensor = calloc(1, sizeof(Tensor));
  tensor->dtype = dtype;
  tensor->dims = dims;
  tensor->numel = 1;
  for (int64_t i = dims - 1; i >= 0; --i) {
    tensor->shape[i] = shape[i];
    tensor->stride[i] = tensor->numel;
    tensor->numel *= shape[i];
  }
  return tensor;
}

static Tensor* Allocated(Context* context, diopiDtype_t dtype, const int64_t* shape, int64_t dims) {
  Tensor* tensor = Shaped(dtype, shape, dims);
  tensor->owned = calloc((size_t)tensor->numel + 1, ElementSize(dtype));
  tensor->data = tensor->owned;
  return Add(context, tensor);
}

static int64_t Count(const int64_t* shape) {
  int64_t dims = 0;
  while (dims < kMostDims && shape[dims] > 0) ++dims;
  return dims;
}

Tensor* NewTensor(Context* context, diopiDtype_t dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
  const int64_t shape[kMostDims] = {a, b, c, d};
  return Allocated(context, dtype, shape, Count(shape));
}

Tensor* Floats(Context* context, int64_t a, int64_t b, int64_t c, int64_t d) {
  return NewTensor(context, diopi_dtype_float32, a, b, c, d);
}

Tensor* Scalar(Context* context, float value) {
  Tensor* tensor = Floats(context, 0, 0, 0, 0);
  memcpy(tensor->data, &value, sizeof(value));
  return tensor;
}

Tensor* View(Context* context, Tensor* of, int64_t a, int64_t b, int64_t c, int64_t d) {
  const int64_t shape[kMostDims] = {a, b, c, d};
  Tensor* tensor = Shaped(of->dtype, shape, Count(shape));
  tensor->data = of->data;
  return Add(context, tensor);
}

Tensor* Transposed(Context* context, Tensor* of) {
  Tensor* tensor = Shaped(of->dtype, of->shape, of->dims);
  const int64_t last = of->dims - 1;
  memcpy(tensor->stride, of->stride, sizeof(tensor->stride));
  tensor->shape[last] = of->shape[last - 1];
  tensor->shape[last - 1] = of->shape[last];
  tensor->stride[last] = of->stride[last - 1];
  tensor->stride[last - 1] = of->stride[last];
  tensor->data = of->data;
  return Add(context, tensor);
}

void FreeTensors(Context* context) {
  while (context->tensors != NULL) {
    Tensor* tensor = context->tensors;
    context->tensors = tensor->next;
    free(tensor->owned);
    free(tensor);
  }
}

/* What libraries and the tap import. */

const char* diopiGetVersion(void) {
  return "1.0.0";
}

diopiError_t diopiGetTensorData(diopiTensorHandle_t th, void** pptr) {
  *pptr = th->data;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void** pptr) {
  *pptr = th->data;
  return diopiSuccess;
}
diopiError_t diopiGetTensorShape(diopiConstTensorHandle_t th, diopiSize_t* size) {
  size->data = th->shape;
  size->len = th->dims;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStride(diopiConstTensorHandle_t th, diopiSize_t* stride) {
  stride->data = th->stride;
  stride->len = th->dims;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDtype(diopiConstTensorHandle_t th, diopiDtype_t* dtype) {
  *dtype = th->dtype;
  return diopiSuccess;
}
diopiError_t diopiGetTensorDevice(diopiConstTensorHandle_t th, diopiDevice_t* device) {
  (void)th;
  *device = diopi_device;
  return diopiSuccess;
}
diopiError_t diopiGetTensorNumel(diopiConstTensorHandle_t th, int64_t* numel) {
  *numel = th->numel;
  return diopiSuccess;
}
diopiError_t diopiGetTensorElemSize(diopiConstTensorHandle_t th, int64_t* itemsize) {
  *itemsize = (int64_t)ElementSize(th->dtype);
  return diopiSuccess;
}
diopiError_t diopiGetTensorStoragePtr(diopiConstTensorHandle_t th, void** pptr) {
  *pptr = th->data;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStorageOffset(diopiConstTensorHandle_t th, int64_t* offset) {
  (void)th;
  *offset = 0;
  return diopiSuccess;
}
diopiError_t diopiGetTensorStorageNbytes(diopiConstTensorHandle_t th, size_t* nbytes) {
  *nbytes = (size_t)th->numel * ElementSize(th->dtype);
  return diopiSuccess;
}
diopiError_t diopiGetTensorDeviceIndex(diopiConstTensorHandle_t th, diopiDeviceIndex_t* index) {
  (void)th;
  *index = 0;
  return diopiSuccess;
}
diopiError_t diopiGetCurrentDeviceIndex(diopiDeviceIndex_t* index) {
  *index = 0;
  return diopiSuccess;
}
diopiError_t diopiIsTensorSparse(diopiConstTensorHandle_t th, bool* is_sparse) {
  (void)th;
  *is_sparse = false;
  return diopiSuccess;
}
diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream) {
  static _Thread_local char
      own; /* each thread has a stream; the libraries of the tests compute on the host */
  (void)ctx;
  *stream = (diopiStreamHandle_t)&own;
  return diopiSuccess;
}
diopiError_t diopiRequireTensor(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor,
                                const diopiSize_t* size, const diopiSize_t* stride, const diopiDtype_t dtype,
                                const diopiDevice_t device) {
  (void)stride;
  (void)device;
  if (size->len > kMostDims) return diopiErrorOccurred;
  *tensor = Allocated(ctx, dtype, size->data, size->len);
  return diopiSuccess;
}
diopiError_t diopiRequireBuffer(diopiContextHandle_t ctx, diopiTensorHandle_t* tensor, int64_t num_bytes,
                                diopiDevice_t device) {
  const diopiSize_t size = {&num_bytes, 1};
  return diopiRequireTensor(ctx, tensor, &size, NULL, diopi_dtype_int8, device);
}

diopiError_t diopiGetTensorCrowIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* crow_indices) {
  (void)th;
  *crow_indices = NULL;
  return diopiErrorOccurred; /* no tensor is sparse */
}
diopiError_t diopiGetTensorColIndices(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* col_indices) {
  return diopiGetTensorCrowIndices(th, col_indices);
}
diopiError_t diopiGetTensorValues(diopiConstTensorHandle_t th, diopiConstTensorHandle_t* values) {
  return diopiGetTensorCrowIndices(th, values);
}

struct diopiGenerator {
  uint64_t seed;
  uint64_t offset;
};

diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t* seed, uint64_t* offset) {
  *seed = th != NULL ? th->seed : 0;
  *offset = th != NULL ? th->offset : 0;
  return diopiSuccess;
}
diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t seed, uint64_t offset) {
  if (th == NULL) return diopiSuccess;
  th->seed = seed;
  th->offset = offset;
  return diopiSuccess;
}

typedef struct {
  const char* model;
  int steps;
  int print;
  float loss;
} Training;

static void* Train(void* argument) {
  Training* training = argument;
  const int convolution = strcmp(training->model, "convolution") == 0;
  training->loss = convolution ? TrainConvolution(training->steps, training->print)
                               : TrainTransformer(training->steps, training->print);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: tap_host LIBRARY convolution|transformer STEPS [MOST_LOSS [THREADS]]\n");
    return 2;
  }
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "tap_host: %s\n", dlerror());
    return 2;
  }
  const float most = argc > 4 ? strtof(argv[4], NULL) : 1e30f;
  const int threads = argc > 5 ? atoi(argv[5]) : 1;
  Training trainings[64];
  pthread_t ids[64];
  if (threads < 1 || threads > 64) return 2;
  for (int i = 0; i < threads; ++i) {
    const Training training = {argv[2], atoi(argv[3]), i == 0, 0};
    trainings[i] = training;
    if (pthread_create(&ids[i], NULL, Train, &trainings[i]) != 0) return 2;
  }
  int good = 1;
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    good = good && trainings[i].loss <= most; /* false for NaN */
  }
  return good ? 0 : 1;
}
