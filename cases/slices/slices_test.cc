// Which elements of large calls are compared: positions, windows, errors of operator files, and how often
// defects that lie together would be missed.
#include "cases/slices/slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "cases/base/layout.h"
#include "cases/core/catalog.h"
#include "cases/core/model_cases.h"
#include "cases/fill/block_fill.h"
#include "cases/slices/piece_grid.h"
#include "cases/slices/resolved_axes.h"
#include "cases/slices/sample.h"

namespace diopi::slices {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int64_t kTrueSize = int64_t{1} << 40;

TEST(SampleTest, PositionsAreBothEndsAndOneInEachPart) {
  Draws draws(7);
  const std::vector<int64_t> all = SamplePositions(5, 9, &draws);
  EXPECT_EQ(all, std::vector<int64_t>({0, 1, 2, 3, 4}));
  for (const int64_t size : {10, 1000, 4097, 128256}) {
    for (const int64_t count : {2, 4, 9}) {
      const std::vector<int64_t> few = SamplePositions(size, count, &draws);
      EXPECT_LE(few.size(), static_cast<size_t>(count));
      EXPECT_EQ(few.front(), 0);
      EXPECT_EQ(few.back(), size - 1);
      EXPECT_TRUE(std::is_sorted(few.begin(), few.end()));
    }
  }
  const std::vector<int64_t> dense = SamplePositions(100'000, 2000, &draws);
  const int64_t part = 100'000 / 1500;  // a quarter of the positions may be edges of tiles
  for (size_t i = 1; i < dense.size(); ++i) EXPECT_LE(dense[i] - dense[i - 1], 2 * part + 2);
  for (const int64_t edge : {15, 16, 1023, 1024, 99'968 - 1, 99'968}) {
    EXPECT_TRUE(std::binary_search(dense.begin(), dense.end(), edge)) << edge;
  }
}

// A slice of a tensor that is filled in blocks is made alone, with the same bits.
TEST(PlacesTest, SlicesOfBlocksAreThoseOfTheWhole) {
  v1::TensorSpec spec;
  spec.set_dtype(v1::Dtype::bfloat16);
  const std::vector<int64_t> shape = {37, 53, 71};
  spec.mutable_shape()->Assign(shape.begin(), shape.end());
  spec.mutable_fill()->mutable_normal()->set_std(1);
  ASSERT_TRUE(ApplyLayout(v1::Layout(), &spec).ok());
  const auto blocks = BlockTensor::Open(spec, 5);
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  ASSERT_NE(*blocks, nullptr) << "it has fewer elements than a pool";
  const HostTensor whole = (*blocks)->Whole();
  Draws draws(3);
  const Places rows[] = {
      {{{0, 1, 2, 36}, {52}, {0, 3, 4, 70}}, {}},
      {{SamplePositions(37, 9, &draws), SamplePositions(53, 11, &draws), SamplePositions(71, 71, &draws)},
       {}},
      {{}, SamplePlaces(shape, 500, &draws)},
  };
  for (const Places& places : rows) {
    const HostTensor alone = TakePlaces(**blocks, places);
    const HostTensor taken = TakePlaces(whole, places);
    EXPECT_EQ(alone.data, taken.data);
    EXPECT_EQ(alone.shape, taken.shape);
  }
  const HostTensor corner = TakePlaces(whole, rows[0]);
  EXPECT_EQ(corner.data.substr(corner.data.size() - 2),
            whole.data.substr(static_cast<size_t>((36 * 53 + 52) * 71 + 70) * 2, 2));
}

// Against the definition: output t reads the inputs t * stride - padding + dilation * k.
TEST(WindowTest, ARangeHoldsWhatItsWindowsRead) {
  int checked = 0;
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t padding : {0, 1, 3}) {
      for (const int64_t dilation : {1, 2}) {
        for (const int64_t kernel : {1, 3, 7}) {
          WindowShape shape{stride, padding, dilation, kernel, 0, 40, false};
          shape.out = shape.Outputs(shape.in);
          for (int64_t begin = 0; begin + 6 <= shape.out; ++begin) {
            const WindowRange range = shape.Around(begin, begin + 6);
            ASSERT_EQ(shape.Outputs(range.in_end - range.in_begin), range.out_end - range.out_begin);
            ASSERT_LE(range.out_begin, begin);
            ASSERT_GE(range.out_right_end, begin + 6);
            for (int64_t t = 0; t < shape.out; ++t) {
              for (int64_t k = 0; k < kernel; ++k) {
                const int64_t read = t * stride - padding + dilation * k;
                if (read < 0 || read >= shape.in) continue;
                if (t >= range.out_right_begin && t < range.out_right_end) {
                  EXPECT_TRUE(read >= range.in_begin && read < range.in_end);
                }
                if (read >= range.in_right_begin && read < range.in_right_end) {
                  EXPECT_TRUE(t >= range.out_begin && t < range.out_end);
                }
                ++checked;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 10'000);
}

TEST(WindowTest, WindowsThatReadOnlyPaddingHaveNoRange) {
  WindowShape shape{1, 9, 1, 1, 0, 40, false};
  shape.out = shape.Outputs(shape.in);
  const WindowRange last = shape.Around(48, 54);  // its first window reads the last element
  EXPECT_EQ(last.in_begin, 39);
  EXPECT_EQ(last.in_end, 40);
  const WindowRange none = shape.Around(49, 55);
  EXPECT_EQ(none.in_end, none.in_begin);
  EXPECT_EQ(none.out_right_end, none.out_right_begin);
}

TEST(SliceAxesTest, ErrorsNameFileAndLine) {
  const struct {
    const char* slices;
    const char* expected;
  } rows[] = {
      {"axes: \"input[b.., k] weight[n, k] bias[n] out[b.., n]\" free: \"out: b.. m\"",
       "no tensor has the axis 'm', which 'out' is free along"},
      {"axes: \"input[b.., k] weight[n, k] out[b.., n]\" free: \"out: n\"", "the axes of 'bias' are missing"},
      {"axes: \"input[b.., k] weight[n, k] bias[n] result[n] out[b.., n]\"",
       "diopiLinear has no argument 'result'"},
      {"axes: \"input[b.., k] weight[n, k] bias[n] out[b.., n]\" free: \"weight: n\"",
       "'weight' is not an output"},
      {"axes: \"input[b.., K] weight[n, k]\"", "'K' is not an axis"},
      {"axes: \"input[b.., k\"", "is not closed"},
      {"axes: \"input[b.., k] weight[n, k] bias[n] out[b.., n] groups{g}\"",
       "no tensor has the axis 'g' of 'groups'"},
      {"axes: \"input[b.., k] weight[n, k] bias[n] out[b.., n]\" window: \"h\"", "two or three letters"},
      {"axes: \"input[b.., k] weight[n, k] bias[n] out[b.., n]\" gathered: \"v index\"",
       "the gathered axis 'v'"},
      {"axis: \"\"", "has no field named \"axis\""},
  };
  for (const auto& row : rows) {
    const std::string text = absl::StrCat(
        "elementwise: [\"diopiAdd\"]\n\nfunction { name: \"diopiLinear\"\n  ", row.slices, " }\n");
    const absl::Status status = ParseSliceFile(text, "linear.textproto").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.slices;
    EXPECT_THAT(std::string(status.message()), StartsWith("linear.textproto:")) << row.slices;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.expected)) << row.slices;
  }
  const absl::Status twice =
      ParseSliceFile("elementwise: [\"diopiAdd\",\n\"diopiAdd\",\n \"diopiAdds\"]", "e.textproto").status();
  EXPECT_EQ(std::string(twice.message()),
            "e.textproto:2: diopiAdd is given twice\ne.textproto:3: the ABI has no function 'diopiAdds'");
}

// One function's case of a model's call at its true size.
v1::Case TrueSize(const cases::Catalog& catalog, const std::string& call, const std::string& function) {
  const absl::StatusOr<cases::Model> model =
      cases::ParseModel({"one", absl::StrCat("# a call\n", call, "\n")});
  EXPECT_TRUE(model.ok()) << model.status();
  const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], catalog.operators());
  const absl::StatusOr<cases::CallCases> built = cases::BuildCall(*op, model->calls[0], kTrueSize);
  EXPECT_TRUE(built.ok()) << built.status();
  EXPECT_FALSE(built->scaled) << call;
  for (const v1::Case& c : built->cases) {
    if (c.function() == function) return c;
  }
  ADD_FAILURE() << call << " has no " << function;
  return v1::Case();
}

std::vector<int64_t> ShapeOf(const v1::Case& c, const std::string& key) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() == key) return {arg.tensor().shape().begin(), arg.tensor().shape().end()};
  }
  return {};
}

