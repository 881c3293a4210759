// What the real cuDNN plans for convolutions on each GPU generation, and by which engines. No GPU is needed:
// nothing is computed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "baselines/ops/convolution/convolution_dnn.h"
#include "baselines/ops/support/cuda/dnn_graph.h"
#include "baselines/ops/support/cuda/emulated/gpus.h"
#include "baselines/ops/support/test_host.h"

namespace diopi::ops::cuda {
namespace {

constexpr diopiDtype_t kFloatDtypes[] = {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32,
                                         diopi_dtype_float64};
constexpr ConvolutionProduct kProducts[] = {ConvolutionProduct::kForward, ConvolutionProduct::kGradInput,
                                            ConvolutionProduct::kGradWeight};

// Sizes as networks have them.
struct Row {
  const char* name;
  int64_t batch, channels, side, filters, kernel, stride, pad, dilation, groups;
};
constexpr Row kRows[] = {
    {"first layer", 8, 3, 224, 64, 7, 2, 3, 1, 1},
    {"3x3", 8, 64, 56, 64, 3, 1, 1, 1, 1},
    {"3x3, stride 2", 8, 128, 56, 128, 3, 2, 1, 1, 1},
    {"1x1", 8, 256, 56, 64, 1, 1, 0, 1, 1},
    {"1x1, stride 2", 8, 256, 56, 512, 1, 2, 0, 1, 1},
    {"dilated", 2, 64, 33, 64, 3, 1, 4, 4, 1},
    {"dilated, stride 2", 2, 64, 33, 64, 3, 2, 2, 2, 1},
    {"two groups", 4, 96, 27, 256, 5, 1, 2, 1, 2},
    {"32 groups", 4, 256, 28, 256, 3, 1, 1, 1, 32},
    {"depthwise", 4, 96, 28, 96, 3, 1, 1, 1, 96},
    {"depthwise, two filters each, stride 2", 4, 32, 28, 64, 5, 2, 2, 1, 32},
    {"patches", 2, 3, 224, 768, 16, 16, 0, 1, 1},
    {"odd sizes", 3, 5, 13, 7, 3, 2, 1, 1, 1},
    {"kernel as large as the image", 2, 16, 7, 10, 7, 1, 0, 1, 1},
    {"one of everything", 1, 1, 1, 1, 1, 1, 0, 1, 1},
};

ConvShape Convolution(const Row& row) {
  ConvShape c;
  c.batch = row.batch, c.channels = row.channels, c.height = c.width = row.side;
  c.filters = row.filters, c.kernel_h = c.kernel_w = row.kernel;
  c.stride_h = c.stride_w = row.stride, c.pad_h = c.pad_w = row.pad;
  c.dilation_h = c.dilation_w = row.dilation, c.groups = row.groups;
  c.out_h = c.out_w = OutputSize(row.side, row.kernel, row.stride, row.pad, row.dilation);
  return c;
}

// Sizes and an address, but no elements: plans need none. Aligned to `alignment` bytes, at most 16.
class Outline {
 public:
  Outline(diopiDtype_t dtype, const Shape& shape, int64_t alignment = 16)
      : Outline(dtype, shape, DenseStrides(shape), alignment) {}
  Outline(diopiDtype_t dtype, const Shape& shape, const Shape& strides, int64_t alignment = 16) {
    tensor_.dtype = dtype;
    tensor_.shape = shape;
    tensor_.strides = strides;
    tensor_.storage.data = reinterpret_cast<std::byte*>(static_cast<uintptr_t>(16 + alignment));
  }
  Tensor view() { return Tensor(&tensor_); }

