#include "cases/core/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/layout.h"
#include "cases/core/core_testing.h"
#include "cases/core/library_checks.h"
#include "cases/fill/fill.h"
#include "proto/abi/abi.h"

namespace diopi::cases {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Query {
  std::vector<std::string> functions;
  std::vector<std::string> cases;
  std::vector<v1::Dtype::Code> dtypes;
  std::string suite;
};

absl::StatusOr<std::vector<v1::Case>> Select(const Catalog& catalog, const Query& query) {
  v1::Selection selection;
  for (const std::string& name : query.functions) selection.add_functions(name);
  for (const std::string& name : query.cases) selection.add_cases(name);
  for (v1::Dtype::Code dtype : query.dtypes) selection.add_dtypes(dtype);
  selection.set_suite(query.suite);
  return catalog.Select(selection);
}

std::set<std::string> Functions(const std::vector<v1::Case>& cases) {
  std::set<std::string> functions;
  for (const v1::Case& c : cases) functions.insert(c.function());
  return functions;
}

TEST(CatalogTest, EveryBuiltinOperatorExpandsIntoSoundCases) {
  absl::StatusOr<std::vector<v1::Case>> cases = Select(*Builtin(), {});
  ASSERT_TRUE(cases.ok()) << cases.status();
  EXPECT_GE(cases->size(), 2000U);
  std::set<std::string> ids;
  for (const v1::Case& c : *cases) {
    EXPECT_TRUE(ids.insert(c.id()).second) << c.id();
    EXPECT_EQ(c.hash().size(), 32U) << c.id();
    EXPECT_FALSE(c.reveals().empty()) << c.id();
    EXPECT_FALSE(c.judges().empty()) << c.id();
    for (const v1::Argument& arg : c.args()) {
      EXPECT_NE(arg.value_case(), v1::Argument::VALUE_NOT_SET) << c.id() << ' ' << arg.name();
      std::vector<v1::TensorSpec> specs(arg.tensors().tensors().begin(), arg.tensors().tensors().end());
      if (arg.has_tensor()) specs.push_back(arg.tensor());
      for (const v1::TensorSpec& spec : specs) {
        EXPECT_LE(spec.storage_elements() * ElementSize(spec.dtype()), 1 << 20)
            << c.id() << ' ' << arg.name();
        const bool written = arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT;
        EXPECT_FALSE(written && Overlaps(spec)) << c.id() << ' ' << arg.name();
      }
    }
  }
}

TEST(CatalogTest, SelectionsByName) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  struct {
    Query query;
    std::set<std::string> functions;
  } const cases[] = {
      {{{"add"}, {}, {}, ""}, {"diopiAdd", "diopiAddInp", "diopiAddScalar", "diopiAddInpScalar"}},
      {{{"diopiAdd"}, {}, {}, "core"}, {"diopiAdd"}},
      {{{"diopiAdd*Scalar"}, {}, {}, ""}, {"diopiAddScalar", "diopiAddInpScalar"}},
      {{{"batch_no??"}, {}, {}, ""}, {"diopiBatchNorm", "diopiBatchNormBackward"}},
      {{{"clip_grad_norm_", "split_with_sizes"}, {}, {}, ""}, {"diopiClipGradNorm", "diopiSplitWithSizes"}},
      {{{"add"}, {"add.inplace.*"}, {}, ""}, {"diopiAddInp"}},
      {{{}, {"nonzero.float32.*", "*unique.bool.truth"}, {}, ""}, {"diopiNonzero", "diopiUnique"}},
      {{{"add", "cat"}, {}, {v1::Dtype::bool_}, ""}, {"diopiAdd", "diopiAddInp", "diopiCat"}},
  };
  for (const auto& c : cases) {
    absl::StatusOr<std::vector<v1::Case>> selected = Select(*catalog, c.query);
    ASSERT_TRUE(selected.ok()) << selected.status();
    EXPECT_EQ(Functions(*selected), c.functions);
  }
  absl::StatusOr<std::vector<v1::Case>> one = Select(*catalog, {{}, {"add.float32.n17"}, {}, ""});
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(Select(*catalog, {{"all_ops"}, {"add.*"}, {}, ""})->size(),
            Select(*catalog, {{"add"}, {}, {}, ""})->size());
}