// The compared elements of one output.
class Sample {
 public:
  Sample(const v1::Case& c, const std::string& output) : shape_(ShapeOf(c, output)) {
    const auto places = ComparedPlaces(Cut(c, BuiltinSlices(c.function())));
    flat_ = places.at(output);
    std::sort(flat_.begin(), flat_.end());
    for (const int64_t place : flat_) {
      std::vector<int64_t> at(shape_.size());
      int64_t rest = place;
      for (size_t d = shape_.size(); d-- > 0; rest /= shape_[d]) at[d] = rest % shape_[d];
      at_.push_back(at);
    }
  }
  const std::vector<int64_t>& shape() const { return shape_; }
  size_t size() const { return flat_.size(); }
  bool SeesRange(int64_t begin, int64_t end) const {
    const auto found = std::lower_bound(flat_.begin(), flat_.end(), begin);
    return found != flat_.end() && *found < end;
  }
  bool SeesBox(const std::vector<int64_t>& begin, const std::vector<int64_t>& end) const {
    return std::any_of(at_.begin(), at_.end(), [&](const std::vector<int64_t>& at) {
      for (size_t d = 0; d < at.size(); ++d) {
        if (at[d] < begin[d] || at[d] >= end[d]) return false;
      }
      return true;
    });
  }

