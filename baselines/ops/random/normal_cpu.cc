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

DIOPI_KERNEL(diopiNormal, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  FillNormal(result, Same(a.mean, result), Same(a.std, result), a.generator);
}

DIOPI_KERNEL(diopiNormalInp, a) {
  using namespace diopi::ops;
  const Tensor result(a.inout);
  FillNormal(result, Same(a.mean, result), Same(a.std, result), a.generator);
}

DIOPI_KERNEL(diopiNormalTensorScalar, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  FillNormal(result, LoadAs<double>(a.mean, result.shape()), Same(a.std, result), a.generator);
}

DIOPI_KERNEL(diopiNormalScalarTensor, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  FillNormal(result, Same(a.mean, result), LoadAs<double>(a.std, result.shape()), a.generator);
}

DIOPI_KERNEL(diopiNormalTensor, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  FillNormal(result, LoadAs<double>(a.mean, result.shape()), LoadAs<double>(a.std, result.shape()),
             a.generator);
}
