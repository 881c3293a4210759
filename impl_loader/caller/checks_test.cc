#include "impl_loader/caller/checks.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "cases/fill/block_fill.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/caller/test_cases.h"

namespace diopi::loader {
namespace {

TEST(CompareRuns, TellsUnwrittenFromDifferent) {
  struct Row {
    std::string a, b;
    bool poisoned;
    int64_t unwritten, first_unwritten, different, first_different;
  };
  const Row rows[] = {
      {"aabb", "aabb", true, 0, -1, 0, -1},
      {"aa\xA5\xA5", "aa\x5A\x5A", true, 1, 1, 0, -1},
      {"aa\xA5\xA5", "aa\xA5\xA5", true, 0, -1, 0, -1},  // a value that equals one poison was written
      {"aa\xA5"
       "b",
       "aa\x5A"
       "b",
       true, 1, 1, 0, -1},  // half an element unwritten
      {"aa\xA5"
       "b",
       "aa\x5A"
       "c",
       true, 0, -1, 1, 1},
      {"aabb", "aacc", true, 0, -1, 1, 1},
      {"\xA5\xA5"
       "bb",
       "\x5A\x5A"
       "cc",
       true, 1, 0, 1, 1},
      {"aa\xA5\xA5", "aa\x5A\x5A", false, 0, -1, 1, 1},  // no poison was there
      {"", "", true, 0, -1, 0, -1},
  };
  for (const Row& row : rows) {
    const RunDifference d = CompareRuns(row.a, row.b, 2, row.poisoned, 0xA5, 0x5A);
    EXPECT_EQ(d.unwritten, row.unwritten) << row.a;
    EXPECT_EQ(d.first_unwritten, row.first_unwritten) << row.a;
    EXPECT_EQ(d.different, row.different) << row.a;
    EXPECT_EQ(d.first_different, row.first_different) << row.a;
  }
}

// A frame in memory that somebody else has prepared and called.
class OthersFrame : public testing::Test {
 protected:
  void SetUp() override {
    const v1::Case c = CaseBuilder("diopiAbs")
                           .Tensor("out", v1::ROLE_OUTPUT, StridedSpec())
                           .Tensor("input", v1::ROLE_INPUT, Spec(v1::Dtype::float32, {4}))
                           .Done();
    const std::vector<InputView> inputs = {{"input", v1::Dtype::float32, {4}, values_, sizeof(values_)}};
    auto frame =
        CallFrame::Build(*abi::FindFunction("diopiAbs"), c, inputs, v1::Dtype::unsupported, &context_);
    ASSERT_TRUE(frame.ok()) << frame.status();
    frame_ = *std::move(frame);
  }
  // Two elements, and one between them.
  static v1::TensorSpec StridedSpec() {
    v1::TensorSpec spec = Spec(v1::Dtype::float32, {2});
    spec.set_strides(0, 2);
    spec.set_storage_elements(3);
    return spec;
  }
  float* Data(size_t tensor) {
    return reinterpret_cast<float*>(frame_->tensors()[tensor].tensor.storage.data);
  }
  std::string Reported() {
    Findings findings;
    CheckOthersFrame(*frame_, 0, &findings);
    return findings.list().size() == 1 ? FindingText(findings.list()[0])
                                       : std::to_string(findings.list().size());
  }