 private:
  std::vector<int64_t> shape_;
  std::vector<int64_t> flat_;
  std::vector<std::vector<int64_t>> at_;
};

// A box of about a thousandth of the tensor: each axis is cut to a random part of it until it is small
// enough.
void RandomBox(const std::vector<int64_t>& shape, Draws* draws, std::vector<int64_t>* begin,
               std::vector<int64_t>* end) {
  std::vector<int64_t> size = shape;
  const double wanted = static_cast<double>(NumElements(shape)) / 1000;
  while (static_cast<double>(NumElements(size)) > wanted) {
    const size_t d = static_cast<size_t>(draws->Below(static_cast<int64_t>(size.size())));
    if (size[d] > 1) size[d] = std::max<int64_t>((size[d] + 1) / 2, 1);
    if (static_cast<double>(NumElements(size)) < 2 * wanted) break;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    (*begin)[d] = draws->Below(shape[d] - size[d] + 1);
    (*end)[d] = (*begin)[d] + size[d];
  }
}

struct Figures {
  int64_t tails = 0, tails_seen = 0;    // the last partial tile of an axis
  int64_t planes = 0, planes_seen = 0;  // one position of an axis of up to 2000: a head, a batch, a channel
  double range_missed = 0;              // of contiguous ranges of a thousandth
  double box_missed = 0;                // of boxes of about a thousandth
  double swap_missed = 0;               // of two exchanged blocks of a thousandth each
};

Figures Measure(const Sample& sample) {
  constexpr int kTrials = 2000;
  Figures figures;
  const std::vector<int64_t>& shape = sample.shape();
  std::vector<int64_t> begin(shape.size(), 0);
  std::vector<int64_t> end = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    for (int64_t tile = 16; tile <= 1024 && tile < shape[d]; tile *= 2) {
      begin[d] = (shape[d] - 1) / tile * tile;
      ++figures.tails;
      figures.tails_seen += sample.SeesBox(begin, end) ? 1 : 0;
    }
    const int64_t positions = shape[d] > SliceLimits().dense ? 0 : std::min<int64_t>(shape[d], 64);
    for (int64_t i = 0; i < positions; ++i) {
      begin[d] = shape[d] * i / positions;
      end[d] = begin[d] + 1;
      ++figures.planes;
      figures.planes_seen += sample.SeesBox(begin, end) ? 1 : 0;
    }
    begin[d] = 0;
    end[d] = shape[d];
  }
  Draws draws(11);
  const int64_t elements = NumElements(shape);
  const int64_t length = std::max<int64_t>(elements / 1000, 1);
  for (int i = 0; i < kTrials; ++i) {
    const int64_t from = draws.Below(elements - length);
    figures.range_missed += sample.SeesRange(from, from + length) ? 0 : 1.0 / kTrials;
    RandomBox(shape, &draws, &begin, &end);
    figures.box_missed += sample.SeesBox(begin, end) ? 0 : 1.0 / kTrials;
    const int64_t a = draws.Below(elements - length);
    const int64_t b = draws.Below(elements - length);
    const bool seen = sample.SeesRange(a, a + length) || sample.SeesRange(b, b + length);
    figures.swap_missed += seen ? 0 : 1.0 / kTrials;
  }
  return figures;
}