 private:
  diopiTensor tensor_;
};

DnnGraph Graph(const Row& row, ConvolutionProduct product, diopiDtype_t dtype, int64_t alignment = 16) {
  const ConvShape c = Convolution(row);
  Outline x(dtype, c.in_shape(), alignment), y(dtype, c.out_shape(), alignment);
  Outline w(dtype, {c.filters, c.group_channels(), c.kernel_h, c.kernel_w}, alignment);
  return ConvolutionGraph(product, c, x.view(), w.view(), y.view(), product == ConvolutionProduct::kForward);
}

bool Has(const DnnPlan& plan, EngineNote note) {
  return std::find(plan.notes().begin(), plan.notes().end(), note) != plan.notes().end();
}

// Apart from EngineAllowed, which chose: what no engine of the reference may do.
void ExpectAllowed(const DnnPlan& plan, diopiDtype_t dtype, bool tf32, const std::string& where) {
  for (const EngineNote note : {EngineNote::kNondeterministic, EngineNote::kWinograd, EngineNote::kFft,
                                EngineNote::kDownConvertInputs, EngineNote::kReducedPrecisionReduction}) {
    EXPECT_FALSE(Has(plan, note)) << where << ": engine " << plan.engine() << " has note "
                                  << static_cast<int>(note);
  }
  if (dtype == diopi_dtype_float32 && !tf32) {
    EXPECT_FALSE(Has(plan, EngineNote::kTensorCore))
        << where << ": engine " << plan.engine() << " takes TF32";
  }
}

std::string Where(const std::string& gpu, const Row& row, ConvolutionProduct product, diopiDtype_t dtype) {
  return Text(gpu, ", ", row.name, ", product ", static_cast<int>(product), ", ", DtypeName(dtype));
}

// Except for bfloat16 before sm_80: cuDNN has no engine for it, or, where there is a driver to compile one,
// only for some.
TEST(ConvolutionPlans, EveryGpuHasOneAndItsEngineIsAllowed) {
  for (const std::string& gpu : GpuNames()) {
    const PlanTarget target(GpuProperties(gpu));
    for (const Row& row : kRows) {
      for (const ConvolutionProduct product : kProducts) {
        for (const diopiDtype_t dtype : kFloatDtypes) {
          const std::string where = Where(gpu, row, product, dtype);
          const auto plan = MakePlan(target, Graph(row, product, dtype), false);
          const bool few = dtype == diopi_dtype_bfloat16 && gpu == "T4";
          EXPECT_TRUE(plan || few) << where;
          if (plan) ExpectAllowed(*plan, dtype, false, where);
        }
      }
    }
  }
}

// A view may begin at any element.
TEST(ConvolutionPlans, TensorsNeedNotBeAligned) {
  for (const std::string& gpu : GpuNames()) {
    const PlanTarget target(GpuProperties(gpu));
    for (const diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_float32}) {
      for (const int64_t alignment : {ElementSize(dtype), int64_t{8}}) {
        for (const ConvolutionProduct product : kProducts) {
          const std::string where = Where(gpu, kRows[1], product, dtype);
          const auto plan = MakePlan(target, Graph(kRows[1], product, dtype, alignment), false);
          ASSERT_TRUE(plan) << where << ", aligned to " << alignment;
          ExpectAllowed(*plan, dtype, false, where);
        }
      }
    }
  }
}

Shape ChannelsLast(const Shape& shape) {
  const int64_t channels = shape[1], row = shape[3] * channels;
  return {shape[2] * row, 1, row, channels};
}

TEST(ConvolutionPlans, ChannelsMayBeLast) {
  for (const std::string& gpu : GpuNames()) {
    const PlanTarget target(GpuProperties(gpu));
    for (const Row& row : kRows) {
      const ConvShape c = Convolution(row);
      const Shape in = c.in_shape(), out = c.out_shape();
      const Shape weights = {c.filters, c.group_channels(), c.kernel_h, c.kernel_w};
      for (const diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_float32}) {
        Outline x(dtype, in, ChannelsLast(in)), y(dtype, out, ChannelsLast(out));
        Outline w(dtype, weights, ChannelsLast(weights));
        for (const ConvolutionProduct product : kProducts) {
          const DnnGraph graph = ConvolutionGraph(product, c, x.view(), w.view(), y.view(), false);
          const std::string where = Where(gpu, row, product, dtype);
          const auto plan = MakePlan(target, graph, false);
          ASSERT_TRUE(plan) << where;
          ExpectAllowed(*plan, dtype, false, where);
        }
      }
    }
  }
}

