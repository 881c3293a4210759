#include <google/protobuf/util/json_util.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cases/base/dtype.h"
#include "reports/document/escape.h"
#include "reports/model/outcome.h"
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
  options.always_print_primitive_fields = true;  // a reader must not have to know what an absent 0 means
  std::string out;
  const auto status = google::protobuf::util::MessageToJsonString(message, &out, options);
  return status.ok() ? out : "null";
}

std::string Strings(const std::vector<std::string>& texts) {
  const auto quoted = [](std::string* out, const std::string& text) { out->append(JsonString(text)); };
  return absl::StrCat("[", absl::StrJoin(texts, ", ", quoted), "]");
}

// What was not measured is null; infinities are strings, as protobuf has them.
std::string JsonFigure(double value) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  std::array<char, 32> digits{};  // the shortest that reads back as the same
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

struct Figure {
  const char* name;
  double (v1::OutputStats::*value)() const;
  void (v1::OutputStats::*clear)();
};

#define FIGURE(name) \
  { #name, &v1::OutputStats::name, &v1::OutputStats::clear_##name }
constexpr Figure kFigures[] = {FIGURE(max_ulp),       FIGURE(max_z),
                               FIGURE(rms_z),         FIGURE(max_abs),
                               FIGURE(max_rel),       FIGURE(rmse),
                               FIGURE(rmse_ideal),    FIGURE(bias),
                               FIGURE(radial_bias),   FIGURE(rms_z_device),
                               FIGURE(rmse_device),   FIGURE(rmse_ratio),
                               FIGURE(zero_fraction), FIGURE(peer_mismatch_ratio)};
#undef FIGURE

// `members`, each with a comma before it, into an object's text.
std::string WithMembers(std::string object, const std::string& members) {
  if (object.size() < 2 || object.back() != '}' || members.empty()) return object;
  const bool first = object == "{}";
  object.pop_back();
  return absl::StrCat(object, first ? members.substr(1) : members, "}");
}

// The text of a member that protobuf has written as `cleared`. No string can look like it: its quotes are
// escaped.
void SetMember(const std::string& name, const std::string& cleared, const std::string& value,
               std::string* object) {
  const std::string member = absl::StrCat("\"", name, "\":");
  const size_t at = object->find(member + cleared);
  if (at != std::string::npos) object->replace(at + member.size(), cleared.size(), value);
}

// Protobuf would write NaN for what was not measured.
std::string OutputJson(const v1::OutputStats& stats) {
  v1::OutputStats fields = stats;
  for (const Figure& figure : kFigures) (fields.*figure.clear)();
  std::string object = MessageJson(std::move(fields));
  for (const Figure& figure : kFigures)
    SetMember(figure.name, "0", JsonFigure((stats.*figure.value)()), &object);
  return object;
}

// The verdict's own fields, what the public rule says of it, and of a failure the command that repeats it.
std::string ResultJson(const RunReport& report, const v1::Verdict& verdict) {
  v1::Verdict fields = verdict;
  fields.clear_outputs();
  std::string more;
  const auto output = [](std::string* text, const v1::OutputStats& stats) {
    text->append(OutputJson(stats));
  };
  const std::string outputs = absl::StrCat("[", absl::StrJoin(verdict.outputs(), ",", output), "]");
  if (const std::optional<PublicVerdict> theirs = PublicVerdictOf(verdict); theirs.has_value()) {
    absl::StrAppend(&more, ",\"public_rule\":{\"verdict\":\"", theirs->pass ? "pass" : "fail",
                    "\",\"mismatch_ratio\":", JsonFigure(theirs->mismatch_ratio), "}");
  }
  if (IsListed(verdict.outcome())) {
    absl::StrAppend(&more, ",\"repro\":", JsonString(ReproCommand(report, verdict)));
  }
  std::string object = MessageJson(std::move(fields));
  SetMember("outputs", "[]", outputs, &object);
  return WithMembers(std::move(object), more);
}

std::string OperatorJson(const OperatorRow& row) {
  return absl::StrCat("{\"operator\": ", JsonString(row.op), ", \"cases\": ", row.cases,
                      ", \"pass\": ", row.passed, ", \"failed\": ", row.failed,
                      ", \"not_implemented\": ", row.not_implemented, ", \"other\": ", row.other, "}");
}

std::string GroupJson(const RunReport& report, const FailureGroup& group) {
  std::vector<std::string> dtypes;
  for (const v1::Dtype::Code dtype : group.dtypes) dtypes.emplace_back(DtypeName(dtype));
  return absl::StrCat(
      "{\"key\": ", JsonString(group.key), ", \"outcome\": ", JsonString(OutcomeName(group.outcome)),
      ", \"cause\": ", JsonString(group.cause), ", \"diagnosed\": ", group.diagnosed ? "true" : "false",
      ", \"operators\": ", Strings(group.operators), ", \"functions\": ", Strings(group.functions),
      ", \"dtypes\": ", Strings(dtypes), ", \"cases\": ", Strings(group.cases),
      ", \"repro\": ", JsonString(ReproCommand(report, group.example)), "}");
}

}  // namespace

void EffectJson(std::string* out, const ContractEffect& effect) {
  const auto dtype = [](std::string* text, const auto& entry) {
    absl::StrAppend(text, JsonString(std::string(DtypeName(entry.first))), ": ", entry.second);
  };
  absl::StrAppend(out, "{\"contract\": ", JsonString(effect.contract), ", \"cases\": ", effect.cases,
                  ", \"by_dtype\": {", absl::StrJoin(effect.by_dtype, ", ", dtype), "}}");
}

std::string RenderJson(const RunReport& report) {
  const Coverage& coverage = report.coverage;
  std::string out = absl::StrCat("{\n  \"run\": ", MessageJson(report.run), ",\n");
  absl::StrAppend(&out, "  \"coverage\": {\"abi_functions\": ", coverage.abi_functions,
                  ", \"implemented\": ", coverage.implemented, ", \"selected\": ", coverage.selected,
                  ", \"with_cases\": ", coverage.with_cases, ", \"tested\": ", coverage.tested,
                  ", \"passing\": ", coverage.passing, "},\n");
  absl::StrAppend(&out, "  \"correctness\": {\"called\": ", report.correctness.called,
                  ", \"passed\": ", report.correctness.passed, "},\n");
  absl::StrAppend(&out, "  \"badges\": ", Strings(report.badges),
                  ",\n  \"widened_by_contracts\": ", report.widened, ",\n");
  absl::StrAppend(&out, "  \"would_pass_under\": [", absl::StrJoin(report.would_pass, ", ", EffectJson),
                  "],\n");
  absl::StrAppend(&out, "  \"public_rule\": {\"judged\": ", report.public_rule.judged,
                  ", \"ours_alone_fails\": ", report.public_rule.ours_alone,
                  ", \"theirs_alone_fails\": ", report.public_rule.theirs_alone, "},\n");
  absl::StrAppend(&out, "  \"partial\": ", report.partial.empty() ? "null" : JsonString(report.partial),
                  ",\n");
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
  const auto result = [&report](const v1::Verdict& verdict) { return ResultJson(report, verdict); };
  absl::StrAppend(&out, "  \"operators\": [", lines(report.operators, OperatorJson), "\n  ],\n");
  const auto group = [&report](const FailureGroup& failures) { return GroupJson(report, failures); };
  absl::StrAppend(&out, "  \"failures\": [", lines(report.failures, group), "\n  ],\n");
  absl::StrAppend(&out, "  \"results\": [", lines(report.results, result), "\n  ]\n}\n");
  return out;
}

}  // namespace diopi::reports
