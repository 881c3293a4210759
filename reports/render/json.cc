#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reports/model/outcome.h"
#include "reports/render/escape.h"
#include "reports/render/render.h"

namespace diopi::reports {
namespace {

// Protobuf refuses strings that are not UTF-8; a vendor's texts, paths and host names may hold anything.
void CleanStrings(google::protobuf::Message* message) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> set;
  reflection.ListFields(*message, &set);
  for (const google::protobuf::FieldDescriptor* field : set) {
    const bool text = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING;
    const bool nested = field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE;
    const int count = field->is_repeated() ? reflection.FieldSize(*message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (text && field->is_repeated()) {
        reflection.SetRepeatedString(message, field, i,
                                     ToUtf8(reflection.GetRepeatedString(*message, field, i)));
      } else if (text) {
        reflection.SetString(message, field, ToUtf8(reflection.GetString(*message, field)));
      } else if (nested && field->is_repeated()) {
        CleanStrings(reflection.MutableRepeatedMessage(message, field, i));
      } else if (nested) {
        CleanStrings(reflection.MutableMessage(message, field));
      }
    }
  }
}

// Protobuf's own mapping, with the field names as the .proto files have them and the outcome as its number's
// name. NaN and infinities become strings.
template <typename Message>
std::string MessageJson(Message message) {
  CleanStrings(&message);
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = false;
  std::string out;
  const auto status = google::protobuf::util::MessageToJsonString(message, &out, options);
  return status.ok() ? out : "null";
}

std::string Strings(const std::vector<std::string>& texts) {
  const auto quoted = [](std::string* out, const std::string& text) { out->append(JsonString(text)); };
  return absl::StrCat("[", absl::StrJoin(texts, ", ", quoted), "]");
}

// JSON knows no NaN; as protobuf does, it becomes a string.
std::string JsonNumber(double value) {
  return std::isfinite(value) ? absl::StrFormat("%.9g", value) : "\"NaN\"";
}

// The verdict's own fields, and what the public rule says of it.
std::string ResultJson(const v1::Verdict& verdict) {
  std::string json = MessageJson(verdict);
  const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict);
  if (!theirs.has_value() || json.size() < 2 || json.back() != '}') return json;
  json.pop_back();
  return absl::StrCat(json, ",\"public_rule\":{\"verdict\":\"", theirs->pass ? "pass" : "fail",
                      "\",\"mismatch_ratio\":", JsonNumber(theirs->mismatch_ratio), "}}");
}

std::string OperatorJson(const OperatorRow& row) {
  return absl::StrCat("{\"operator\": ", JsonString(row.op), ", \"cases\": ", row.cases,
                      ", \"pass\": ", row.passed, ", \"failed\": ", row.failed,
                      ", \"not_implemented\": ", row.not_implemented, ", \"other\": ", row.other, "}");
}

}  // namespace

std::string RenderJson(const RunReport& report) {
  const Coverage& coverage = report.coverage;
  std::string out = absl::StrCat("{\n  \"run\": ", MessageJson(report.run), ",\n");
  absl::StrAppend(&out, "  \"coverage\": {\"abi_functions\": ", coverage.abi_functions,
                  ", \"implemented\": ", coverage.implemented, ", \"selected\": ", coverage.selected,
                  ", \"tested\": ", coverage.tested, ", \"passing\": ", coverage.passing, "},\n");
  absl::StrAppend(&out, "  \"correctness\": {\"called\": ", report.correctness.called,
                  ", \"passed\": ", report.correctness.passed, "},\n");
  absl::StrAppend(&out, "  \"badges\": ", Strings(report.badges),
                  ",\n  \"widened_by_contracts\": ", report.widened, ",\n");
  absl::StrAppend(&out, "  \"public_rule\": {\"judged\": ", report.public_rule.judged,
                  ", \"ours_alone_fails\": ", report.public_rule.ours_alone,
                  ", \"theirs_alone_fails\": ", report.public_rule.theirs_alone, "},\n");
  absl::StrAppend(&out, "  \"cases\": ", report.cases, ",\n  \"missing\": ", report.missing, ",\n");
  absl::StrAppend(&out, "  \"outcomes\": {",
                  absl::StrJoin(report.outcomes, ", ",
                                [](std::string* text, const auto& entry) {
                                  absl::StrAppend(text, JsonString(OutcomeName(entry.first)), ": ",
                                                  entry.second);
                                }),
                  "},\n");
  absl::StrAppend(&out, "  \"references\": ", Strings(report.references), ",\n");
  const auto lines = [](const auto& items, const auto& to_json) {
    return absl::StrJoin(items, ",", [&](std::string* text, const auto& item) {
      absl::StrAppend(text, "\n    ", to_json(item));
    });
  };
  absl::StrAppend(&out, "  \"operators\": [", lines(report.operators, OperatorJson), "\n  ],\n");
  absl::StrAppend(&out, "  \"results\": [", lines(report.results, ResultJson), "\n  ]\n}\n");
  return out;
}

}  // namespace diopi::reports
