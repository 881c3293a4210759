// The name of an enum's value in files, tables, JSON and texts: "not_implemented" for
// OUTCOME_NOT_IMPLEMENTED, "finished" for RUN_STATE_FINISHED, "float32".
#ifndef PROTO_ENUM_NAME_H_
#define PROTO_ENUM_NAME_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

namespace diopi {

// In lower case, without the enum's own name before it.
inline std::string EnumName(const google::protobuf::EnumValueDescriptor& value) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  std::string prefix;  // RunState: "run_state_"
  for (const char c : value.type()->name()) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !prefix.empty()) prefix += '_';
    prefix += c;
  }
  prefix = lower(prefix) + "_";
  const std::string name = lower(value.name());
  return name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
}

// "unspecified" for a number this program does not know.
template <typename Enum>
std::string EnumName(Enum value) {
  const auto* known = google::protobuf::GetEnumDescriptor<Enum>()->FindValueByNumber(static_cast<int>(value));
  return known == nullptr ? "unspecified" : EnumName(*known);
}

template <typename Enum>
std::optional<Enum> EnumNamed(std::string_view name) {
  const google::protobuf::EnumDescriptor& type = *google::protobuf::GetEnumDescriptor<Enum>();
  for (int i = 0; i < type.value_count(); ++i) {
    if (EnumName(*type.value(i)) == name) return static_cast<Enum>(type.value(i)->number());
  }
  return std::nullopt;
}

}  // namespace diopi

#endif  // PROTO_ENUM_NAME_H_
