// Computes nothing: prints the dtype, shape and strides of every tensor that it receives, one per line, and
// returns NoImplement.
#include <cstdio>
#include <string>

#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions.h"

namespace {

std::string Text(const diopiSize_t& size) {
  std::string text;
  for (int64_t i = 0; i < size.len; ++i) {
    if (i > 0) text.push_back(',');
    text.append(std::to_string(size.data[i]));
  }
  return text;
}

void Log(const char* function, const char* name, diopiConstTensorHandle_t tensor) {
  if (tensor == nullptr) return;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  diopiSize_t shape{};
  diopiSize_t strides{};
  diopiGetTensorDtype(tensor, &dtype);
  diopiGetTensorShape(tensor, &shape);
  diopiGetTensorStride(tensor, &strides);
  std::fprintf(stderr, "tensor %s %s dtype=%d shape=(%s) strides=(%s)\n", function, name,
               static_cast<int>(dtype), Text(shape).c_str(), Text(strides).c_str());
  std::fflush(stderr);
}

}  // namespace

diopiError_t diopiConvolution2d(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                                diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, diopiSize_t,
                                diopiSize_t, diopiSize_t, int64_t) {
  Log("conv2d", "out", out);
  Log("conv2d", "input", input);
  Log("conv2d", "weight", weight);
  Log("conv2d", "bias", bias);
  return diopiNoImplement;
}

diopiError_t diopiIndexSelect(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              int64_t, diopiConstTensorHandle_t index) {
  Log("index_select", "out", out);
  Log("index_select", "input", input);
  Log("index_select", "index", index);
  return diopiNoImplement;
}
