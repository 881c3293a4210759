// Messages as JSON, by their declaration: a member a field, under the field's name. Both the run report and
// the dashboards' API write so; schema/messages.schema.json and the dashboards' types are made from the same
// declaration (message_types_test.cc).
//
//   not set, where absence can be told   null
//   NaN, "not measured"                  null
//   infinities                           "Infinity", "-Infinity", which JavaScript and Python read
//   enums                                their names (proto/enum_name.h)
//   uint64                               a string of digits: it has more than a double holds
#ifndef REPORTS_RENDER_MESSAGE_JSON_H_
#define REPORTS_RENDER_MESSAGE_JSON_H_

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

namespace diopi::reports {

using Json = nlohmann::ordered_json;

Json JsonNumber(double value);
Json MessageJson(const google::protobuf::Message& message);

}  // namespace diopi::reports

#endif  // REPORTS_RENDER_MESSAGE_JSON_H_