TEST(CatalogTest, WhatMatchesNothingIsToldWithSuggestions) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  struct {
    Query query;
    absl::StatusCode code;
    const char* message;
  } const cases[] = {
      {{{"batchnorm"}, {}, {}, ""},
       absl::StatusCode::kNotFound,
       "no operator or function 'batchnorm'; did you mean batch_norm"},
      {{{"diopiAd"}, {}, {}, ""}, absl::StatusCode::kNotFound, "did you mean diopiAdd"},
      {{{"add", "zzzzzzzzzzzz*"}, {}, {}, ""},
       absl::StatusCode::kNotFound,
       "no operator or function 'zzzzzzzzzzzz*'"},
      {{{}, {"add.float32.n18"}, {}, ""},
       absl::StatusCode::kNotFound,
       "no case matches 'add.float32.n18'; did you mean add.float32.n1"},
      {{{}, {"addd.float32.n17"}, {}, ""}, absl::StatusCode::kNotFound, "did you mean add"},
      {{{}, {}, {}, "cores"},
       absl::StatusCode::kInvalidArgument,
       "unknown suite 'cores'; known: core, smoke"},
  };
  for (const auto& c : cases) {
    const absl::Status status = Select(*catalog, c.query).status();
    EXPECT_EQ(status.code(), c.code);
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message));
  }
}

TEST(CatalogTest, FunctionsOfTheAbiWithoutCasesAreNamedAsSuch) {
  const std::unique_ptr<Catalog> none = *Catalog::FromFiles({});
  const struct {
    const char* name;
    const char* message;
  } rows[] = {
      {"diopiSyncBnMeanMmcv", "diopiSyncBnMeanMmcv is in the ABI; the suite has no cases for it yet"},
      {"carafe_mmcv",
       "diopiCarafeMmcv, diopiCarafeBackwardMmcv are in the ABI; the suite has no cases for them yet"},
      {"box_iou_rotated_mmcv", "the suite has no cases for"},
  };
  for (const auto& row : rows) {
    const absl::Status status = Select(*none, {{row.name}, {}, {}, ""}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.message));
  }
}

TEST(CatalogTest, VisitsHandOverOneOperatorAtATime) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  v1::Selection selection;
  for (const char* name : {"add", "diopiSumOut", "diopiSum", "exp"}) selection.add_functions(name);
  std::vector<std::string> ids;
  std::vector<std::set<std::string>> visits;
  const auto collect = [&](const std::vector<v1::Case>& cases) {
    visits.emplace_back();
    for (const v1::Case& c : cases) {
      ids.push_back(c.id());
      visits.back().insert(c.operator_());
    }
    return absl::OkStatus();
  };
  EXPECT_TRUE(absl::IsNotFound(catalog->VisitOperators(selection, collect)));
  EXPECT_THAT(visits, IsEmpty());  // an unknown function is found before the first visit

  selection.clear_functions();
  for (const char* name : {"add", "diopiSum", "exp"}) selection.add_functions(name);
  ASSERT_TRUE(catalog->VisitOperators(selection, collect).ok());
  EXPECT_THAT(visits,
              ::testing::UnorderedElementsAre(ElementsAre("add"), ElementsAre("exp"), ElementsAre("sum")));
  const absl::StatusOr<std::vector<v1::Case>> selected = catalog->Select(selection);
  ASSERT_TRUE(selected.ok()) << selected.status();
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), selected->begin(), selected->end(),
                         [](const std::string& id, const v1::Case& c) { return id == c.id(); }));

  int calls = 0;
  const absl::Status stopped = catalog->VisitOperators(selection, [&](const std::vector<v1::Case>&) {
    ++calls;
    return absl::DataLossError("full");
  });
  EXPECT_TRUE(absl::IsDataLoss(stopped));
  EXPECT_EQ(calls, 1);
}

