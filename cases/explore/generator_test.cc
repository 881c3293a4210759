#include "cases/explore/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "absl/strings/str_replace.h"
#include "cases/core/call_variables.h"
#include "cases/explore/extents.h"
#include "cases/fill/fill.h"
#include "cases/user/operator_text.h"

namespace diopi::explore {
namespace {

class GeneratorTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { catalog_ = cases::Catalog::LoadBuiltin().value().release(); }
  static void TearDownTestSuite() { delete catalog_; }

  static std::unique_ptr<Generator> Make(
      const std::vector<std::string>& functions, uint64_t seed = 1,
      Accepts accepts = [](const v1::Case&) { return true; }) {
    v1::Selection selection;
    for (const std::string& function : functions) selection.add_functions(function);
    return Generator::Make(*catalog_, selection, {seed, {}, std::move(accepts)}).value();
  }
  static std::vector<std::string> Hashes(const std::vector<Call>& calls, const std::string& function = "") {
    std::vector<std::string> hashes;
    for (const Call& call : calls) {
      if (function.empty() || call.c.function() == function)
        hashes.push_back(call.c.id() + " " + call.c.hash());
    }
    return hashes;
  }

  // Braces count as themselves in a regular expression.
  static std::string Escaped(const std::string& words) {
    return absl::StrReplaceAll(words, {{"{", "\\{"}, {"}", "\\}"}});
  }

  static cases::Catalog* catalog_;
};

cases::Catalog* GeneratorTest::catalog_ = nullptr;

TEST_F(GeneratorTest, TheSeedDeterminesTheCalls) {
  const std::vector<std::string> functions = {"add", "softmax", "conv2d"};
  const std::vector<std::string> at_once = Hashes(Make(functions)->Next(90));
  ASSERT_EQ(at_once.size(), 90);
  std::vector<std::string> one_by_one;
  const std::unique_ptr<Generator> generator = Make(functions);
  for (int i = 0; i < 90; ++i) one_by_one.push_back(Hashes(generator->Next(1)).at(0));
  EXPECT_EQ(at_once, one_by_one);
  EXPECT_EQ(std::set<std::string>(at_once.begin(), at_once.end()).size(), 90) << "no call twice";
  EXPECT_NE(at_once, Hashes(Make(functions, 2)->Next(90)));
}

TEST_F(GeneratorTest, AFunctionsCallsDoNotDependOnTheOtherFunctions) {
  const std::vector<std::string> alone = Hashes(Make({"diopiAdd"})->Next(10));
  const std::vector<std::string> among_others = Hashes(Make({"add", "sub", "matmul"})->Next(400), "diopiAdd");
  ASSERT_GE(among_others.size(), 10);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), among_others.begin()));
}

// The operator's own rules make the same case of the call's point: what fails can be written as a file.
TEST_F(GeneratorTest, EveryCallOfEveryFunctionIsAValidCase) {
  const std::unique_ptr<Generator> generator = Make({});
  const std::vector<Call> calls = generator->Next(2 * static_cast<int>(generator->functions()));
  std::set<std::string> functions;  // some are of two operators
  for (const Call& call : calls) {
    functions.insert(call.c.operator_() + " " + call.c.function());
    const absl::StatusOr<v1::Case> c =
        cases::ExpandOne(cases::OnePointFile(*call.op, call.point, call.c.function(), call.c.dtype()));
    ASSERT_TRUE(c.ok()) << call.c.id() << ": " << c.status();
    EXPECT_EQ(c->hash(), call.c.hash()) << call.c.id();
  }
  EXPECT_EQ(functions.size(), static_cast<size_t>(generator->functions()));
}

TEST_F(GeneratorTest, GoesBeyondTheSuite) {
  v1::Selection selection;
  selection.add_functions("diopiAdd");
  SeenClasses suite;
  const std::vector<v1::Case> cases = catalog_->Select(selection).value();
  for (const v1::Case& c : cases) suite.Add(ClassesOf(c));
  const std::unique_ptr<Generator> generator = Make({"diopiAdd"});
  generator->Next(400);
  EXPECT_GT(generator->source(0).seen().classes(), suite.classes());
  EXPECT_GT(generator->source(0).seen().pairs(), suite.pairs());
}

TEST_F(GeneratorTest, KeepsToTheSelection) {
  v1::Selection selection;
  selection.add_functions("add");
  selection.add_dtypes(v1::Dtype::float16);
  const auto generator = Generator::Make(*catalog_, selection, {1, {"diopiAdd"}, [](const v1::Case& c) {
                                                                  return c.args(1).tensor().shape_size() != 2;
                                                                }});
  ASSERT_TRUE(generator.ok());
  for (const Call& call : (*generator)->Next(100)) {
    EXPECT_EQ(call.c.function(), "diopiAdd");
    EXPECT_EQ(call.c.dtype(), v1::Dtype::float16);
    EXPECT_NE(call.c.args(1).tensor().shape_size(), 2);
  }
  EXPECT_EQ(Generator::Make(*catalog_, selection, {1, {"diopiSub"}}).status().code(),
            absl::StatusCode::kNotFound);
}

