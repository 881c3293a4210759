// The support layer where no case of suite core would show a fault: sizes beyond 32 bits, every bit pattern,
// rows so long that they are cut, strides that products have to copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/gemm.h"
#include "baselines/ops/support/cuda/launch.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/quotients.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"
#include "baselines/ops/support/cuda/scan.h"
#include "baselines/ops/support/cuda/sort.h"
#include "baselines/ops/support/sort_lines.h"
#include "baselines/ops/support/test_host.h"
#include "diopi/diopi_device.h"

namespace diopi::ops::cuda {
namespace {

using ::testing::ElementsAre;

struct LayoutRow {
  Shape shape, strides;
  int rank;
};

TEST(CudaLayout, MergesWhatIsWalkedAsOneAndFindsEveryElement) {
  const LayoutRow rows[] = {{{}, {}, 0},
                            {{1, 1}, {7, 9}, 0},
                            {{2, 3, 4}, {12, 4, 1}, 1},
                            {{2, 3, 4}, {24, 8, 2}, 1},
                            {{2, 3, 4}, {1, 2, 6}, 3},
                            {{2, 3, 4}, {0, 4, 1}, 2},
                            {{2, 3, 4}, {12, 4, 0}, 2},
                            {{2, 1, 3, 4}, {-12, 5, 4, 1}, 2},
                            {{0, 3}, {3, 1}, 1}};
  for (const LayoutRow& row : rows) {
    const Layout layout = MakeLayout(row.shape, row.strides);
    EXPECT_EQ(layout.rank, row.rank) << ShapeText(row.shape) << ShapeText(row.strides);
    const Shape dense = DenseStrides(row.shape);
    for (int64_t i = 0; i < Numel(row.shape); ++i) {
      int64_t offset = 0;
      for (size_t d = 0; d < dense.size(); ++d) offset += i / dense[d] % row.shape[d] * row.strides[d];
      EXPECT_EQ(layout.Offset(i), offset) << ShapeText(row.shape) << ShapeText(row.strides) << " " << i;
    }
  }
}

TEST(CudaLayout, IndicesBeyond32Bits) {
  constexpr int64_t kBig = int64_t{1} << 31;
  const Layout wide = MakeLayout({3, kBig, 2}, {1, 7, 5 * kBig});
  EXPECT_FALSE(wide.narrow);
  EXPECT_EQ(wide.Offset(6 * kBig - 1), 2 + (kBig - 1) * 7 + 5 * kBig);
  EXPECT_EQ(wide.Offset(2 * kBig + 3), 1 + 7 + 5 * kBig);
  const Layout narrow = MakeLayout({2, kBig - 1}, {1, 3});  // indices above 2^31, below 2^32
  EXPECT_TRUE(narrow.narrow);
  EXPECT_EQ(narrow.Offset(2 * kBig - 3), 1 + (kBig - 2) * 3);
}

TEST(CudaQuotients, AreThoseOfDivision) {
  constexpr int64_t kBorder = int64_t{1} << 31;
  std::vector<int64_t> numbers;
  for (const int64_t near :
       {int64_t{0}, int64_t{1} << 16, kBorder / 3, kBorder, int64_t{1} << 32, int64_t{1} << 40}) {
    for (int64_t n = std::max<int64_t>(0, near - 40); n < near + 40; ++n) numbers.push_back(n);
  }
  for (const int64_t d : numbers) {
    if (d == 0) continue;
    const Quotients quotients(d);
    for (const int64_t n : numbers) {
      ASSERT_EQ(quotients.Of(n), n / d) << n << " / " << d;
      ASSERT_EQ(quotients.Rest(n), n % d) << n << " / " << d;
    }
    for (int64_t n = d - 1; n < kBorder; n += d * (1 + kBorder / d / 7)) {  // before and at multiples
      ASSERT_EQ(quotients.Of(n), n / d) << n << " / " << d;
      ASSERT_EQ(quotients.Of(n + 1), (n + 1) / d) << n + 1 << " / " << d;
    }
  }
}

TEST(CudaReduce, RowsSideBySideAreReadByNeighbouringThreads) {
  constexpr int kThreads = 256;
  for (const int64_t rows : {int64_t{2}, int64_t{33}, int64_t{20'000}}) {
    for (const int64_t length : {int64_t{3}, int64_t{100}, int64_t{5000}}) {
      for (const ReadOrder order : {ReadOrder::kAlongRows, ReadOrder::kAcrossRows}) {
        const ReduceTree tree = TreeFor(rows, length, order);
        const bool across = order == ReadOrder::kAcrossRows;
        ASSERT_EQ(tree.across, across);
        EXPECT_GE(tree.chunk * tree.chunks, length);
        const int64_t per_block = kThreads / tree.lanes, items = rows * tree.chunks;
        // Of all blocks, the first ones and the last.
        std::set<std::tuple<int64_t, int64_t, int>> taken;
        for (const int64_t block : {int64_t{0}, int64_t{1}, (items + per_block - 1) / per_block - 1}) {
          for (int thread = 0; thread < kThreads; ++thread) {
            const ReducePlace at = PlaceFor(tree, rows, block * per_block, thread, kThreads);
            if (at.row >= rows) continue;
            ASSERT_LT(at.part, tree.chunks);
            taken.emplace(at.row, at.part, at.lane);
            const ReducePlace next = PlaceFor(tree, rows, block * per_block, thread + 1, kThreads);
            if (across && next.lane == at.lane && next.part == at.part) {
              EXPECT_EQ(next.row, at.row + 1);
            }
            if (!across && next.row == at.row && next.part == at.part) {
              EXPECT_EQ(next.lane, at.lane + 1);
            }
            const ReducePlace partner = PlaceFor(tree, rows, block * per_block, thread + at.apart, kThreads);
            if (at.lane + 1 < tree.lanes) {
              EXPECT_EQ(std::tuple(partner.row, partner.part, partner.lane),
                        std::tuple(at.row, at.part, at.lane + 1));
            }
          }
        }
        const int64_t blocks = std::min<int64_t>(3, (items + per_block - 1) / per_block);
        if (blocks < 3) {
          EXPECT_EQ(taken.size(), static_cast<size_t>(items * tree.lanes));
        }
      }
    }
  }
}

TEST(CudaReduce, TheOrderFollowsTheStrides) {
  TestTensor dense(diopi_dtype_float32, {4, 5, 6}), turned(diopi_dtype_float32, {4, 5, 6}, {1, 4, 20}, 0);
  EXPECT_EQ(OrderOf(RowsOf(dense.view(), {2})), ReadOrder::kAlongRows);
  EXPECT_EQ(OrderOf(RowsOf(dense.view(), {})), ReadOrder::kAlongRows);
  EXPECT_EQ(OrderOf(RowsOf(dense.view(), {0})), ReadOrder::kAcrossRows);
  EXPECT_EQ(OrderOf(RowsOf(dense.view(), {0, 1})), ReadOrder::kAcrossRows);
  EXPECT_EQ(OrderOf(RowsOf(turned.view(), {0})), ReadOrder::kAlongRows);
  EXPECT_EQ(OrderOf(RowsOf(turned.view(), {1, 2})), ReadOrder::kAcrossRows);
  TestTensor column(diopi_dtype_float32, {7, 1});
  EXPECT_EQ(OrderOf(RowsOf(column.view(), {0})), ReadOrder::kAlongRows) << "one row alone";
}

TEST(CudaLayout, TooManyDimensionsAreTold) {
  const Shape shape(9, 2);
  Shape strides;
  for (int64_t d = 0; d < 9; ++d) strides.push_back(int64_t{1} << (2 * d));
  EXPECT_EQ(Guard("f", [&] { MakeLayout(shape, strides); }), diopiErrorOccurred);
  EXPECT_THAT(LastErrorText(), ::testing::HasSubstr("has more than 8 dimensions that cannot be merged"));
}

TEST(CudaElement, SmallFormatsAreThoseOfTheCpuReference) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto small = static_cast<uint16_t>(bits);
    const float half = DecodeFloat16(small), brain = DecodeBfloat16(small);
    if (half != half || brain != brain) continue;
    ASSERT_EQ(half, FromFloat16(small)) << bits;
    ASSERT_EQ(brain, FromBfloat16(small)) << bits;
    for (const double near : {-1e-9, 0.0, 1e-9}) {  // on, below and above each, and each midpoint
      for (const double value : {double{half}, double{brain}}) {
        for (const double x :
             {value * (1 + near), value * (1 + 0x1p-11 + near), value * (1 + 0x1p-8 + near)}) {
          ASSERT_EQ(EncodeSmall<Float16Format>(x), ToFloat16(x)) << x;
          ASSERT_EQ(EncodeSmall<Bfloat16Format>(x), ToBfloat16(x)) << x;
          const auto single = static_cast<float>(x);
          ASSERT_EQ(EncodeFloat16(single), ToFloat16(double{single})) << single;
          ASSERT_EQ(EncodeBfloat16(single), ToBfloat16(double{single})) << single;
        }
      }
    }
  }
  for (const double x :
       {0x1p-25, 0x1.8p-25, -0x1.8p-24, 0x1p-134, 0x1.8p-134, 5e-324, 65519.9, 65520.0, 1e300}) {
    EXPECT_EQ(EncodeSmall<Float16Format>(x), ToFloat16(x)) << x;
    EXPECT_EQ(EncodeSmall<Bfloat16Format>(x), ToBfloat16(x)) << x;
  }
}

constexpr diopiDtype_t kDtypes[] = {
    diopi_dtype_int8,    diopi_dtype_uint8, diopi_dtype_int16,   diopi_dtype_uint16,  diopi_dtype_int32,
    diopi_dtype_uint32,  diopi_dtype_int64, diopi_dtype_uint64,  diopi_dtype_float16, diopi_dtype_float32,
    diopi_dtype_float64, diopi_dtype_bool,  diopi_dtype_bfloat16};

template <typename C>
void ExpectSameElements(diopiDtype_t dtype, const std::vector<C>& values) {
  TestTensor expected(dtype, {static_cast<int64_t>(values.size())}), actual(dtype, expected.view().shape());
  Store(expected.view(), values);
  const Out<C> out(actual.view());
  for (size_t i = 0; i < values.size(); ++i) out.Set(static_cast<int64_t>(i), values[i]);
  const std::vector<C> loaded = Load<C>(expected.view());
  const std::vector<double> stored = expected.values(), set = actual.values();
  for (size_t i = 0; i < values.size(); ++i) {
    const C read = In<C>(actual.view())[static_cast<int64_t>(i)];
    EXPECT_TRUE(read == loaded[i] || loaded[i] != loaded[i]) << DtypeName(dtype) << " " << values[i];
    EXPECT_TRUE(set[i] == stored[i] || (set[i] != set[i] && stored[i] != stored[i]))
        << DtypeName(dtype) << " " << values[i] << ": " << set[i] << ", not " << stored[i];
  }
}

TEST(CudaElement, EveryTypeIsReadAndWrittenAsByTheCpuReference) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers = {0,   -0.0, 1,   -1,   0.5,  -0.5,  2.5,   255.9, -128.7, 300,
                                       7e4, -7e4, 3e9, -3e9, 1e19, -1e19, 1e-40, kInf,  -kInf,  std::nan("")};
  const std::vector<float> floats(numbers.begin(), numbers.end());
  const std::vector<int64_t> ints = {0,
                                     1,
                                     -1,
                                     127,
                                     128,
                                     -129,
                                     255,
                                     256,
                                     65535,
                                     65536,
                                     1 << 24,
                                     (1 << 24) + 1,
                                     (int64_t{1} << 53) + 1,
                                     std::numeric_limits<int64_t>::min()};
  for (const diopiDtype_t dtype : kDtypes) {
    ExpectSameElements(dtype, numbers);
    ExpectSameElements(dtype, floats);
    ExpectSameElements(dtype, ints);
  }
}

struct AddTo {
  template <typename C>
  DIOPI_HD C operator()(C x, C y) const {
    return x + y;
  }
};

// Adds a test's tensor y to the elements of x from `begin` on, in memory that is aligned where begin is 0.
// Returns whether it went four by four.
template <typename C>
bool ExpectAdded(diopiDtype_t dtype, int64_t n, int64_t begin, const Shape& y_strides) {
  TestTensor x(dtype, {n + 8}, {3, 1, 4, 1, 5, 9, 2, 6}), y(dtype, {n}, y_strides, 0, {2, 7, 1, 8});
  const std::vector<double> a = x.values(), b = y.values();
  const auto element = static_cast<size_t>(ElementSize(dtype));
  std::vector<double> aligned_x(a.size()), aligned_y(2 * b.size());
  std::memcpy(aligned_x.data(), x.view().data(), a.size() * element);
  std::memcpy(aligned_y.data(), y.view().data(), (1 + (b.size() - 1) * y_strides[0]) * element);
  void* const from = reinterpret_cast<char*>(aligned_x.data()) + static_cast<size_t>(begin) * element;
  const In<C> left(from, dtype, {n}, {1}), right(aligned_y.data(), dtype, {n}, y_strides);
  const Out<C> out(from, dtype, {n}, {1});
  TestContext ctx;
  Map(Queue(&ctx), n, out, AddTo(), left, right);
  std::memcpy(x.view().writable(), aligned_x.data(), a.size() * element);
  const std::vector<double> got = x.values();
  for (size_t i = 0, first = static_cast<size_t>(begin); i < got.size(); ++i) {
    const bool inside = i >= first && i - first < b.size();
    EXPECT_EQ(got[i], inside ? a[i] + b[i - first] : a[i])
        << DtypeName(dtype) << " " << n << " from " << begin << ": " << i;
  }
  return MapTwo<C, AddTo, In<C>, In<C>>{out, AddTo(), left, right}.Quads();
}

TEST(CudaMap, GoesFourByFourWhereMemoryIsAlignedAndDense) {
  for (const int64_t n : {2, 3, 4, 5, 8, 1023}) {
    for (const int64_t begin : {0, 1, 4}) {
      for (const Shape& strides : {Shape{1}, Shape{0}, Shape{2}}) {
        const bool quads = begin % 4 == 0 && strides[0] != 2;
        EXPECT_EQ(ExpectAdded<float>(diopi_dtype_float32, n, begin, strides), quads);
        EXPECT_EQ(ExpectAdded<float>(diopi_dtype_float16, n, begin, strides), quads);
        EXPECT_EQ(ExpectAdded<float>(diopi_dtype_bfloat16, n, begin, strides), quads);
        EXPECT_EQ(ExpectAdded<double>(diopi_dtype_float64, n, begin, strides), quads);
        EXPECT_EQ(ExpectAdded<int64_t>(diopi_dtype_uint8, n, begin, strides), quads);
        EXPECT_FALSE(ExpectAdded<double>(diopi_dtype_float32, n, begin, strides)) << "another type's form";
      }
    }
  }
}

TEST(CudaMap, FindsFoursInStridedAndBroadcastMemory) {
  struct Row {
    Shape shape, strides;
    bool quads;
  };
  const Row rows[] = {{{3, 8}, {8, 1}, true},      {{3, 8}, {12, 1}, true},  {{3, 8}, {0, 1}, true},
                      {{3, 8}, {1, 0}, true},      {{3, 8}, {10, 1}, false}, {{3, 6}, {8, 1}, false},
                      {{3, 6}, {1, 0}, false},     {{3, 8}, {16, 2}, false}, {{8, 3}, {1, 8}, false},
                      {{2, 3, 4}, {4, 8, 1}, true}};
  for (const Row& row : rows) {
    std::vector<double> memory(64);
    std::iota(memory.begin(), memory.end(), 0);
    const In<double> in(memory.data(), diopi_dtype_float64, row.shape, row.strides);
    ASSERT_EQ(in.Quads(), row.quads) << ShapeText(row.shape) << ShapeText(row.strides);
    for (int64_t i = 0; row.quads && i < Numel(row.shape); ++i)
      EXPECT_EQ(in.QuadAt(i / 4).at[i % 4], in[i]) << ShapeText(row.shape) << ShapeText(row.strides);
  }
}

struct PlusIndex {
  DIOPI_HD double operator()(int64_t i, double x) const { return x + static_cast<double>(1000 * i); }
};

TEST(CudaMap, AFormulaMayTakeTheIndex) {
  std::vector<double> memory(11, 1), out(11);
  TestContext ctx;
  Map(Queue(&ctx), 11, Out<double>(out.data(), diopi_dtype_float64, {11}, {1}), AtIndex<PlusIndex>{},
      In<double>(memory.data(), diopi_dtype_float64, {11}, {1}));
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 1 + 1000 * static_cast<double>(i));
}