TEST(ConvolutionPlans, Tf32WhereItIsAskedForAndTheGpuHasIt) {
  for (const std::string& gpu : GpuNames()) {
    const PlanTarget target(GpuProperties(gpu));
    int with_tensor_cores = 0;
    for (const Row& row : kRows) {
      const DnnGraph graph = Graph(row, ConvolutionProduct::kForward, diopi_dtype_float32);
      const auto plan = MakePlan(target, graph, true);
      ASSERT_TRUE(plan) << gpu << ", " << row.name;
      ExpectAllowed(*plan, diopi_dtype_float32, true, Text(gpu, ", ", row.name));
      with_tensor_cores += Has(*plan, EngineNote::kTensorCore) ? 1 : 0;
    }
    EXPECT_EQ(with_tensor_cores > 0, gpu != "T4") << gpu;
  }
}

// A convolution and the plans for it.
struct Planned {
  ConvolutionProduct product = ConvolutionProduct::kGradInput;
  ConvShape c = Convolution(kRows[1]);
  diopiDtype_t dtype = diopi_dtype_float32;
  int64_t alignment = 16;
  bool add = false, tf32 = false;

  template <typename Use>  // Use(key, describe)
  void With(Use use) const {
    Outline x(dtype, c.in_shape(), alignment), y(dtype, c.out_shape(), alignment);
    Outline w(dtype, {c.filters, c.group_channels(), c.kernel_h, c.kernel_w}, alignment);
    use(ConvolutionKey(product, c, x.view(), w.view(), y.view(), add),
        [&] { return ConvolutionGraph(product, c, x.view(), w.view(), y.view(), add); });
  }
};

// Without describing the graph again.
TEST(ConvolutionPlans, AreKeptForWhatTheyWereMadeFor) {
  PlanCache plans(PlanTarget(GpuProperties("H200")));
  int described = 0;
  const auto find = [&](const Planned& planned) {
    const DnnPlan* plan = nullptr;
    planned.With([&](const PlanKey& key, const PlanCache::Describe& describe) {
      const auto counted = [&] {
        ++described;
        return describe();
      };
      plan = plans.Find(key, counted, planned.tf32);
    });
    return plan;
  };
  const Planned base;
  const DnnPlan* plan = find(base);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(described, 1);
  EXPECT_EQ(find(base), plan) << "the tensors moved";
  EXPECT_EQ(described, 1);
  Planned others[8] = {base, base, base, base, base, base, base, base};
  others[0].tf32 = true;
  others[1].alignment = 4;
  others[2].dtype = diopi_dtype_float16;
  others[3].add = true;
  others[4].product = ConvolutionProduct::kForward;
  others[5].c.batch = 9;
  others[6].c.pad_h = others[6].c.pad_w = 0, others[6].c.out_h = others[6].c.out_w = 54;
  others[7].c.channels = 128, others[7].c.groups = 2;  // the same weight
  for (const Planned& other : others) {
    const int before = described;
    EXPECT_NE(find(other), plan) << "other " << &other - others;
    EXPECT_EQ(described, before + 1) << "other " << &other - others;
  }
}