// Every eighth turn of a function begins a sequence, whose last call is the first again with other values.
TEST_F(GeneratorTest, DrawsSequences) {
  const std::vector<Call> calls = Make({"diopiAdd"})->Next(300);
  std::map<int64_t, std::vector<Call>> sequences;
  std::set<std::string> relations;
  for (const Call& call : calls) {
    if (call.sequence >= 0) sequences[call.sequence].push_back(call);
  }
  ASSERT_EQ(sequences.size(), 30u);
  int beside = 0;
  for (const auto& [first, sequence] : sequences) {
    EXPECT_EQ(sequence.front().number, first);
    EXPECT_EQ(sequence.back().number - first, static_cast<int64_t>(sequence.size()) - 1)
        << "one after the other";
    v1::Point again = sequence.back().point, before = sequence.front().point;
    for (v1::Point* point : {&again, &before}) {
      point->clear_label();
      point->clear_reveals();
    }
    EXPECT_EQ(again.SerializeAsString(), before.SerializeAsString());
    beside += sequence.back().beside ? 1 : 0;
    if (sequence.size() < 3) continue;
    const std::string& how = sequence[1].point.reveals();
    relations.insert(how.substr(how.find(";")).find("values") < 10 ? "values"
                     : how.find(": offset") != std::string::npos   ? "offset"
                                                                   : "change");
  }
  EXPECT_EQ(relations.size(), 3u);
  EXPECT_GT(beside, 5);
  EXPECT_LT(beside, 25);
}

// Tensors of more elements than can be counted are no calls, also where the function writes into them.
TEST_F(GeneratorTest, DrawsNothingThatIsTooLarge) {
  EXPECT_EQ(Make({"diopiCarafeBackwardMmcv"}, 942)->Next(40).size(), 40);
}

