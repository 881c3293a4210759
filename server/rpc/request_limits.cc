// Rules come from the descriptors of all calls, so a field that is added later is limited without anybody
// thinking of it: texts and lists generously, and names by their field's name, whichever message has them.
// The rules are made once, because looking up descriptors for each of a report's fields would cost more than
// the check.
#include "server/rpc/request_limits.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/findings/finding_text.h"
#include "diopi/v1/service.pb.h"
#include "server/store/chip_name.h"

namespace diopi::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxList = 65536;        // elements of any list
constexpr size_t kMaxText = 1 << 20;   // a backtrace
constexpr size_t kMaxBytes = 4 << 20;  // a piece of a library
constexpr size_t kMaxId = 128;

// Limits of names, which people see in tables and logs. 4096: paths, what a library says about itself, and a
// suite of many models.
struct NameLimit {
  std::string_view field;
  size_t bytes;
};
constexpr NameLimit kNames[] = {
    {"agent_id", 256},         {"host", 256},          {"suite", 4096},         {"dialect", 256},
    {"agent_version", 256},    {"impl_sha256", 256},   {"require_sha256", 256}, {"upload_sha256", 256},
    {"whole_suite_hash", 256}, {"suite_hash", 256},    {"case_id", 1024},       {"case_hash", 256},
    {"upload_name", 1024},     {"impl_path", 4096},    {"vendor_name", 4096},   {"impl_version", 4096},
    {"sandbox", 4096},         {"renew_leases", 256},  {"functions", 1024},     {"cases", 1024},
    {"contracts", 256},        {"implemented", 1024},  {"after", 1024},         {"profile_path", 4096},
    {"device_lib", 4096},      {"cases_folder", 4096}, {"sandbox_level", 256},  {"judged_case", 1024},
    {"judged_hash", 256},      {"shapes", 1024},       {"kernel", 256},         {"processor", 256},
};

bool IsId(const FieldDescriptor& field) {
  return field.name() == "run_id" || field.name() == "resume_run" || field.name() == "before";
}

// How a field is checked: a text or bytes by its length, a list by the number of its elements.
struct FieldRule {
  const FieldDescriptor* field;
  bool repeated;
  bool message;
  bool text;         // or bytes
  bool name;         // a text that people see
  bool id;           // of a run
  bool chip;         // the name of a chip
  size_t limit = 0;  // of bytes
};
using Rules = std::vector<FieldRule>;

FieldRule RuleOf(const FieldDescriptor& field) {
  FieldRule rule{&field,
                 field.is_repeated(),
                 field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE,
                 field.cpp_type() == FieldDescriptor::CPPTYPE_STRING,
                 false,
                 IsId(field),
                 field.name() == "chip"};
  rule.limit = field.type() == FieldDescriptor::TYPE_BYTES ? kMaxBytes : kMaxText;
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames),
                   [&field](const NameLimit& limit) { return limit.field == field.name(); });
  if (found != std::end(kNames)) rule.limit = found->bytes;
  if (rule.id) rule.limit = kMaxId;
  rule.name = rule.id || found != std::end(kNames);
  return rule;
}

Rules MakeRules(const Descriptor& message) {
  Rules rules;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldRule rule = RuleOf(*message.field(i));
    if (rule.repeated || rule.message || rule.text) rules.push_back(rule);
  }
  return rules;
}

using RuleBook = absl::flat_hash_map<const Descriptor*, Rules>;

void AddRules(const Descriptor& message, RuleBook* book) {
  if (!book->emplace(&message, MakeRules(message)).second) return;
  for (int i = 0; i < message.field_count(); ++i) {
    if (message.field(i)->message_type() != nullptr) AddRules(*message.field(i)->message_type(), book);
  }
}

// The checked fields of every message that a call takes, found once because a report has thousands of fields.
RuleBook MakeRuleBook() {
  RuleBook book;
  const google::protobuf::FileDescriptor& file = *v1::ReportRequest::descriptor()->file();
  for (int s = 0; s < file.service_count(); ++s) {
    for (int m = 0; m < file.service(s)->method_count(); ++m) {
      AddRules(*file.service(s)->method(m)->input_type(), &book);
    }
  }
  return book;
}

absl::Status Bad(const FieldDescriptor& field, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(field.full_name(), " ", what));
}

absl::Status CheckText(const FieldRule& rule, const std::string& text) {
  if (rule.chip) {
    const absl::Status status = CheckChipName(text);
    return status.ok() ? status : Bad(*rule.field, absl::StrCat("is refused: ", status.message()));
  }
  if (text.size() > rule.limit) {
    return Bad(*rule.field, absl::StrCat("has ", text.size(), " bytes; the limit is ", rule.limit));
  }
  if (rule.name && !IsPrintableName(text)) {
    return Bad(*rule.field, "has a character in it that is not printable");
  }
  if (rule.id && !std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
      })) {
    return Bad(*rule.field, "is not a run id, which has letters, digits, '-' and '_'");
  }
  return absl::OkStatus();
}

absl::Status CheckMessage(const RuleBook& book, const Message& message);

absl::Status CheckOne(const RuleBook& book, const Message& message, const FieldRule& rule) {
  const Reflection& reflection = *message.GetReflection();
  if (rule.message) {
    // Do not visit an absent message: its type may contain itself.
    if (!reflection.HasField(message, rule.field)) return absl::OkStatus();
    return CheckMessage(book, reflection.GetMessage(message, rule.field));
  }
  std::string scratch;
  return CheckText(rule, reflection.GetStringReference(message, rule.field, &scratch));
}

absl::Status CheckList(const RuleBook& book, const Message& message, const FieldRule& rule) {
  const Reflection& reflection = *message.GetReflection();
  const int count = reflection.FieldSize(message, rule.field);
  if (count > kMaxList) {
    return Bad(*rule.field, absl::StrCat("has ", count, " elements; the limit is ", kMaxList));
  }
  if (!rule.message && !rule.text) return absl::OkStatus();
  std::string scratch;
  for (int i = 0; i < count; ++i) {
    RETURN_IF_ERROR(rule.message ? CheckMessage(book, reflection.GetRepeatedMessage(message, rule.field, i))
                                 : CheckText(rule, reflection.GetRepeatedStringReference(message, rule.field,
                                                                                         i, &scratch)));
  }
  return absl::OkStatus();
}

absl::Status CheckMessage(const RuleBook& book, const Message& message) {
  if (message.GetDescriptor() == v1::Finding::descriptor() &&
      !IsShallow(static_cast<const v1::Finding&>(message)))
    return absl::InvalidArgumentError("findings nest too deeply");
  const auto found = book.find(message.GetDescriptor());
  // A message that no call of ours takes comes from a test.
  const Rules own = found == book.end() ? MakeRules(*message.GetDescriptor()) : Rules();
  for (const FieldRule& rule : found == book.end() ? own : found->second) {
    RETURN_IF_ERROR(rule.repeated ? CheckList(book, message, rule) : CheckOne(book, message, rule));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRequest(const Message& request) {
  static const auto* const book = new RuleBook(MakeRuleBook());
  return CheckMessage(*book, request);
}

}  // namespace diopi::server