TEST(SlicesTest, DefectsThatLieTogetherAreSeen) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const struct {
    const char* call;
    const char* function;
    const char* output;
    double box = 0.01;  // boxes may be missed so often
  } rows[] = {
      {"linear bfloat16 input[1,4096,4096] weight[14336,4096] bias[null]", "diopiLinear", "out"},
      {"linear+backward bfloat16 input[1,4096,4096] weight[14336,4096] bias[null]", "diopiLinearBackward",
       "grad_weight"},
      {"diopiBmm float32 input[768,577,577] mat2[768,577,64]", "diopiBmm", "out"},
      {"conv2d+backward float32 input[16,64,56,56] weight[128,64,3,3] bias[null] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=1",
       "diopiConvolution2d", "out", 0.04},
      {"conv2d+backward float32 input[16,64,56,56] weight[128,64,3,3] bias[null] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=1",
       "diopiConvolution2dBackward", "grad_input", 0.15},
      {"diopiMm float32 input[243,48000] mat2[48000,243]", "diopiMm", "out", 0.03},
      {"add bfloat16 input[1,4096,4096] other[1,4096,4096] alpha=1", "diopiAdd", "out"},
      {"softmax float32 input[1024,6,49,49] dim=-1", "diopiSoftmax", "out"},
      {"batch_norm float32 input[32,64,112,112] running_mean[64] running_var[64] weight[64] bias[64] "
       "training=true "
       "momentum=0.1 eps=1e-05",
       "diopiBatchNorm", "out"},
      {"layer_norm+backward float32 input[64,577,768] weight[768] bias[768] eps=1e-06 normalized_shape=(768)",
       "diopiLayerNormBackward", "grad_input"},
      {"max_pool2d+backward float32 input[32,64,112,112] stride=(2,2) padding=(1,1) ceil_mode=false "
       "dilation=(1,1) kernel_size=(3,3)",
       "diopiMaxPool2dWithIndices", "out"},
      {"embedding bfloat16 indices[4096]:int64~0..99 weight[32000,4096] padding_idx=-1 "
       "scale_grad_byfreq=false sparse=false",
       "diopiEmbedding", "out"},
      {"transpose float16 input[5,346,32,128] dim0=1 dim1=2", "diopiTranspose", "out"},
  };
  std::printf("%-28s %-12s %8s %10s %11s %8s %8s %8s\n", "function", "output", "compared", "tails", "planes",
              "range", "box", "swap");
  for (const auto& row : rows) {
    const v1::Case c = TrueSize(**catalog, row.call, row.function);
    ASSERT_TRUE(IsSliced(c)) << c.id();
    const Sample sample(c, row.output);
    const Figures figures = Measure(sample);
    std::printf("%-28s %-12s %8zu %4lld/%-5lld %5lld/%-5lld %7.2f%% %7.2f%% %7.2f%%\n", row.function,
                row.output, sample.size(), static_cast<long long>(figures.tails_seen),
                static_cast<long long>(figures.tails), static_cast<long long>(figures.planes_seen),
                static_cast<long long>(figures.planes), 100 * figures.range_missed, 100 * figures.box_missed,
                100 * figures.swap_missed);
    EXPECT_EQ(figures.tails_seen, figures.tails) << c.id();
    EXPECT_EQ(figures.planes_seen, figures.planes) << c.id();
    EXPECT_LT(figures.range_missed, 0.01) << c.id();
    EXPECT_LT(figures.box_missed, row.box) << c.id();
    EXPECT_LT(figures.swap_missed, 0.01) << c.id();
  }
}

