// The smallest call that shows each injected bug of this folder, as a table.
#ifndef BASELINES_UNSEEN2_CALLS_H_
#define BASELINES_UNSEEN2_CALLS_H_

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "baselines/ops/support/test_host.h"
#include "impl_loader/library/library.h"

namespace diopi::unseen2 {

using ops::IntScalar;
using ops::kFloat;
using ops::kInf;
using ops::Scalar;
using ops::Shape;
using ops::TestTensor;
using ops::View;

constexpr diopiDtype_t kBool = diopi_dtype_bool, kHalf = diopi_dtype_float16, kInt64 = diopi_dtype_int64;

// A library under test, and the context of the calls of one row.
struct Host {
  const loader::Library& library;
  ops::TestContext context;
};

// Calls the library's function with the host's context and the arguments; a failure fails the test.
#define DIOPI_CALL(host, function, ...)                                                                \
  EXPECT_EQ(reinterpret_cast<decltype(&(function))>((host).library.Symbol(#function))(&(host).context, \
                                                                                      __VA_ARGS__),    \
            diopiSuccess)                                                                              \
      << #function

struct Row {
  const char* bug;
  std::vector<double> (*results)(Host& host);  // of the call, or of the last one of a sequence
};

std::vector<Row> PointwiseCalls();
std::vector<Row> MovingCalls();
std::vector<Row> ReducingCalls();
std::vector<Row> NetworksCalls();

}  // namespace diopi::unseen2

#endif  // BASELINES_UNSEEN2_CALLS_H_
