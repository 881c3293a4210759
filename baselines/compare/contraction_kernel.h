// The inner loops of contraction.cc, with the processor's widest registers.
#ifndef BASELINES_COMPARE_CONTRACTION_KERNEL_H_
#define BASELINES_COMPARE_CONTRACTION_KERNEL_H_

#include <cstddef>

namespace diopi::baselines {

// Neighbouring elements, at any address, as doubles.
void WidenFloat32(const char* data, size_t count, double* out);
void WidenBfloat16(const char* data, size_t count, double* out);

double Dot(const double* a, const double* b, size_t count);
void AddScaled(double weight, const double* values, size_t count, double* sums);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_CONTRACTION_KERNEL_H_