TEST(SlicesTest, PlacesFollowFromTheCaseAlone) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const v1::Case c =
      TrueSize(**catalog, "linear float32 input[512,1000] weight[777,1000] bias[777]", "diopiLinear");
  const auto places = ComparedPlaces(Cut(c, BuiltinSlices(c.function())));
  EXPECT_EQ(places, ComparedPlaces(Cut(c, BuiltinSlices(c.function()))));
  EXPECT_EQ(places, ComparedPlaces(c, BuiltinSlices(c.function())));
  v1::Case other = c;
  other.set_hash("another");
  EXPECT_NE(places, ComparedPlaces(Cut(other, BuiltinSlices(c.function()))));
  const PieceSizes sizes = MeasurePieces(c, BuiltinSlices(c.function()));
  EXPECT_EQ(sizes.moved_bytes, 0);
}

TEST(SlicesTest, PlacesAreThoseOfThePieces) {
  const std::pair<const char*, const char*> kCalls[] = {
      {"add float32 input[1024,4096] other[1024,4096] alpha=2", "diopiAdd"},
      {"softmax float32 input[4096,1024] dim=-1", "diopiSoftmax"},
      {"conv2d float32 input[16,16,64,64] weight[16,16,3,3] bias[16] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=1",
       "diopiConvolution2d"},
      {"embedding bfloat16 indices[512]:int64~0..99 weight[4096,4096] padding_idx=-1 "
       "scale_grad_byfreq=false sparse=false",
       "diopiEmbedding"},
  };
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  for (const auto& [call, function] : kCalls) {
    const v1::Case c = TrueSize(**catalog, call, function);
    const v1::Slices slices = BuiltinSlices(function);
    const auto places = ComparedPlaces(Cut(c, slices));
    EXPECT_FALSE(places.empty()) << call;
    EXPECT_EQ(ComparedPlaces(c, slices), places) << call;
  }
}

// Outputs that need no slices: random ones have no piece; what the library makes, and whole values that are
// only moved, have a hash.
TEST(SlicesTest, WholeOutputsNeedNoSlices) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const struct {
    const char* call;
    const char* function;
    size_t pieces;
    std::set<std::string> hashed;
  } rows[] = {
      {"diopiNormalInp float32 inout[1024,1024] mean=0 std=0.01", "diopiNormalInp", 0, {}},
      {"uniform bfloat16 inout[1024,1024] from=0 to=1", "diopiUniformInp", 0, {}},
      {"dropout float16 input[64,1024,256] p=0.1 train=true", "diopiDropout", 0, {}},
      {"randperm int64 out[93828] n=93828", "diopiRandperm", 0, {}},
      {"multinomial float32 input[5,32000]~uniform(0.1,2) num_samples=1 replacement=false",
       "diopiMultinomial",
       0,
       {}},
      {"nonzero bool input[1,512,1024]", "diopiNonzero", 1, {"out"}},
      {"topk float32 input[1,1505280] dim=1 largest=true sorted=true k=100", "diopiTopk", 1, {"values"}},
  };
  for (const auto& row : rows) {
    const v1::Case c = TrueSize(**catalog, row.call, row.function);
    EXPECT_TRUE(IsSliced(c)) << row.call;
    EXPECT_EQ(WhyNotComputable(c), "") << row.call;
    const std::vector<Piece> pieces = Cut(c, BuiltinSlices(c.function()));
    EXPECT_EQ(pieces.size(), row.pieces) << row.call;
    for (const Piece& piece : pieces) {
      EXPECT_TRUE(piece.whole);
      EXPECT_EQ(piece.hashed, row.hashed) << row.call;
    }
  }
  // Draws that are not alike are judged one by one as long as they are few.
  const v1::Case few =
      TrueSize(**catalog, "diopiNormalTensorScalar float32 mean[300,300] std=1", "diopiNormalTensorScalar");
  EXPECT_TRUE(IsSliced(few));
}

