#include "cases/core/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/core/case_builder.h"
#include "cases/core/catalog.h"
#include "cases/core/core_testing.h"
#include "cases/core/model_cases.h"
#include "cases/fill/fill.h"
#include "cases/findings/finding_text.h"

namespace diopi::cases {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kUnscaled = int64_t{1} << 50;

TEST(ModelFileTest, ReadsCallsWithStagesAndSizes) {
  constexpr char kText[] = R"(about A model of two layers; text detection; 9 pixels
# Made up.
let hidden = 64
let batch = 2
let scale = 0.125
stage prefill
times 2*batch
  linear float16 input[batch,hidden] weight[3*hidden,hidden] bias[null]
stage decode
  relu_ float32 input[]
  cat+backward bfloat16 tensors[4,hidden]:int64~0..hidden-1*3 x=null y=(1,hidden) z=-0.5 s="sum" b=true n=hidden/2 f=scale
)";
  const absl::StatusOr<Model> model = ParseModel({"tiny", kText}, {}, {{"batch", "5"}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(FindingText(model->about),
            "A model of two layers, text detection at 9 pixels, from its published configuration: prefill, "
            "decode");
  ASSERT_EQ(model->calls.size(), 3U);
  const ModelCall& linear = model->calls[0];
  EXPECT_EQ(linear.place, "tiny.calls:8");
  EXPECT_EQ(linear.stage, "prefill");
  EXPECT_EQ(linear.times, 10);
  EXPECT_EQ(linear.dtype, v1::Dtype::float16);
  EXPECT_THAT(linear.point.in(1).shape(), ElementsAre(192, 64));
  EXPECT_TRUE(linear.point.in(2).null());
  EXPECT_FALSE(linear.in_place || linear.backward);
  const ModelCall& relu = model->calls[1];
  EXPECT_TRUE(relu.in_place);
  EXPECT_EQ(relu.name, "relu");
  EXPECT_EQ(relu.times, 1);
  EXPECT_EQ(relu.stage, "decode");
  const ModelCall& cat = model->calls[2];
  EXPECT_TRUE(cat.backward);
  ASSERT_EQ(cat.point.in_size(), 3);
  EXPECT_EQ(cat.point.in(2).dtype(), "int64");
  EXPECT_EQ(cat.point.in(2).fill().integers().high(), 63);
  EXPECT_TRUE(cat.point.attr(0).null());
  EXPECT_THAT(cat.point.attr(1).sizes().values(), ElementsAre(1, 64));
  EXPECT_EQ(cat.point.attr(2).f(), -0.5);
  EXPECT_EQ(cat.point.attr(3).s(), "sum");
  EXPECT_TRUE(cat.point.attr(4).b());
  EXPECT_EQ(cat.point.attr(5).i(), 32);
  EXPECT_EQ(cat.point.attr(6).f(), 0.125);
}

TEST(ModelFileTest, FaultsNameFileAndLine) {
  const struct {
    const char* text;
    const char* expected;
  } rows[] = {
      {"", "tiny.calls: a model makes at least one call"},
      {"# a\nrelu", "tiny.calls:2: expected an operator, a dtype and arguments"},
      {"relu float31 input[2]", "tiny.calls:1: "},
      {"relu float32 input", "'input': expected name[sizes] or name=value"},
      {"relu float32 input[2", "'input[2': a bracket is not closed"},
      {"relu float32 input[n]", "a variable without a value"},
      {"relu float32 input[-2]", "a size is at least 0"},
      {"relu float32 input[2]x", "expected :dtype, ~fill or *count"},
      {"relu float32 input[2]:float", "'input[2]:float': "},
      {"relu float32 input[2]~zipf(1)", "known fills: uniform(low,high)"},
      {"relu float32 input[2]~uniform(a,b)", "not a number: a"},
      {"relu float32 input[2]*0", "at least once"},
      {"relu float32 a=", "the value is missing"},
      {"relu float32 a=\"sum", "a quotation mark is missing"},
      {"relu float32 a=(1", "a parenthesis is not closed"},
      {"let n 3", "expected 'let NAME = VALUE'"},
      {"times -1", "at least 0"},
  };
  for (const auto& row : rows) {
    const absl::Status status = ParseModel({"tiny", row.text}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.expected)) << row.text;
  }
  EXPECT_EQ(ParseModel({"tiny", "relu float32 input[2]"}, {}, {{"batch", "1"}}).status().code(),
            absl::StatusCode::kNotFound);
}

// A layer's default stands where the file that uses it, or the command line, sets nothing; calls that a step
// makes 0 times are left out, whatever their sizes.
TEST(ModelFileTest, DefaultsAndCallsThatAreNeverMade) {
  const std::vector<ModelText> parts = {
      {"layer",
       "default rows = 2\ndefault gap = rows-2\ntimes gap\nrelu float32 input[1/gap]\ntimes 1-(gap>0)\n"
       "tanh float32 input[rows]"}};
  const auto calls = [&](const char* text, const Variables& sizes) {
    std::vector<std::string> lines;
    const absl::StatusOr<Model> model = ParseModel({"tiny", text}, parts, sizes);
    EXPECT_TRUE(model.ok()) << model.status();
    if (!model.ok()) return lines;
    for (const ModelCall& call : model->calls)
      lines.push_back(
          absl::StrCat(call.times, " ", call.name, " ", absl::StrJoin(call.point.in(0).shape(), ",")));
    return lines;
  };
  EXPECT_THAT(calls("use layer", {}), ElementsAre("1 tanh 2"));
  EXPECT_THAT(calls("let rows = 3\nuse layer", {}), ElementsAre("1 relu 1"));
  EXPECT_THAT(calls("use layer", {{"rows", "5"}}), ElementsAre("3 relu 0"));
}

TEST(ModelFileTest, UsesLayersOfOtherFiles) {
  const std::vector<ModelText> parts = {
      {"layer", "times 2\nrelu float32 input[hidden]"}, {"loop", "use loop"}, {"bad", "\nrelu"}};
  const absl::StatusOr<Model> model =
      ParseModel({"tiny", "let hidden = 6\nuse layer\ntanh float32 input[2]"}, parts);
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->calls.size(), 2U);
  EXPECT_EQ(model->calls[0].place, "layer.layers:2");
  EXPECT_THAT(model->calls[0].point.in(0).shape(), ElementsAre(6));
  EXPECT_EQ(model->calls[1].times, 2);
  const auto fault = [&](const char* text) {
    return std::string(ParseModel({"tiny", text}, parts).status().message());
  };
  EXPECT_THAT(fault("use loop"), HasSubstr("loop.layers uses itself"));
  EXPECT_THAT(fault("use bad"), HasSubstr("bad.layers:2: expected an operator"));
  EXPECT_THAT(fault("use none"), HasSubstr("tiny.calls:1: there is no 'none' to use"));
}