TEST(CudaEmulated, TheHostCannotTouchDeviceMemoryAndKernelsCan) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // OpenBLAS has threads
  auto* memory = static_cast<volatile char*>(device_malloc(1));
  EXPECT_DEATH(*memory = 1, "");
  {
    const DeviceMemoryOpen open;
    *memory = 1;
  }
  EXPECT_DEATH(*memory = 2, "");
  char copy = 0;
  CopyAnywhere(&copy, const_cast<char*>(memory), 1);
  EXPECT_EQ(copy, 1);
  void* next = device_malloc(300);
  device_free(const_cast<char*>(memory));
  EXPECT_EQ(device_malloc(256), memory) << "the gap is used again";
  EXPECT_EQ(device_malloc(uint64_t{1} << 40), nullptr);
  device_free(next);
}

struct CountedSum {
  using State = int64_t;
  int64_t* out;
  DIOPI_HD State Empty() const { return 0; }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return (row + 1) * (j + 1) * (j + 1); }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { out[row] += sum; }
};

TEST(CudaReduce, TakesEveryElementOnce) {
  for (const int64_t rows : {0, 1, 3, 600}) {
    for (const int64_t length : {0, 1, 16, 17, 33, 1024, 1025, 8193, 20000, 100003}) {
      if (rows * length > 2000000) continue;
      for (const ReadOrder order : {ReadOrder::kAlongRows, ReadOrder::kAcrossRows}) {
        TestContext ctx;
        std::vector<int64_t> sums(static_cast<size_t>(rows), 0);
        ReduceRows(Queue(&ctx), rows, length, CountedSum{sums.data()}, order);
        for (int64_t row = 0; row < rows; ++row) {
          EXPECT_EQ(sums[static_cast<size_t>(row)],
                    (row + 1) * (length * (length + 1) * (2 * length + 1) / 6))
              << rows << "x" << length;
        }
      }
    }
  }
}