  const float values_[4] = {1, 2, 3, 4};
  runtime::Arena arena_;
  diopiContext context_{&arena_, nullptr, {}};
  std::unique_ptr<CallFrame> frame_;
};

TEST_F(OthersFrame, IsAsAnyCallHasLeftIt) {
  for (const uint8_t poison : kPoison) {
    for (const char* spreading : {"", "*", "input"}) {
      frame_->Prepare(poison, true, spreading);
      Data(0)[0] = Data(0)[2] = 7;
      EXPECT_EQ(Reported(), "0");
    }
  }
}

TEST_F(OthersFrame, ReportsWhatHasChanged) {
  const auto prepare = [this] { frame_->Prepare(kPoison[1], true, "*"); };
  prepare();
  Data(1)[4] = 0;
  EXPECT_EQ(Reported(), "4 bytes written outside input (16 bytes), starting 0 bytes past its end");
  prepare();
  Data(1)[2] = 0;
  EXPECT_EQ(Reported(), "1 element of the input input changed, the first at 2");
  prepare();
  Data(0)[1] = 0;
  EXPECT_EQ(Reported(),
            "the library wrote 1 element of the storage of out outside the tensor (its strides were "
            "ignored), the first at 1");
}

// Between the elements of an inout lies what was there before the call.
TEST(CheckFrame, WatchesTheGapsOfAnInout) {
  const float values[2] = {-1, -2};
  v1::TensorSpec spec = Spec(v1::Dtype::float32, {2});
  spec.set_strides(0, 3);
  spec.set_storage_elements(4);
  const v1::Case c = CaseBuilder("diopiAbsInp").Tensor("input", v1::ROLE_INOUT, spec).Done();
  runtime::Arena arena;
  diopiContext context{&arena, nullptr, {}};
  const auto frame = CallFrame::Build(*abi::FindFunction("diopiAbsInp"), c,
                                      {{"input", v1::Dtype::float32, {2}, values, sizeof(values)}},
                                      v1::Dtype::unsupported, &context);
  ASSERT_TRUE(frame.ok()) << frame.status();
  for (const int64_t damaged : {-1, 1, 2}) {
    (*frame)->Prepare(kPoison[0], true, "");
    auto* const data = reinterpret_cast<float*>((*frame)->tensors()[0].tensor.storage.mirror);
    data[0] = data[3] = 7;  // the elements
    if (damaged >= 0) data[damaged] = 0;
    Findings findings;
    CheckFrame(frame->get(), context, &findings);
    ASSERT_EQ(findings.list().size(), damaged < 0 ? 0U : 1U) << damaged;
    if (damaged < 0) continue;
    EXPECT_EQ(findings.list()[0].code(), v1::Finding::STRIDES_IGNORED);
    EXPECT_EQ(findings.list()[0].index(), damaged);
  }
}

// An output in the memory of an input: what the library writes is no damage, everything else is.
TEST(CheckFrame, AllowsAnOutputInTheMemoryOfAnInput) {
  const float values[2] = {-1, -2};
  for (const bool gaps : {false, true}) {
    v1::TensorSpec input = Spec(v1::Dtype::float32, {2});
    input.set_strides(0, 2);
    input.set_storage_elements(4);
    v1::TensorSpec out = input;
    out.set_storage_offset(gaps ? 1 : 0);
    out.set_same_as("input");
    const v1::Case c = CaseBuilder("diopiAbs")
                           .Tensor("out", v1::ROLE_OUTPUT, out)
                           .Tensor("input", v1::ROLE_INPUT, input)
                           .Done();
    runtime::Arena arena;
    diopiContext context{&arena, nullptr, {}};
    const auto frame = CallFrame::Build(*abi::FindFunction("diopiAbs"), c,
                                        {{"input", v1::Dtype::float32, {2}, values, sizeof(values)}},
                                        v1::Dtype::unsupported, &context);
    ASSERT_TRUE(frame.ok()) << frame.status();
    std::deque<BoundTensor>& tensors = (*frame)->tensors();
    EXPECT_EQ(tensors[0].tensor.storage.data, tensors[1].tensor.storage.data);
    for (const int damaged : {-1, gaps ? 0 : 1, gaps ? 2 : 3}) {
      (*frame)->Prepare(kPoison[0], true, "*");
      auto* const data = reinterpret_cast<float*>(tensors[1].tensor.storage.mirror);
      EXPECT_EQ(data[0], -1);
      EXPECT_EQ(data[2], -2);
      data[gaps ? 1 : 0] = 1;
      data[gaps ? 3 : 2] = 2;
      if (damaged >= 0) data[damaged] = 0;
      Findings findings;
      CheckFrame(frame->get(), context, &findings);
      EXPECT_EQ(findings.list().size(), damaged < 0 ? 0U : 1U) << gaps << " " << damaged;
      EXPECT_FALSE(tensors[1].intact) << "the next call needs its values again";
      EXPECT_EQ(ReadTensor("out", tensors[0].tensor).data, std::string("\0\0\x80\x3F\0\0\0\x40", 8));
    }
  }
}

// In an input made in blocks, every sixteenth part of 64 KiB and the last one are looked at.
TEST(CheckFrame, SamplesLargeInputs) {
  constexpr int64_t kPart = 64 << 10;
  constexpr int64_t kParts = 40;
  v1::TensorSpec spec = Spec(v1::Dtype::float32, {kParts * kPart / 4});
  spec.mutable_fill()->mutable_normal()->set_std(1);
  const auto blocks = BlockTensor::Open(spec, 5);
  ASSERT_TRUE(blocks.ok() && *blocks != nullptr) << blocks.status();
  const v1::Case c = CaseBuilder("diopiAbs")
                         .Tensor("out", v1::ROLE_OUTPUT, Spec(v1::Dtype::float32, {4}))
                         .Tensor("input", v1::ROLE_INPUT, spec)
                         .Done();
  const std::vector<InputView> inputs = {
      {"input", (*blocks)->dtype(), (*blocks)->shape(), nullptr, kParts * kPart, blocks->get()}};
  runtime::Arena arena;
  diopiContext context{&arena, nullptr, {}};
  const auto frame =
      CallFrame::Build(*abi::FindFunction("diopiAbs"), c, inputs, v1::Dtype::unsupported, &context);
  ASSERT_TRUE(frame.ok()) << frame.status();
  (*frame)->Prepare(kPoison[0], true, "");
  std::byte* const data = (*frame)->tensors()[1].tensor.storage.mirror;
  for (int64_t part = 0; part < kParts; ++part) {
    for (const int64_t at : {part * kPart, (part + 1) * kPart - 1}) {
      data[at] ^= std::byte{1};
      for (const Inputs inputs_seen : {Inputs::kAll, Inputs::kSample, Inputs::kSent}) {
        Findings findings;
        CheckFrame(frame->get(), context, &findings, inputs_seen);
        const bool sampled = part % 16 == 0 || part == kParts - 1;
        const bool seen = inputs_seen == Inputs::kAll || (inputs_seen == Inputs::kSample && sampled);
        EXPECT_EQ(findings.list().size(), seen ? 1U : 0U) << at << " " << static_cast<int>(inputs_seen);
      }
      data[at] ^= std::byte{1};
    }
  }
}

TEST(Findings, KeepsTheFirstOfThoseThatAreAlike) {
  Findings findings;
  findings.Add(Found(v1::Finding::NOT_WRITTEN).Name("out").Count(1));
  findings.Add(Found(v1::Finding::NOT_WRITTEN).Name("out").Count(2));
  findings.Add(Found(v1::Finding::WRITTEN_PAST_END).Name("out").Count(3));
  findings.Add(Found(v1::Finding::WRITTEN_BEFORE_START).Name("out").Count(4));
  findings.Add(Found(v1::Finding::WRITTEN_PAST_END).Name("other").Count(5));
  std::vector<int64_t> counts;
  for (const v1::Finding& finding : findings.list()) counts.push_back(finding.count());
  EXPECT_EQ(counts, (std::vector<int64_t>{1, 3, 5}));
}

}  // namespace
}  // namespace diopi::loader
