// Marks functions that also run on a GPU: formulas and index arithmetic that the CPU reference, the NVIDIA
// reference and their tests share.
#ifndef BASELINES_OPS_SUPPORT_HD_H_
#define BASELINES_OPS_SUPPORT_HD_H_

#if defined(__CUDACC__)
#define DIOPI_HD __host__ __device__
#else
#define DIOPI_HD
#endif

#endif  // BASELINES_OPS_SUPPORT_HD_H_