// Sums of (row + 1) * x * y * (j + 1), where y is perhaps x.
struct SumOfOne {
  using State = int64_t;
  In<int64_t> x;
  int64_t* out;
  DIOPI_HD State Empty() const { return 0; }
  DIOPI_HD State Of(int64_t row, int64_t j, int64_t x_j) const { return (row + 1) * x_j * x_j * (j + 1); }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { out[row] += sum; }
};
struct SumOfTwo {
  using State = int64_t;
  In<int64_t> x, y;
  int64_t* out;
  DIOPI_HD State Empty() const { return 0; }
  DIOPI_HD State Of(int64_t row, int64_t j, int64_t x_j, int64_t y_j) const {
    return (row + 1) * x_j * y_j * (j + 1);
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { out[row] += sum; }
};

TEST(CudaReduce, OperandsAreReadByFoursOrOneByOne) {
  for (const int64_t rows : {1, 3, 2100}) {
    for (const int64_t length : {4, 15, 16, 20, 64, 129, 132, 1024, 8196, 20000}) {
      if (rows * length > 2000000) continue;
      std::vector<int64_t> x(static_cast<size_t>(rows * length)), expected(static_cast<size_t>(rows), 0);
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<int64_t>(i % 7) - 3;
        const auto j = static_cast<int64_t>(i) % length, row = static_cast<int64_t>(i) / length;
        expected[static_cast<size_t>(row)] += (row + 1) * x[i] * x[i] * (j + 1);
      }
      const In<int64_t> in(x.data(), diopi_dtype_int64, {rows, length}, {length, 1});
      EXPECT_TRUE(ReadsFours(SumOfTwo{in, in, nullptr}));
      EXPECT_EQ(TreeFor(rows, length, ReadOrder::kAlongRows, true).fours, length % 4 == 0);
      for (const ReadOrder order : {ReadOrder::kAlongRows, ReadOrder::kAcrossRows}) {
        TestContext ctx;
        std::vector<int64_t> one(expected.size(), 0), two(expected.size(), 0);
        ReduceRows(Queue(&ctx), rows, length, SumOfOne{in, one.data()}, order);
        ReduceRows(Queue(&ctx), rows, length, SumOfTwo{in, in, two.data()}, order);
        EXPECT_EQ(one, expected) << rows << "x" << length;
        EXPECT_EQ(two, expected) << rows << "x" << length;
      }
    }
  }
}