// The gradient of one bias adds up a column of gradients, whatever the input is.
TEST(SlicesTest, OneElementIsComputedWithoutWhatItIgnores) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const v1::Case c =
      TrueSize(**catalog, "linear+backward float32 input[384,31,6,40,512] weight[1,512] bias[1]",
               "diopiLinearBackward");
  EXPECT_EQ(WhyNotComputable(c), "");
  for (const Piece& piece : Cut(c, BuiltinSlices(c.function()))) {
    EXPECT_FALSE(piece.whole);
    if (!piece.outputs.contains("grad_bias")) continue;
    EXPECT_EQ(piece.outputs.at("grad_bias").in_whole, std::vector<int64_t>{0});
    EXPECT_EQ(piece.inputs.at("input").lists.back().size(), 1);
    EXPECT_EQ(piece.inputs.at("grad_output").lists.front().size(), 384);
  }
}

// The mean of a vocabulary's losses comes from pieces that compute them one by one. Its gradients are divided
// by the number of losses, of which a piece has fewer; where a target may be ignored, that number is not
// known.
TEST(SlicesTest, LossesAreComputedInPieces) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const std::string call =
      "cross_entropy+backward float32 input[4096,152064] target[4096]:int64~0..152063 weight[null] "
      "reduction=\"mean\" "
      "ignore_index=-100 label_smoothing=0.0";
  const v1::Case loss = TrueSize(**catalog, call, "diopiCrossEntropyLoss");
  EXPECT_EQ(WhyNotComputable(loss), "");
  std::vector<int64_t> rows;
  const std::vector<Piece> pieces = Cut(loss, BuiltinSlices(loss.function()));
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.joined, Reduction::kMean);
    EXPECT_EQ(ReductionOf(piece.c), Reduction::kNone);
    const std::vector<int64_t>& taken = piece.inputs.at("target").lists.front();
    rows.insert(rows.end(), taken.begin(), taken.end());
    EXPECT_EQ(piece.outputs.at("out").in_piece.size(), taken.size());
  }
  EXPECT_EQ(rows, Range(0, 4096));
  EXPECT_EQ(ComparedPlaces(pieces).at("out"), std::vector<int64_t>{0});
  EXPECT_EQ(ComparedPlaces(loss, BuiltinSlices(loss.function())), ComparedPlaces(pieces));

  const v1::Case gradient = TrueSize(**catalog, call, "diopiCrossEntropyLossBackward");
  EXPECT_EQ(WhyNotComputable(gradient), "");
  for (const Piece& piece : Cut(gradient, BuiltinSlices(gradient.function()))) {
    EXPECT_EQ(piece.joined, Reduction::kNone);
    EXPECT_EQ(piece.scale * 4096, static_cast<double>(piece.inputs.at("target").lists.front().size()));
  }
}

// A scaled call says why.
TEST(SlicesTest, ScaledCallsHaveAReason) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok());
  const struct {
    const char* call;
    int64_t bound;
    const char* why;
  } rows[] = {
      {"add float32 input[512,1024] other[512,1024] alpha=2", 1 << 20,
       "a tensor takes 2097152 bytes, more than the bound of 1048576"},
      {"diopiNormalTensorScalar float32 mean[1024,1024] std=1", kTrueSize,
       "diopiNormalTensorScalar: its outputs cannot be judged where they lie"},
      {"permute float32 input[512,31,512,6,40] dims=(0,1,3,4,2)", kTrueSize,
       "diopiPermute: its references would take 7801405440 bytes that are moved, more than 6442450944"},
      {"cross_entropy float32 input[4096,152064] target[4096]:int64~0..152063 weight[null] "
       "reduction=\"mean\" "
       "ignore_index=7 label_smoothing=0.0",
       kTrueSize,
       "diopiCrossEntropyLoss: its references would take 622854144 elements that are computed with at once, "
       "more than 134217728"},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<cases::Model> model =
        cases::ParseModel({"one", absl::StrCat("# a call\n", row.call, "\n")});
    ASSERT_TRUE(model.ok()) << model.status();
    const v1::OperatorFile* op = cases::OperatorOf(model->calls[0], (*catalog)->operators());
    const absl::StatusOr<cases::CallCases> built = cases::BuildCall(*op, model->calls[0], row.bound);
    ASSERT_TRUE(built.ok()) << built.status();
    EXPECT_TRUE(built->scaled) << row.call;
    EXPECT_THAT(built->why_scaled, HasSubstr(row.why));
    EXPECT_THAT(built->cases[0].reveals(), HasSubstr(row.why));
  }
}

}  // namespace
}  // namespace diopi::slices