TEST(ConvolutionPlans, ThatFailGiveWayToTheNextEngineAndThenToOurKernels) {
  PlanCache plans(PlanTarget(GpuProperties("H200")));
  const auto run = [&](const Planned& planned, size_t success) {  // the engines that ran
    std::vector<int64_t> tried;
    planned.With([&](const PlanKey& key, const PlanCache::Describe& describe) {
      const bool ran = plans.RunFirst(key, describe, false, [&](const DnnPlan& plan) {
        tried.push_back(plan.engine());
        return tried.size() == success;
      });
      EXPECT_EQ(ran, success > 0 && tried.size() == success);
    });
    return tried;
  };
  Planned planned;
  const std::vector<int64_t> two = run(planned, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE(two[0], two[1]);
  EXPECT_EQ(run(planned, 1), std::vector<int64_t>{two[1]}) << "what has failed is not tried again";
  std::vector<int64_t> rest = run(planned, 0);
  EXPECT_EQ(rest[0], two[1]);
  EXPECT_EQ(run(planned, 1), std::vector<int64_t>{}) << "no engine is left";
  rest.push_back(two[0]);
  std::sort(rest.begin(), rest.end());
  EXPECT_EQ(std::unique(rest.begin(), rest.end()), rest.end()) << "an engine ran twice";
  planned.add = true;  // what failed may have added a part
  EXPECT_EQ(run(planned, 0).size(), 1u);
}

TEST(ConvolutionPlans, OtherTensorsAreLeftToOurKernels) {
  const PlanTarget target(GpuProperties("A100"));
  ConvShape c = Convolution(kRows[1]);
  const Shape weights = {c.filters, c.channels, c.kernel_h, c.kernel_w};
  const auto left = [&](Outline x, Outline w, Outline y) {
    const DnnGraph graph =
        ConvolutionGraph(ConvolutionProduct::kForward, c, x.view(), w.view(), y.view(), false);
    EXPECT_EQ(MakePlan(target, graph, false) == nullptr, graph.left());
    return graph.left();
  };
  constexpr diopiDtype_t kFloat = diopi_dtype_float32, kInt = diopi_dtype_int32;
  const Shape in = c.in_shape(), out = c.out_shape();
  const Outline x(kFloat, in), w(kFloat, weights), y(kFloat, out);
  EXPECT_FALSE(left(x, w, y));
  EXPECT_TRUE(left(x, w, {diopi_dtype_float16, out})) << "two dtypes";
  EXPECT_TRUE(left({kFloat, in, ChannelsLast(in)}, w, y)) << "channels last in one alone";
  Shape strides = DenseStrides(in);
  std::swap(strides[2], strides[3]);
  EXPECT_TRUE(left({kFloat, in, strides}, w, y)) << "columns first";
  strides = DenseStrides(in);
  strides[0] = 0;
  EXPECT_TRUE(left({kFloat, in, strides}, w, y)) << "the same image all over";
  EXPECT_TRUE(left(x, {kFloat, weights, 2}, y)) << "elements that are not aligned";
  EXPECT_TRUE(left({kInt, in}, {kInt, weights}, {kInt, out})) << "integers";
  c.out_h = 3;  // less than there are windows, as of a transposed convolution with output_padding
  EXPECT_TRUE(left(x, w, {kFloat, c.out_shape()})) << "a size that cuDNN would not come to";
}

TEST(ConvolutionPlans, ErrorsAreTold) {
  const auto text = [](auto make) {
    try {
      make();
    } catch (const Failure& failure) {
      return failure.text;
    }
    return std::string("no failure");
  };
  EXPECT_EQ(text([] { GpuProperties("A1000"); }),
            "DIOPI_CUDA_PLAN_FOR: no GPU 'A1000' is known; expected one of T4, A100, A10, L40S, H200, B200");
  EXPECT_THAT(text([] { PlanTarget(std::string("{}")); }), ::testing::HasSubstr("CUDNN_STATUS_"));
  // A description that makes no sense is an error, not a graph for our kernels.
  const PlanTarget target(GpuProperties("A100"));
  DnnGraph graph = Graph(kRows[1], ConvolutionProduct::kForward, diopi_dtype_float32);
  graph.Set(graph.Add(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR), CUDNN_ATTR_TENSOR_DIMENSIONS, {1, 2});
  EXPECT_THAT(text([&] { MakePlan(target, graph, false); }),
              ::testing::HasSubstr("cudnnBackendSetAttribute: cuDNN's CUDNN_STATUS_BAD_PARAM"));
}

}  // namespace
}  // namespace diopi::ops::cuda