// A thread for each element that is written may visit every weight of its filters, whatever strides leave
// out, the whole window, or all indices.
TEST_F(GeneratorTest, VisitsAreBounded) {
  struct Row {
    const char* function;
    const char* visits;
  };
  const Row rows[] = {
      {"diopiConvTranspose3d", "2 * out * weight / weight_1 / groups"},
      {"diopiConvTranspose3dBackward", "2 * grad_output * weight / weight_1 / groups"},
      {"diopiConvolution3dBackward", "2 * input * weight / weight_1 / groups"},
      {"diopiPool3d", "out * ksize"},
      {"diopiAdaptiveMaxPool2d", "out * (input_m2 / max(out_m2, 1)) * (input_m1 / max(out_m1, 1))"},
      {"diopiUpfirdn2dOpMmcv", "2 * input * up_x * up_y * kernel / down_x / down_y"},
      {"diopiIndexFillScalar", "input * index"}};
  for (const Row& row : rows) {
    int64_t most = 0;
    for (const Call& call : Make({row.function}, 901)->Next(300)) {
      const cases::CallVariables of(call.c);
      const absl::StatusOr<int64_t> visits = of.Value(row.visits);
      ASSERT_TRUE(visits.ok()) << visits.status();
      most = std::max(most, *visits);
    }
    EXPECT_GT(most, 100'000) << row.function;
    EXPECT_LE(most, 20'000'000) << row.function;
  }
}

// What sources disagree on: rows of scores that are masked throughout, which large shares and short rows make
// likely.
TEST_F(GeneratorTest, MasksLeaveSomethingInEachRow) {
  int masked = 0;
  for (const Call& call : Make({"diopiScaledMaskedSoftmax"}, 77)->Next(300)) {
    const cases::CallVariables of(call.c);
    if (*of.Value("fixed_triu_mask") != 0) continue;
    const auto inputs = FillInputs(call.c);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    const std::string& mask = inputs->at("mask").data;
    const auto width = static_cast<size_t>(*of.Value("mask_m1"));
    for (size_t row = 0; row < mask.size(); row += width) {
      EXPECT_NE(mask.substr(row, width).find('\0'), std::string::npos) << call.point.ShortDebugString();
    }
    masked += mask.find('\1') != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(masked, 30);
}

// Floating numbers that are converted to integers: what lies beyond those is undefined.
TEST_F(GeneratorTest, NumbersFitTheTypeTheyAreConvertedTo) {
  int seen = 0;
  for (const Call& call : Make({"diopiCastDtype"}, 5)->Next(4000)) {
    const auto inputs = FillInputs(call.c);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    const HostTensor& input = inputs->at("input");
    if (call.c.dtype() != v1::Dtype::int16 || !IsFloating(input.dtype)) continue;
    ++seen;
    for (int64_t i = 0; i < NumElements(input.shape); ++i) {
      const double value = ElementAsDouble(input.dtype, input.data.data(), i);
      ASSERT_TRUE(value > -32769 && value < 32768) << value << " in " << call.point.ShortDebugString();
    }
  }
  EXPECT_GT(seen, 30);
}

// What made each kind of edge, by the words with which a call says so.
TEST_F(GeneratorTest, ReachesEdgesOfEveryKind) {
  struct Row {
    const char* function;
    const char* words;
  };
  const Row rows[] = {
      {"diopiCat", "lists of "},
      {"diopiMaskedFill", ": true in "},
      {"diopiLinalgVecNorm", ": values uniform { low: -512 high: 512 }"},
      {"diopiSoftmax", "specials { values: nan"},
      {"diopiLogSoftmax", "input: values uniform"},
      {"diopiSmoothL1Loss", "\"beta\" f: 0;"},
      {"diopiSmoothL1Loss",
       "input: values integers { low: -1 high: 1 }, target: values integers { low: -1 high: 1 }"},
      {"diopiMean", "\"dim\" sizes { values: 1 values: 0 }"},
      {"diopiGtScalar", "other: 16777217 and input around it"},
      {"diopiPowScalar", "f: -0.5"},
      {"diopiUpsampleLinear", "after x\\w+; name: \"align_corners\""},
      {"diopiMaxPool2d", "after x\\w+; in float16"},
      {"diopiTril", "after x\\w+; \\d+ <-> \\d+"},
      {"diopiRoll", "input: values full"},
      {"diopiRoll", "input: values integers . low: -?(16777|21474|90071)"},
      {"diopiEq", "input: values integers { low: -\\d+ high: -\\d+ }, other: values integers { low: -"},
      {"diopiUnfold", "input: transposed"},  // its own points have no layout
      {"diopiUnfold", "input: offset"},
      {"diopiUnfold", "input: expanded"},
      {"diopiUnfold", "outputs: strided"},
      {"diopiSmoothL1Loss", "after x\\w+; name: \"beta\" f: (\\d+\\.\\d\\d\\d\\d\\d\\d\\d\\d|1e-07)"},
  };
  for (const Row& row : rows) {
    const std::vector<Call> calls = Make({row.function})->Next(2000);
    const bool any = std::any_of(calls.begin(), calls.end(), [&row](const Call& call) {
      return std::regex_search(call.point.reveals() + ";", std::regex(Escaped(row.words)));
    });
    EXPECT_TRUE(any) << row.function << ": " << row.words;
  }
}

TEST_F(GeneratorTest, StaysNearOddCalls) {
  const std::unique_ptr<Generator> generator = Make({"softmax"});
  const std::vector<Call> calls = generator->Next(8);
  const auto near = [&](const std::vector<Call>& list) {
    return std::count_if(list.begin(), list.end(), [](const Call& call) { return call.followup; });
  };
  generator->Learn(calls[0], {.max_z = 1});
  EXPECT_EQ(near(generator->Next(8)), 0);
  generator->Learn(calls[1], {.max_z = 6});
  generator->Learn(calls[2], {.max_z = 5.9});  // no greater than the one before
  const std::vector<Call> next = generator->Next(8);
  EXPECT_EQ(near(next), 2);
  EXPECT_EQ(next[0].c.dtype(), calls[1].c.dtype());
  EXPECT_NE(next[0].point.reveals().find("near " + calls[1].c.label()), std::string::npos);
}

TEST_F(GeneratorTest, LeavesOutWhatFailsOrIsNotSupported) {
  const std::unique_ptr<Generator> generator = Make({"diopiAdd", "diopiSub"});
  for (const Call& call : generator->Next(200)) {
    if (call.c.function() == "diopiAdd") generator->Learn(call, {.failed = true});
    if (call.c.dtype() == v1::Dtype::float32) generator->Learn(call, {.unsupported = true});
  }
  EXPECT_EQ(generator->given_up(), std::vector<std::string>{"diopiAdd"});
  for (const Call& call : generator->Next(100)) {
    EXPECT_EQ(call.c.function(), "diopiSub");
    EXPECT_NE(call.c.dtype(), v1::Dtype::float32);
  }
}

TEST(ExtentsTest, StayInRangeAndPreferBoundaries) {
  Draws draws(1);
  int boundaries = 0;
  for (int i = 0; i < 1000; ++i) {
    const int64_t extent = DrawExtent(1, 4097, &draws);
    ASSERT_GE(extent, 1);
    ASSERT_LE(extent, 4097);
    boundaries += ExtentClass(extent) >= 0 ? 1 : 0;
  }
  EXPECT_GT(boundaries, 700);
  EXPECT_EQ(DrawExtent(5, 5, &draws), 5);
  EXPECT_EQ(DrawExtent(7, 3, &draws), 7);
  EXPECT_EQ(ExtentClass(33), 33);
  EXPECT_EQ(ExtentClass(40), ExtentClass(60));
  EXPECT_NE(ExtentClass(40), ExtentClass(70));
}

TEST(ClassesTest, CountsNewClassesAndPairs) {
  SeenClasses seen;
  EXPECT_EQ(seen.Novelty({1, 2, 3}), 3 * 4 + 3);
  seen.Add({1, 2, 3});
  EXPECT_EQ(seen.Novelty({1, 2, 3}), 0);
  EXPECT_EQ(seen.Novelty({1, 2, 4}), 4 + 2);
  EXPECT_EQ(seen.classes(), 3);
  EXPECT_EQ(seen.pairs(), 3);
}

}  // namespace
}  // namespace diopi::explore