// Every size that can be scaled is, equal ones alike; what must fit together still does.
TEST(ModelCasesTest, CallsAreScaledToABound) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  const struct {
    const char* call;
    int64_t bound;
    std::vector<std::vector<int64_t>> shapes;  // of the inputs of the first case
    size_t functions;
  } rows[] = {
      {"relu float32 input[3,5]", 64, {{3, 5}}, 1},
      {"sigmoid_+backward float32 input[1000,1003]", 4096, {{16, 19}, {16, 19}}, 2},
      {"add float32 input[64,1000] other[1000] alpha=1", 4096, {{32, 32}, {32}}, 1},
      {"matmul float32 input[5,513,515] other[515,517]", 8192, {{5, 17, 19}, {19, 21}}, 1},
      {"embedding float32 indices[5,8]:int64~0..31999 weight[32000,4096] padding_idx=-1 "
       "scale_grad_byfreq=false sparse=false num_weights=32000",
       4096,
       {{16, 16}, {5, 8}},
       1},
      {"diopiUpsampleNearest+backward float32 input[1,256,62,50] in_size=(1,256,62,50) size=(124,100)",
       1 << 18,
       {{1, 32, 38, 34}},
       2},
      // 32 groups of 8 channels: neither may change alone.
      {"conv2d float32 input[64,256,56,56] weight[256,8,3,3] bias[null] stride=(1,1) padding=(1,1) "
       "dilation=(1,1) groups=32",
       1 << 19,
       {{8, 256, 8, 8}, {256, 8, 3, 3}},
       1},
  };
  for (const auto& row : rows) {
    const absl::StatusOr<Model> model = ParseModel({"tiny", row.call});
    ASSERT_TRUE(model.ok()) << row.call << ": " << model.status();
    const ModelCall& call = model->calls[0];
    const v1::OperatorFile* op = OperatorOf(call, catalog->operators());
    ASSERT_NE(op, nullptr) << row.call;
    const absl::StatusOr<CallCases> built = BuildCall(*op, call, row.bound);
    ASSERT_TRUE(built.ok()) << row.call << ": " << built.status();
    ASSERT_EQ(built->cases.size(), row.functions) << row.call;
    const v1::Case& c = built->cases[0];
    EXPECT_LE(LargestTensorBytes(c), row.bound) << c.id();
    std::vector<std::vector<int64_t>> shapes;
    for (const v1::Argument& arg : c.args()) {
      if (!arg.has_tensor() || arg.role() == v1::ROLE_OUTPUT) continue;
      shapes.emplace_back(arg.tensor().shape().begin(), arg.tensor().shape().end());
    }
    EXPECT_EQ(shapes, row.shapes) << c.id();
    EXPECT_EQ(built->scaled, row.shapes[0] != std::vector<int64_t>({3, 5})) << c.id();
  }
}