// Maps x -> a x + b modulo 2^64: composition tells which order the parts came in.
struct Affine {
  uint64_t a = 1, b = 0;
};
struct Compose {
  using State = Affine;
  int64_t length;
  Affine* out;
  DIOPI_HD State Empty() const { return {}; }
  DIOPI_HD State Load(int64_t row, int64_t j) const {
    return {static_cast<uint64_t>(2 * j + 3), static_cast<uint64_t>(row + 5 * j)};
  }
  DIOPI_HD State Combine(State x, State y) const { return {x.a * y.a, y.a * x.b + y.b}; }
  DIOPI_HD void Store(int64_t row, int64_t j, State s) const { out[row * length + j] = s; }
};

TEST(CudaScan, CombinesInOrder) {
  for (const int64_t rows : {1, 3}) {
    for (const int64_t length : {1, 3, 4, 5, 255, 1023, 1024, 1025, 5000}) {
      TestContext ctx;
      std::vector<Affine> out(static_cast<size_t>(rows * length));
      const Compose compose{length, out.data()};
      ScanRows(Queue(&ctx), rows, length, compose);
      for (int64_t row = 0; row < rows; ++row) {
        Affine running;
        for (int64_t j = 0; j < length; ++j) {
          running = compose.Combine(running, compose.Load(row, j));
          const Affine& got = out[static_cast<size_t>(row * length + j)];
          ASSERT_TRUE(got.a == running.a && got.b == running.b) << rows << "x" << length << " at " << j;
        }
      }
    }
  }
}

