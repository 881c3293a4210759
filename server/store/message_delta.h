// A message as its difference from another: what verdicts of one case repeat is stored once. Private to this
// folder.
//
// The bytes are a bit map of the fields that differ (bit N - 1: field N), then their values in the order of
// the fields' numbers:
//
//   bool                nothing: it is the opposite of the base's
//   integers, enums     a zigzag varint
//   double              a byte N, then the N leading bytes (the others are zero); N = 9: NaN
//   string              a varint 2 N, then N bytes; 2 N + 1: N bytes that were 2 N lower-case hex digits
//   optional ...        a byte before the value; 0: absent, and there is no value; bools: a byte
//   repeated ...        the count, then each; integers: after a zero, how many more zeros follow
//   messages            their own difference, from the one at the same place, else from the one before
//
// Values carry no lengths, so a program must know every field that is stored: a new field needs a new schema
// version (schema_test has the golden list of fields).
#ifndef SERVER_STORE_MESSAGE_DELTA_H_
#define SERVER_STORE_MESSAGE_DELTA_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace diopi::server {

// A set of fields by their numbers, which are 1 to 64.
using FieldSet = uint64_t;
constexpr FieldSet FieldBit(int number) {
  return FieldSet{1} << (number - 1);
}

// The difference that turns `base` into `message`, of the same type. All NaNs are equal. Fields in `without`
// stay as they are in `base`.
std::string EncodeDelta(const google::protobuf::Message& base, const google::protobuf::Message& message,
                        FieldSet without = 0);

// Turns `message`, the base, into what was encoded. False when the bytes are no encoding; `message` is then
// changed in part.
bool ApplyDelta(std::string_view delta, google::protobuf::Message* message);

}  // namespace diopi::server

#endif  // SERVER_STORE_MESSAGE_DELTA_H_
