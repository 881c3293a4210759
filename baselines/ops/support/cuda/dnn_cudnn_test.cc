// What the files that call cuDNN share, without a GPU.
#include "baselines/ops/support/cuda/dnn.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "baselines/ops/support/cuda/runtime_compiler.h"
#include "baselines/ops/support/test_host.h"

namespace diopi::ops::cuda {
namespace {

// Whether a tensor that starts `bytes` after a multiple of 16 is taken.
bool Taken(int64_t bytes) {
  TestTensor tensor(kFloat, {4});
  return DnnTakes(kFloat, {tensor.AlignTo(bytes).view()});
}

TEST(Dnn, FunctionsWithoutAGraphGetAlignedTensorsOnly) {
  EXPECT_TRUE(Taken(0));
  EXPECT_TRUE(Taken(16));
  for (const int64_t bytes : {2, 4, 8, 12}) EXPECT_FALSE(Taken(bytes)) << bytes;
}

// Something else computes after any error, but not on a device that every call fails on.
TEST(Dnn, ErrorsAreLeftToSomethingElseUnlessTheyAreSticky) {
  const cudnnStatus_t failures[] = {CUDNN_STATUS_NOT_SUPPORTED,    CUDNN_STATUS_INTERNAL_ERROR,
                                    CUDNN_STATUS_EXECUTION_FAILED, CUDNN_STATUS_ALLOC_FAILED,
                                    CUDNN_STATUS_BAD_PARAM,        CUDNN_STATUS_NOT_INITIALIZED};
  for (const cudnnStatus_t status : failures) EXPECT_FALSE(TakenByDnn(status, "a test")) << status;
  ASSERT_EQ(setenv("DIOPI_CUDA_EMULATED_FAULT", "sticky", 1), 0);
  for (const cudnnStatus_t status : failures) EXPECT_THROW(TakenByDnn(status, "a test"), Failure) << status;
  EXPECT_TRUE(TakenByDnn(CUDNN_STATUS_SUCCESS, "a test"));
  unsetenv("DIOPI_CUDA_EMULATED_FAULT");
}

// A library that was kept is there after everybody else has closed it.
TEST(RuntimeCompiler, StaysLoaded) {
  static constexpr char kLibrary[] = "libcurand.so.10";  // which nothing here loads
  const auto loaded = [] { return dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD) != nullptr; };
  ASSERT_FALSE(loaded());
  EXPECT_FALSE(KeepLoaded("libnvrtc.so.0"));
  void* const other = dlopen(kLibrary, RTLD_LAZY);
  ASSERT_NE(other, nullptr) << dlerror();
  dlclose(other);
  EXPECT_FALSE(loaded()) << "whoever closes a library unloads it";
  EXPECT_TRUE(KeepLoaded(kLibrary));
  EXPECT_TRUE(loaded());
  EXPECT_TRUE(KeepRuntimeCompiler());
  EXPECT_NE(dlopen("libnvrtc.so.13", RTLD_LAZY | RTLD_NOLOAD), nullptr);
}

}  // namespace
}  // namespace diopi::ops::cuda
