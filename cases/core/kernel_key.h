// Names the matrix product or convolution that a call is, in the words of published benchmarks of kernels, so
// that times of a call can be compared with theirs.
#ifndef CASES_CORE_KERNEL_KEY_H_
#define CASES_CORE_KERNEL_KEY_H_

#include <string>

#include "diopi/v1/case.pb.h"

namespace diopi::cases {

// "gemm float16 M=8 N=16 K=32 transA=0 transB=1": out[M,N] = A B, where transA and transB say which operand
// lies transposed in memory (a linear layer's weight does). "conv float16 W=224 H=224 C=3 N=8 OutC=64 kw=3
// kh=3 pw=1 ph=1 sh=1 sv=1": the forward convolution without groups and dilation. Empty for other calls.
std::string KernelKey(const v1::Case& c);

}  // namespace diopi::cases

#endif  // CASES_CORE_KERNEL_KEY_H_
