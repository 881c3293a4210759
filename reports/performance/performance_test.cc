#include "reports/performance/performance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "reports/performance/performance_testing.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// 100 us for 4 MB and 1 million operations.
v1::Measurement Moving() {
  v1::Measurement measurement =
      MakeMeasurement("copy.float32.n", "diopiCopyInp", {{100, 99, 101}, {110, 110, 110}});
  measurement.mutable_work()->set_read_bytes(3e6);
  measurement.mutable_work()->set_written_bytes(1e6);
  measurement.mutable_work()->set_operations(1e6);
  return measurement;
}

TEST(PerformanceTest, FiguresOfACall) {
  server::StoredPerformance stored;
  stored.measurements = {Moving()};
  stored.measurements[0].mutable_rounds(0)->add_cold_ns(200'000);
  stored.measurements[0].mutable_rounds(0)->set_disturbed(2);
  stored.measurements[0].set_kernel("gemm float32 M=1");
  v1::MachineFacts& machine = stored.machine.emplace();
  machine.set_copy_bytes_per_s(40e9);
  v1::MeasuredRate* rate = machine.add_products();
  rate->set_dtype(v1::Dtype::float32);
  rate->set_operations_per_s(5e9);
  ReferenceTimes reference{"a chip", "a source", {{"gemm float32 M=1", 52.5}}};
  const auto report =
      MakePerformanceReport(stored, MeasuredRoofline(*stored.machine), &reference, nullptr, "");
  ASSERT_TRUE(report.ok()) << report.status();
  const CallFigures& call = report->calls.at(0);
  EXPECT_DOUBLE_EQ(call.warm_us.median, 105.5);
  EXPECT_DOUBLE_EQ(*call.cold_us, 200);
  EXPECT_DOUBLE_EQ(*call.bytes_per_s, 4e6 / 105.5e-6);
  EXPECT_DOUBLE_EQ(*call.operations_per_s, 1e6 / 105.5e-6);
  // 100 us to move at 40 GB/s, 200 us to compute at 5 Gop/s.
  EXPECT_FALSE(call.memory_bound);
  EXPECT_DOUBLE_EQ(*call.roofline_share, 1);
  EXPECT_DOUBLE_EQ(*call.score(), 52.5 / 105.5);
  EXPECT_EQ(report->disturbed, 2);
  EXPECT_EQ(report->samples, 7);
  EXPECT_DOUBLE_EQ(report->noise, 1.1);
  EXPECT_THAT(FindingText(report->roofline.source),
              HasSubstr("a copy at 40 GB/s, a float32 product at 5 Gop/s"));
}

TEST(PerformanceTest, WhatIsNotKnownIsAbsent) {
  server::StoredPerformance stored;
  stored.measurements = {MakeMeasurement("copy.float32.n", "diopiCopyInp", {})};
  stored.measurements[0].set_not_measured("its case does not pass");  // as earlier agents stored it
  const auto report = MakePerformanceReport(stored, Roofline(), nullptr, nullptr, "");
  const CallFigures& call = report->calls.at(0);
  EXPECT_FALSE(call.measured());
  EXPECT_EQ(FindingText(call.measurement.refused()), "its case does not pass");
  EXPECT_FALSE(call.bytes_per_s || call.operations_per_s || call.roofline_share || call.score() ||
               call.cold_us);
  EXPECT_EQ(report->noise, 1);
}

TEST(PerformanceTest, FiguresThatCannotBeAreNotShown) {
  struct Row {
    const char* what;
    std::vector<std::vector<double>> warm_us;  // by round
    std::vector<double> cold_us;
    int disturbed;
    double cold;      // 0: absent
    double share;     // likewise
    const char* why;  // not measured; empty: it is
  };
  // The copy of the machine moves 4 MB in 400 us.
  const Row rows[] = {
      {"quicker than the copy", {{100, 101, 102}}, {200, 210, 205}, 0, 205, 1, ""},
      {"slower", {{100, 101, 102}}, {800, 800, 800}, 0, 800, 0.5, ""},
      {"no cold samples", {{100, 101, 102}}, {}, 0, 0, 0, ""},
      {"cold as quick as warm", {{100, 104, 108}}, {99, 101, 107}, 0, 104, 1, ""},
      {"cold quicker than warm", {{100, 104, 108}}, {60, 61, 62}, 0, 0, 0, ""},
      {"all disturbed", {{100, 101}}, {200}, 3, 200, 1, ""},
      {"more disturbed than there are", {{100, 101}}, {200}, 4, 0, 0, "contradicts itself: 4 of 3 samples"},
      {"rounds apart",
       {{100}, {300}},
       {200},
       0,
       0,
       0,
       "too noisy: rounds differ by more than a factor of 3.00"},
      {"one round of three apart", {{100}, {500}, {110}}, {200}, 0, 200, 1, ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    server::StoredPerformance stored;
    stored.measurements = {MakeMeasurement("copy.float32.n", "diopiCopyInp", row.warm_us)};
    v1::Measurement& m = stored.measurements[0];
    m.mutable_work()->set_read_bytes(4e6);
    for (const double us : row.cold_us) m.mutable_rounds(0)->add_cold_ns(static_cast<uint64_t>(us * 1e3));
    m.mutable_rounds(0)->set_disturbed(row.disturbed);
    const auto report = MakePerformanceReport(stored, {1e10, {}, {}}, nullptr, nullptr, "");
    ASSERT_TRUE(report.ok()) << report.status();
    const CallFigures& call = report->calls.at(0);
    EXPECT_THAT(FindingText(call.measurement.refused()), HasSubstr(row.why));
    EXPECT_EQ(call.measured(), *row.why == '\0');
    EXPECT_DOUBLE_EQ(call.cold_us.value_or(0), row.cold);
    EXPECT_DOUBLE_EQ(call.roofline_share.value_or(0), row.share);
    EXPECT_FALSE(call.beyond_specification);
    EXPECT_LE(report->disturbed, report->samples);
  }
}

TEST(PerformanceTest, CallsRaiseTheRooflineAndExceedASpecification) {
  server::StoredPerformance stored;
  stored.measurements = {Moving(), Moving()};
  stored.measurements[0].mutable_rounds(0)->add_cold_ns(200'000);
  stored.measurements[1].mutable_rounds(0)->add_cold_ns(400'000);
  const Roofline rates = {
      1e10, {{v1::Dtype::float32, 1e9}}, Found(v1::Finding::SPECIFIED_BY).Name("A1"), /*specified=*/true};
  const auto report = MakePerformanceReport(stored, rates, nullptr, nullptr, "");
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_DOUBLE_EQ(report->roofline.bytes_per_s, 2e10);
  EXPECT_DOUBLE_EQ(report->roofline.operations_per_s.at(v1::Dtype::float32), 5e9);
  EXPECT_EQ(FindingText(report->roofline.source),
            "the specification of A1, a call of diopiCopyInp at 20 GB/s");
  EXPECT_EQ(FindingText(report->roofline.source, FindingLanguage::kChinese),
            "A1 的规格，调用 diopiCopyInp 达到 20 GB/s");
  for (const CallFigures& call : report->calls) {
    EXPECT_TRUE(call.beyond_specification);
    EXPECT_DOUBLE_EQ(*call.roofline_share, 200 / *call.cold_us);
  }
}

TEST(PerformanceTest, TheSpecificationGivesTheRoofline) {
  v1::ChipSpec spec;
  spec.set_product("Acme A1");
  spec.mutable_memory()->set_bandwidth_gb_s(2000);
  for (const auto& [dtype, sparse] : {std::pair{"float16", false}, {"float16", true}, {"tf32", false}}) {
    v1::ComputeSpec* compute = spec.add_compute();
    compute->set_dtype(dtype);
    compute->set_tera_ops(sparse ? 600 : 300);
    compute->set_sparse(sparse);
  }
  const Roofline roofline = SpecRoofline(spec);
  EXPECT_DOUBLE_EQ(roofline.bytes_per_s, 2e12);
  EXPECT_THAT(roofline.operations_per_s, ElementsAre(Pair(v1::Dtype::float16, 300e12)));
}

TEST(PerformanceTest, AStepIsTheSumOfItsCalls) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  v1::Selection selection;
  selection.set_suite("models/llama3_8b");
  selection.set_max_tensor_bytes(int64_t{1} << 60);
  server::StoredPerformance stored;
  double expected = 0;
  int64_t calls = 0;
  std::set<std::string> seen;
  ASSERT_TRUE(
      (*catalog)
          ->VisitModels(selection,
                        [&](const cases::Model&, const cases::ModelCall& call, cases::CallCases cases) {
                          for (const v1::Case& c : cases.cases) {
                            const double us = static_cast<double>(c.function().size());
                            if (call.stage == "decode") expected += us * static_cast<double>(call.times);
                            if (!seen.insert(c.id()).second) continue;
                            stored.measurements.push_back(MakeMeasurement(c.id(), c.function(), {{us, us}}));
                            calls += call.stage == "decode" ? 1 : 0;
                          }
                          return absl::OkStatus();
                        })
          .ok());
  const auto report = MakePerformanceReport(stored, Roofline(), nullptr, catalog->get(), "models/llama3_8b");
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->steps.size(), 3U);
  const v1::StepTotal& decode = report->steps[2];
  EXPECT_EQ(decode.stage(), "decode");
  EXPECT_NEAR(decode.us(), expected, 1e-6 * expected);
  EXPECT_EQ(decode.measured(), decode.calls());
  EXPECT_GE(decode.calls(), calls);
  EXPECT_GE(decode.operators_us(0).us(), decode.operators_us().rbegin()->us());
  stored.measurements.erase(stored.measurements.begin());
  const auto fewer = MakePerformanceReport(stored, Roofline(), nullptr, catalog->get(), "models/llama3_8b");
  EXPECT_EQ(fewer->steps[0].measured(), fewer->steps[0].calls() - 1);
  EXPECT_EQ(fewer->steps[0].us() + fewer->steps[0].high_us(), 0) << "no total from parts";
  EXPECT_THAT(fewer->steps[0].operators_us(), IsEmpty());
  EXPECT_THAT(fewer->without_steps, IsEmpty());
}

TEST(PerformanceTest, CapturedModelsHaveNoStep) {
  const auto catalog = cases::Catalog::LoadBuiltin();
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto report =
      MakePerformanceReport({}, Roofline(), nullptr, catalog->get(), "models/resnet50,resnet50_step,tsn");
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->steps.size(), 1U);
  EXPECT_EQ(report->steps[0].model(), "resnet50_step");
  EXPECT_THAT(report->without_steps, ElementsAre("resnet50", "tsn"));
}

}  // namespace
}  // namespace diopi::reports
