// normal: mean + std * z, with mean and std as numbers or as tensors (broadcast to out).
#include "baselines/ops/random/random_common.h"

namespace diopi::ops {
namespace {

void FillNormal(const Tensor& out, const std::vector<double>& mean, const std::vector<double>& std,
                diopiGeneratorHandle_t generator) {
  for (const double s : std) Check(s >= 0, "std must not be negative, got ", s);
  FillRandom(out, generator, [&](Random& random, size_t i) { return mean[i] + std[i] * random.Normal(); });
}

std::vector<double> Same(double value, const Tensor& out) {
  return std::vector<double>(static_cast<size_t>(out.numel()), value);
}

}  // namespace
}  // namespace diopi::ops

extern "C" diopiError_t diopiNormal(diopiContextHandle_t, diopiTensorHandle_t out, double mean, double std,
                                    diopiGeneratorHandle_t generator) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out);
    FillNormal(result, Same(mean, result), Same(std, result), generator);
  });
}

extern "C" diopiError_t diopiNormalInp(diopiContextHandle_t, diopiTensorHandle_t inout, double mean,
                                       double std, diopiGeneratorHandle_t generator) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(inout);
    FillNormal(result, Same(mean, result), Same(std, result), generator);
  });
}

extern "C" diopiError_t diopiNormalTensorScalar(diopiContextHandle_t, diopiTensorHandle_t out,
                                                diopiConstTensorHandle_t mean, double std,
                                                diopiGeneratorHandle_t generator) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out);
    FillNormal(result, LoadAs<double>(mean, result.shape()), Same(std, result), generator);
  });
}

extern "C" diopiError_t diopiNormalScalarTensor(diopiContextHandle_t, diopiTensorHandle_t out, double mean,
                                                diopiConstTensorHandle_t std,
                                                diopiGeneratorHandle_t generator) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out);
    FillNormal(result, Same(mean, result), LoadAs<double>(std, result.shape()), generator);
  });
}

extern "C" diopiError_t diopiNormalTensor(diopiContextHandle_t, diopiTensorHandle_t out,
                                          diopiConstTensorHandle_t mean, diopiConstTensorHandle_t std,
                                          diopiGeneratorHandle_t generator) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out);
    FillNormal(result, LoadAs<double>(mean, result.shape()), LoadAs<double>(std, result.shape()), generator);
  });
}
