// The inner loops of contraction.cc, with the processor's widest registers.
#ifndef BASELINES_COMPARE_CONTRACTION_KERNEL_H_
#define BASELINES_COMPARE_CONTRACTION_KERNEL_H_

#include <cstddef>

#include "cases/base/dtype.h"

namespace diopi::baselines {

// Both take neighbouring elements of float32, bfloat16 or float64, at any address.
double Dot(Dtype dtype, const char* data, const double* weights, size_t count);
void AddScaled(Dtype dtype, double weight, const char* data, size_t count, double* sums);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_CONTRACTION_KERNEL_H_
