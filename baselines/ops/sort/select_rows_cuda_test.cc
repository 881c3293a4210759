#include "baselines/ops/sort/select_rows_cuda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops::cuda {
namespace {

// What sorting all finds: the same elements in the same order, with ties, NaN, infinities and both zeros.
template <typename C>
void ExpectAsSorted(diopiDtype_t dtype, bool special) {
  std::mt19937 random(7);
  for (const int64_t rows : {1, 3}) {
    for (const int64_t length : {1, 64, 3000}) {
      for (const int choices : {2, 1 << 20}) {
        std::vector<double> values;
        for (int64_t i = 0; i < rows * length; ++i) {
          const double value = static_cast<double>(random() % static_cast<unsigned>(choices)) - choices / 2;
          const double specials[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0};
          values.push_back(special && random() % 8 == 0 ? specials[random() % 4] : value);
        }
        TestTensor x(dtype, {rows, length}, values);
        for (const int64_t count : {int64_t{1}, length / 4, length}) {
          for (const bool descending : {false, true}) {
            if (count == 0) continue;
            TestContext ctx;
            const Queue queue(&ctx);
            std::vector<int64_t> all(static_cast<size_t>(rows * length)),
                few(static_cast<size_t>(rows * count));
            SortRows<C>(queue, In<C>(x.view()), rows, length, descending, all.data());
            SelectRows<C>(queue, In<C>(x.view()), rows, length, count, descending, few.data());
            for (int64_t i = 0; i < rows * count; ++i) {
              ASSERT_EQ(few[static_cast<size_t>(i)], all[static_cast<size_t>(i / count * length + i % count)])
                  << rows << "x" << length << ", " << count << (descending ? " greatest" : " least") << " at "
                  << i;
            }
          }
        }
      }
    }
  }
}

TEST(SelectRows, FindsWhatSortingAllFinds) {
  ExpectAsSorted<float>(diopi_dtype_float32, true);
  ExpectAsSorted<double>(diopi_dtype_float64, true);
  ExpectAsSorted<int64_t>(diopi_dtype_int64, false);
}

}  // namespace
}  // namespace diopi::ops::cuda