TEST(ModelCasesTest, EveryBuiltinModelIsTakenAtItsTrueSizeAndScaled) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  ASSERT_GE(catalog->models().size(), 43U);
  for (const int64_t bound : {kModelTensorBytes, kUnscaled}) {
    v1::Selection selection;
    selection.set_suite("models/*");
    selection.set_max_tensor_bytes(bound);
    std::map<std::string, std::string> hashes;  // by id
    int64_t calls = 0;
    int64_t scaled = 0;
    const absl::Status status = catalog->VisitModels(
        selection, [&](const Model& model, const ModelCall& call, const CallCases& cases) {
          ++calls;
          EXPECT_NE(model.about.name(), "") << model.name;
          const std::string chinese = FindingText(model.about, FindingLanguage::kChinese);
          const std::string& task = model.about.word();
          EXPECT_TRUE(task.empty() || !absl::StrContains(chinese, task)) << chinese;
          scaled += bound == kUnscaled && cases.scaled ? 1 : 0;
          EXPECT_EQ(cases.scaled, !cases.why_scaled.empty()) << call.text;
          for (const v1::Case& c : cases.cases) {
            const auto [at, is_new] = hashes.emplace(c.id(), c.hash());
            EXPECT_EQ(at->second, c.hash()) << c.id();
            const absl::Status inputs = is_new ? CheckInputs(c) : absl::OkStatus();
            EXPECT_TRUE(inputs.ok()) << c.id() << ": " << inputs;
          }
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_GE(calls, 9700);
    // Those whose reference would be too large even on slices.
    std::printf("%lld of %lld calls are scaled at their true size\n", static_cast<long long>(scaled),
                static_cast<long long>(calls));
    EXPECT_LE(scaled, calls / 200);
  }
}

TEST(ModelCasesTest, SuitesOfModels) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  const auto ids = [&](const std::string& suite, const std::string& function) {
    v1::Selection selection;
    selection.set_suite(suite);
    if (!function.empty()) selection.add_functions(function);
    std::set<std::string> found;
    const absl::StatusOr<std::vector<v1::Case>> cases = catalog->Select(selection);
    EXPECT_TRUE(cases.ok()) << cases.status();
    if (!cases.ok()) return found;
    for (const v1::Case& c : *cases) EXPECT_TRUE(found.insert(c.id()).second) << c.id();
    return found;
  };
  const std::set<std::string> resnet = ids("models/resnet50", "");
  const std::set<std::string> vit = ids("models/vit", "");
  std::set<std::string> both = resnet;
  both.insert(vit.begin(), vit.end());
  EXPECT_LT(both.size(), resnet.size() + vit.size()) << "they share calls";
  EXPECT_EQ(ids("models/resnet50,vi?", ""), both);
  const std::set<std::string> convolutions = ids("models/resnet50", "diopiConvolution2dBackward");
  EXPECT_GE(convolutions.size(), 1U);
  EXPECT_LT(convolutions.size(), resnet.size());

  // Sizes of the command line are those of the model's file.
  EXPECT_EQ(ids("models/llama3_8b@batch=1@seq=4096", "diopiRMSNorm"),
            ids("models/llama3_8b", "diopiRMSNorm"));
  EXPECT_NE(ids("models/llama3_8b@requests=3", "diopiRMSNorm"), ids("models/llama3_8b", "diopiRMSNorm"));
  // A stage of a model is a part of it; two stages are both.
  const std::set<std::string> decode = ids("models/llama3_8b@stage=decode", "");
  EXPECT_EQ(ids("models/llama3_8b@stage=decode@stage=prefill@stage=train", ""), ids("models/llama3_8b", ""));
  EXPECT_LT(decode.size(), ids("models/llama3_8b@stage=decode@stage=prefill", "").size());
  EXPECT_EQ(ids("models/llama3_8b@stage=decode", "diopiMultinomial").size(), 1U);
  EXPECT_TRUE(ids("models/llama3_8b@stage=train", "diopiMultinomial").empty());
  for (const auto& [suite, expected] :
       {std::pair{"models/llama3_8b@batches=3", "batches"},
        std::pair{"models/llama3_8b@batch=no", "'batch=no' after the model"},
        std::pair{"models/llama3_8b@stage=encode",
                  "the model 'llama3_8b' has no stage 'encode'; it has decode, prefill, train"},
        std::pair{"models/resnet50@stage=train", "it has none"}}) {
    v1::Selection wrong;
    wrong.set_suite(suite);
    EXPECT_THAT(std::string(catalog->Select(wrong).status().message()), HasSubstr(expected));
  }

  v1::Selection unknown;
  unknown.set_suite("models/resnet5");
  const absl::Status status = catalog->Select(unknown).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did you mean resnet50"));
}

}  // namespace
}  // namespace diopi::cases
