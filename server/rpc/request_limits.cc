#include "server/rpc/request_limits.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace diopi::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxList = 65536;        // elements of any list
constexpr size_t kMaxText = 1 << 20;   // a backtrace
constexpr size_t kMaxBytes = 4 << 20;  // a piece of a library
constexpr size_t kMaxId = 128;

// Names, which people see in tables and logs. 4096: a path, and what a library says about itself.
struct NameLimit {
  std::string_view field;
  size_t bytes;
};
constexpr NameLimit kNames[] = {
    {"agent_id", 256},         {"chip", 256},           {"host", 256},
    {"dialect", 256},          {"agent_version", 256},  {"suite", 256},
    {"impl_sha256", 256},      {"require_sha256", 256}, {"upload_sha256", 256},
    {"whole_suite_hash", 256}, {"suite_hash", 256},     {"case_id", 1024},
    {"case_hash", 256},        {"upload_name", 1024},   {"impl_path", 4096},
    {"vendor_name", 4096},     {"impl_version", 4096},  {"sandbox", 4096},
    {"renew_leases", 256},     {"functions", 1024},     {"cases", 1024},
    {"contracts", 256},        {"implemented", 1024},
};

bool IsId(const FieldDescriptor& field) {
  return field.name() == "run_id" || field.name() == "resume_run";
}

size_t LimitOf(const FieldDescriptor& field, bool* name) {
  *name = true;
  if (IsId(field)) return kMaxId;
  for (const NameLimit& limit : kNames) {
    if (limit.field == field.name()) return limit.bytes;
  }
  *name = false;
  return field.type() == FieldDescriptor::TYPE_BYTES ? kMaxBytes : kMaxText;
}

absl::Status Bad(const FieldDescriptor& field, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(field.full_name(), " ", what));
}

absl::Status CheckText(const FieldDescriptor& field, const std::string& text) {
  bool name = false;
  const size_t limit = LimitOf(field, &name);
  if (text.size() > limit) {
    return Bad(field, absl::StrCat("has ", text.size(), " bytes; the limit is ", limit));
  }
  if (name && std::any_of(text.begin(), text.end(),
                          [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); })) {
    return Bad(field, "has a control character in it");
  }
  if (IsId(field) && !std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
      })) {
    return Bad(field, "is no id of a run: it may have letters, digits, '-' and '_'");
  }
  return absl::OkStatus();
}

absl::Status CheckField(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const int count = field.is_repeated() ? reflection.FieldSize(message, &field) : 1;
  if (count > kMaxList) {
    return Bad(field, absl::StrCat("has ", count, " elements; the limit is ", kMaxList));
  }
  const FieldDescriptor::CppType type = field.cpp_type();
  if (type != FieldDescriptor::CPPTYPE_STRING && type != FieldDescriptor::CPPTYPE_MESSAGE)
    return absl::OkStatus();
  std::string scratch;
  for (int i = 0; i < count; ++i) {
    absl::Status status;
    if (type == FieldDescriptor::CPPTYPE_STRING) {
      status = CheckText(field, field.is_repeated()
                                    ? reflection.GetRepeatedStringReference(message, &field, i, &scratch)
                                    : reflection.GetStringReference(message, &field, &scratch));
    } else {
      status = CheckRequest(field.is_repeated() ? reflection.GetRepeatedMessage(message, &field, i)
                                                : reflection.GetMessage(message, &field));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRequest(const Message& request) {
  std::vector<const FieldDescriptor*> set;
  request.GetReflection()->ListFields(request, &set);
  for (const FieldDescriptor* field : set) {
    absl::Status status = CheckField(request, *field);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace diopi::server
