#include "reports/render/message_json.h"

#include <gtest/gtest.h>

#include <limits>

#include "diopi/v1/answers.pb.h"
#include "diopi/v1/performance_answers.pb.h"

namespace diopi::reports {
namespace {

// Special values: not measured, infinities, numbers that a double cannot hold, bytes.
TEST(MessageJson, EveryFieldIsThere) {
  v1::OutputStats stats;
  stats.set_key("\xff");
  stats.set_max_ulp(std::numeric_limits<double>::quiet_NaN());
  stats.set_bias(-std::numeric_limits<double>::infinity());
  stats.set_elements(7);
  stats.set_dtype(v1::Dtype::bfloat16);
  Json json = MessageJson(stats);
  EXPECT_EQ(json.size(), static_cast<size_t>(v1::OutputStats::descriptor()->field_count()));
  EXPECT_EQ(json.at("max_ulp"), nullptr);
  EXPECT_EQ(json.at("bias"), "-Infinity");
  EXPECT_EQ(json.at("elements"), 7);
  EXPECT_EQ(json.at("dtype"), "bfloat16");
  EXPECT_EQ(json.at("first"), Json::array());
  v1::RunInfo run;
  run.set_state(v1::RUN_STATE_STALLED);
  run.mutable_options()->set_shuffle_seed(std::numeric_limits<uint64_t>::max());
  (*run.mutable_outcomes())["pass"] = 3;
  json = MessageJson(run);
  EXPECT_EQ(json.at("state"), "stalled");
  EXPECT_EQ(json.at("options").at("shuffle_seed"), "18446744073709551615");
  EXPECT_EQ(json.at("options").at("profile"), nullptr);
  EXPECT_EQ(json.at("outcomes"), Json({{"pass", 3}}));
  v1::Verdict verdict;
  EXPECT_EQ(MessageJson(verdict).at("call_us"), nullptr);
  verdict.set_call_us(0.5);
  EXPECT_EQ(MessageJson(verdict).at("call_us"), 0.5);
}

// Each form of json_form.proto.
TEST(MessageJson, Forms) {
  v1::RunPage run;
  run.mutable_summary()->set_run_id("r");
  run.mutable_summary()->mutable_scope()->set_host("hidden");
  v1::OutcomeCount& count = *run.mutable_summary()->add_outcomes();
  count.set_outcome(v1::OUTCOME_WAIVED);
  count.set_cases(2);
  (*run.mutable_summary()->mutable_labels())["b"] = "1";
  (*run.mutable_summary()->mutable_labels())["a"] = "2";
  run.mutable_summary()->set_partial("");
  Json json = MessageJson(run);
  EXPECT_EQ(json.begin().key(), "run_id");
  EXPECT_EQ(json.at("chip"), "unnamed");
  EXPECT_FALSE(json.contains("scope"));
  EXPECT_EQ(json.at("outcomes").dump(), R"({"waived":2})");
  EXPECT_EQ(json.at("labels").dump(), R"({"a":"2","b":"1"})");
  EXPECT_EQ(json.at("partial"), nullptr);
  EXPECT_EQ(json.at("exploration"), nullptr);
  EXPECT_EQ(json.at("devices"), Json::array());

  v1::CasesTable table;
  v1::CaseRow& row = *table.add_rows();
  v1::Finding& finding = *row.add_findings();
  finding.set_code(v1::Finding::OF_OUTPUT);
  finding.add_parts()->set_count(0);
  const Json values = MessageJson(table).at("rows").at(0);
  EXPECT_EQ(values.size(), FieldsOf(*v1::CaseRow::descriptor()).size());
  EXPECT_EQ(values.at(6).dump(), R"([{"code":"of_output","parts":[{"code":"unspecified","count":0}]}])");
  EXPECT_EQ(values.at(7), nullptr);

  v1::ModelRow model;
  model.add_cells();
  model.add_cells()->set_calls(1);
  EXPECT_EQ(MessageJson(model).at("cells").at(0), nullptr);
  EXPECT_EQ(MessageJson(model).at("cells").at(1).at("calls"), 1);

  v1::CasePage page;
  EXPECT_EQ(MessageJson(page).at("arguments"), nullptr);
  page.mutable_arguments();
  EXPECT_EQ(MessageJson(page).at("arguments"), Json::array());

  v1::Call call;
  EXPECT_FALSE(MessageJson(call).contains("not_measured"));
  EXPECT_FALSE(MessageJson(call).contains("first_us"));
  call.mutable_times()->set_first_us(2);
  EXPECT_EQ(MessageJson(call).at("first_us"), 2);
}

}  // namespace
}  // namespace diopi::reports