template <typename C>
void ExpectSorted(diopiDtype_t dtype, const std::vector<double>& choices) {
  std::mt19937 random(1);
  for (const int64_t rows : {1, 2, 5}) {
    for (const int64_t length : {int64_t{1}, int64_t{2}, int64_t{100}, kShortRow, kShortRow + 1}) {
      std::vector<double> values(static_cast<size_t>(rows * length));
      for (double& x : values) x = choices[random() % choices.size()];
      TestTensor x(dtype, {rows, length}, values);
      for (const bool descending : {false, true}) {
        TestContext ctx;
        std::vector<int64_t> order(values.size());
        SortRows<C>(Queue(&ctx), In<C>(x.view()), rows, length, descending, order.data());
        for (int64_t row = 0; row < rows; ++row) {
          const std::vector<int64_t> got(order.begin() + row * length, order.begin() + (row + 1) * length);
          EXPECT_EQ(got, SortedOrder(Load<C>(x.view()), row * length, 1, length, descending))
              << DtypeName(dtype) << " " << rows << "x" << length;
        }
      }
    }
  }
}

TEST(CudaSort, IsStableAndPutsNanLast) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> floats = {0,    -0.0,  1,    -1,    1e-45,        -1e-45,
                                      3e38, -3e38, kInf, -kInf, std::nan(""), -std::nan("")};
  ExpectSorted<float>(diopi_dtype_float32, floats);
  ExpectSorted<float>(diopi_dtype_bfloat16, floats);
  ExpectSorted<double>(diopi_dtype_float64, floats);
  ExpectSorted<int64_t>(diopi_dtype_int64, {0, 1, -1, 5, -0x1p63, 0x1p62});
  ExpectSorted<int64_t>(diopi_dtype_uint8, {0, 1, 255, 128});
}