// What a selection leaves out is not expanded; the rest is as in the whole.
TEST(CatalogTest, APartIsExpandedAsInTheWhole) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  const absl::StatusOr<std::vector<v1::Case>> core = Select(*catalog, {});
  ASSERT_TRUE(core.ok());
  const std::set<std::string> functions = {"diopiAddInp", "diopiConvolution2dBackward", "diopiSgn"};
  for (const bool smoke : {false, true}) {
    for (const bool few : {false, true}) {
      std::vector<std::string> expected;
      for (const v1::Case& c : *core) {
        const bool wanted = (!few || functions.contains(c.function())) && (!smoke || c.smoke());
        if (wanted) expected.push_back(c.SerializeAsString());
      }
      const std::vector<std::string> names(functions.begin(), functions.end());
      const absl::StatusOr<std::vector<v1::Case>> part =
          Select(*catalog, {few ? names : std::vector<std::string>{}, {}, {}, smoke ? "smoke" : "core"});
      ASSERT_TRUE(part.ok()) << part.status();
      std::vector<std::string> cases;
      for (const v1::Case& c : *part) cases.push_back(c.SerializeAsString());
      EXPECT_TRUE(cases == expected) << smoke << few << ": " << cases.size() << " of " << expected.size();
      EXPECT_GE(cases.size(), 100u);
    }
  }
}

TEST(CatalogTest, SmokeHasEveryPointOfEveryFunctionAndEveryDtypeOfACover) {
  const std::unique_ptr<Catalog> catalog = Builtin();
  const absl::StatusOr<std::vector<v1::Case>> core = Select(*catalog, {});
  const absl::StatusOr<std::vector<v1::Case>> smoke = Select(*catalog, {{}, {}, {}, "smoke"});
  ASSERT_TRUE(core.ok() && smoke.ok());
  EXPECT_LT(smoke->size() * 5, core->size());
  std::set<std::string> ids, dtypes, points;
  for (const v1::Case& c : *smoke) {
    ids.insert(c.id());
    dtypes.insert(absl::StrCat(c.function(), " ", v1::Dtype::Code_Name(c.dtype())));
    points.insert(absl::StrCat(c.function(), " ", c.label()));
  }
  std::set<std::string> labels, common;  // "OPERATOR LABEL" of every point
  for (const v1::OperatorFile& op : catalog->operators()) {
    for (const v1::Grid& grid : op.grid()) {
      for (const v1::Point& point : grid.point())
        (grid.common() ? common : labels).insert(absl::StrCat(op.operator_(), " ", point.label()));
    }
  }
  for (const v1::Case& c : *core) {
    ids.erase(c.id());
    if (common.contains(absl::StrCat(c.operator_(), " ", c.label()))) continue;
    const bool point = labels.contains(absl::StrCat(c.operator_(), " ", c.label()));
    if (point) {
      EXPECT_TRUE(points.contains(absl::StrCat(c.function(), " ", c.label()))) << c.id();
    } else {
      EXPECT_TRUE(dtypes.contains(absl::StrCat(c.function(), " ", v1::Dtype::Code_Name(c.dtype()))))
          << c.id();
    }
  }
  EXPECT_THAT(ids, IsEmpty());  // all of them are cases of core
}

TEST(CatalogTest, SuiteHashIgnoresOrderAndSeesContent) {
  std::vector<v1::Case> cases = *Select(*Builtin(), {{"add"}, {}, {}, ""});
  const std::string hash = Catalog::SuiteHash(cases);
  EXPECT_EQ(hash.size(), 32U);
  std::reverse(cases.begin(), cases.end());
  EXPECT_EQ(Catalog::SuiteHash(cases), hash);
  cases[0].set_hash("0");
  EXPECT_NE(Catalog::SuiteHash(cases), hash);
}

TEST(CatalogTest, TwoFilesOfOneOperatorAreRefused) {
  v1::OperatorFile op;
  op.set_operator_("add");
  const absl::Status status = Catalog::FromFiles({op, op}).status();
  EXPECT_EQ(status.message(), "two files for operator add");
}

std::vector<std::string> RunIds(const Catalog& catalog, const Query& query) {
  v1::Selection selection;
  for (const std::string& name : query.functions) selection.add_functions(name);
  for (const std::string& name : query.cases) selection.add_cases(name);
  for (v1::Dtype::Code dtype : query.dtypes) selection.add_dtypes(dtype);
  absl::StatusOr<std::vector<v1::Case>> cases = catalog.SelectRun(selection);
  EXPECT_TRUE(cases.ok()) << cases.status();
  std::vector<std::string> ids;
  for (const v1::Case& c : *cases) ids.push_back(c.id());
  return ids;
}

