// Writes messages as JSON by their declaration: one member per field, under the field's name. The run report
// and the dashboards' API both use it; schema/messages.schema.json and the dashboards' types are generated
// from the same declaration (message_types_test.cc).
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