TEST(CudaSelect, PositionsAndRunningSums) {
  TestContext ctx;
  const Queue queue(&ctx);
  const uint8_t flags[] = {0, 1, 2, 0, 0, 255};
  std::vector<int64_t> positions(6, -1);
  EXPECT_EQ(Select(queue, flags, 6, positions.data()), 3);
  EXPECT_THAT(positions, ElementsAre(1, 2, 5, -1, -1, -1));
  EXPECT_EQ(Select(queue, flags, 0, nullptr), 0);
  ScanInts(queue, positions.data(), positions.data(), 6);
  EXPECT_THAT(positions, ElementsAre(1, 3, 8, 7, 6, 5));
}

struct GemmRow {
  int64_t batches, m, n, k;
  Shape a, b, c;  // strides: batch, row, column
};

TEST(CudaGemm, AnyStrides) {
  const GemmRow rows[] = {
      {1, 2, 3, 4, {0, 4, 1}, {0, 3, 1}, {0, 3, 1}}, {1, 2, 3, 4, {0, 1, 2}, {0, 1, 4}, {0, 1, 2}},
      {3, 2, 3, 4, {8, 4, 1}, {0, 1, 5}, {6, 3, 1}}, {2, 2, 3, 4, {16, 8, 2}, {40, 10, 3}, {20, 9, 2}},
      {2, 1, 1, 5, {5, 1, 1}, {5, 1, 7}, {1, 1, 1}}, {2, 2, 3, 0, {0, 0, 1}, {0, 3, 1}, {6, 3, 1}}};
  for (const GemmRow& row : rows) {
    const std::pair<diopiDtype_t, diopiDtype_t> dtypes[] = {{diopi_dtype_float16, diopi_dtype_float16},
                                                            {diopi_dtype_float16, diopi_dtype_float32},
                                                            {diopi_dtype_float32, diopi_dtype_float32},
                                                            {diopi_dtype_float64, diopi_dtype_float64}};
    for (const auto& [dtype, result] : dtypes) {
      const std::vector<double> small = {1, -2, 3, 0.5, -1, 2, 4};
      TestTensor a(dtype, {row.batches, row.m, row.k}, row.a, 0, small),
          b(dtype, {row.batches, row.k, row.n}, row.b, 0, small),
          c(result, {row.batches, row.m, row.n}, row.c, 0, {8, 6});
      const std::vector<double> x = a.values(), y = b.values(), before = c.values();
      const auto matrices = [](TestTensor& t, const Shape& strides) {
        return Matrices{t.view().writable(), strides[1], strides[2], strides[0]};
      };
      TestContext ctx;
      Gemm(Queue(&ctx), dtype, result, row.batches, row.m, row.n, row.k, matrices(a, row.a),
           matrices(b, row.b), matrices(c, row.c), 2, 0.5);
      const std::vector<double> got = c.values();
      for (size_t i = 0; i < got.size(); ++i) {
        const auto at = static_cast<int64_t>(i), batch = at / (row.m * row.n);
        const int64_t r = at / row.n % row.m, column = at % row.n;
        double sum = 0;
        for (int64_t j = 0; j < row.k; ++j) {
          sum += x[static_cast<size_t>((batch * row.m + r) * row.k + j)] *
                 y[static_cast<size_t>((batch * row.k + j) * row.n + column)];
        }
        EXPECT_EQ(got[i], 2 * sum + 0.5 * before[i]) << DtypeName(dtype) << " " << i;
      }
    }
  }
  TestContext ctx;
  EXPECT_EQ(
      Guard("f", [&] { Gemm(Queue(&ctx), diopi_dtype_int32, diopi_dtype_int32, 1, 1, 1, 1, {}, {}, {}); }),
      diopiDtypeNotSupported);
}

}  // namespace
}  // namespace diopi::ops::cuda