TEST(CatalogTest, RunsCoverTheChecksOfTheLibraryFirst) {
  const auto catalog = Builtin();
  const size_t checks = LibraryChecks().size();
  EXPECT_EQ(checks, 10U);
  EXPECT_THAT(
      RunIds(*catalog, {{"library"}, {}, {}, ""}),
      ElementsAre("library.vendor_name", "library.impl_version", "library.last_error", "library.stream_chain",
                  "library.stream_interleaved", "library.stream_threads", "library.native_format",
                  "library.native_format_cast", "library.destruction_hook", "library.attention_dropout"));
  EXPECT_THAT(RunIds(*catalog, {{}, {"library.*_threads"}, {}, ""}), ElementsAre("library.stream_threads"));
  const std::vector<std::string> all = RunIds(*catalog, {});
  EXPECT_EQ(all[0], "library.vendor_name");
  EXPECT_EQ(RunIds(*catalog, {{"all_ops"}, {}, {}, ""}).size(), all.size());
  EXPECT_EQ(all.size(), Select(*catalog, {})->size() + checks);
  // Not where the user wants something else.
  EXPECT_EQ(RunIds(*catalog, {{"add"}, {}, {}, ""}).size(), Select(*catalog, {{"add"}, {}, {}, ""})->size());
  EXPECT_THAT(RunIds(*catalog, {{"library"}, {}, {v1::Dtype::float16}, ""}), IsEmpty());
  // Those that test one function are its cases.
  EXPECT_THAT(RunIds(*catalog, {{"diopiTensorDestructionHook"}, {}, {}, ""}),
              ElementsAre("library.destruction_hook"));
  EXPECT_THAT(RunIds(*catalog, {{"tensor_destruction_hook"}, {}, {}, ""}),
              ElementsAre("library.destruction_hook"));
  EXPECT_THAT(RunIds(*catalog, {{"diopi*NativeMemoryFormat*"}, {}, {}, ""}),
              ElementsAre("library.native_format", "library.native_format_cast"));
  EXPECT_THAT(std::string(Select(*catalog, {{"diopiTensorDestructHook"}, {}, {}, ""}).status().message()),
              HasSubstr("did you mean diopiTensorDestructionHook"));
  // A reference computes none of them, and their names are no mistakes.
  for (const char* name : {"library", "diopiTensorDestructionHook"}) {
    const auto computed = Select(*catalog, {{name}, {"library.*"}, {}, ""});
    ASSERT_TRUE(computed.ok()) << computed.status();
    EXPECT_TRUE(computed->empty());
  }
}

TEST(CatalogTest, NoOperatorTakesTheNameOfTheChecks) {
  v1::OperatorFile op;
  op.set_operator_("library");
  EXPECT_EQ(Catalog::FromFiles({op}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(CatalogTest, ChecksOfTheLibraryAreCases) {
  std::set<std::string> hashes;
  std::set<std::string> functions;
  for (const v1::Case& c : LibraryChecks()) {
    EXPECT_TRUE(IsLibraryCheck(c));
    EXPECT_THAT(c.id(), ::testing::StartsWith("library."));
    EXPECT_THAT(c.id(), ::testing::EndsWith(c.label()));
    EXPECT_FALSE(c.reveals().empty());
    EXPECT_EQ(c.hash().size(), 32U);
    EXPECT_TRUE(hashes.insert(c.hash()).second);
    EXPECT_EQ(abi::FindFunction(c.function()) == nullptr, c.function().empty()) << c.function();
    functions.insert(c.function());
  }
  EXPECT_EQ(functions.size(), 4U);  // "" is most checks'
  // Results of older versions are of the same check.
  EXPECT_EQ(LibraryChecks()[0].hash(), Xxh128Hex("library.vendor_name version 1"));
  EXPECT_EQ(LibraryChecks()[5].hash(), Xxh128Hex("library.stream_threads version 1"));
  EXPECT_FALSE(IsLibraryCheck(Select(*Builtin(), {{"add"}, {}, {}, ""})->front()));
}

}  // namespace
}  // namespace diopi::cases
