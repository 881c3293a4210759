/* A host of its own: the runtime functions of the ABI over plain memory, in C, with no part of ours but the
   generated headers. It stands for a training framework in the tests of the tap. */
#ifndef CLIENT_TESTING_TAP_HOST_HOST_H_
#define CLIENT_TESTING_TAP_HOST_HOST_H_

#include <diopi/diopirt.h>
#include <diopi/functions.h>
#include <stdint.h>

enum { kMostDims = 4 };

struct diopiTensor {
  int64_t shape[kMostDims];
  int64_t stride[kMostDims];
  int64_t dims;
  int64_t numel;
  diopiDtype_t dtype;
  char* data;
  char* owned; /* null: a view of another tensor's memory */
  struct diopiTensor* next;
};
typedef struct diopiTensor Tensor;

struct diopiContext {
  Tensor* tensors; /* all that live until the end of a step */
};
typedef struct diopiContext Context;

/* Zeros in a shape that ends with the first 0. Freed by FreeTensors, unless `context` is null. */
Tensor* NewTensor(Context* context, diopiDtype_t dtype, int64_t a, int64_t b, int64_t c, int64_t d);
Tensor* Floats(Context* context, int64_t a, int64_t b, int64_t c, int64_t d);
Tensor* Scalar(Context* context, float value);
/* The same memory in another shape; with the last two dimensions exchanged. */
Tensor* View(Context* context, Tensor* tensor, int64_t a, int64_t b, int64_t c, int64_t d);
Tensor* Transposed(Context* context, Tensor* tensor);
void FreeTensors(Context* context);

/* The library's function of that name; ends the program when there is none. */
void* Find(const char* name);
/* Ends the program when a call failed. */
void Check(const char* name, diopiError_t error);

#define CALL(name, ...)                   \
  do {                                    \
    __typeof__(&name) function_;          \
    *(void**)&function_ = Find(#name);    \
    Check(#name, function_(__VA_ARGS__)); \
  } while (0)

/* Trains for some steps from a fixed start and returns the last loss. Prints "MODEL step N loss L" for each
   when `print`. Thread-safe. */
float TrainConvolution(int steps, int print);
float TrainTransformer(int steps, int print);

#endif /* CLIENT_TESTING_TAP_HOST_HOST_H_ */
