// A message as its difference from another: what verdicts of one case repeat is stored once. Private to this
// folder.
//
// The bytes are a bit map of the fields that differ (bit N - 1: field N), then the value of each in the order
// of their numbers:
//
//   bool                nothing: it is the other one
//   integers, enums     a zigzag varint
//   double              one byte, then so many of its leading bytes (the others are zero); 9: NaN
//   string              a varint, length * 2, and the bytes; length * 2 + 1: so many bytes of lower-case hex
//   optional ...        a byte before the value; 0: absent, and there is no value; bools: a byte
//   repeated ...        how many, then each; integers: a zero is followed by how many zeros follow it
//   messages            their own difference, from the one at the same place, else from the one before
//
// Nothing says how long a value is, so a program must know every field that is stored: one more field is one
// more schema version (schema_test has the golden list of fields).
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

// What makes `message` of `base`, a message of the same type. NaNs are all the same one. Fields of `without`
// are left as they are in `base`.
std::string EncodeDelta(const google::protobuf::Message& base, const google::protobuf::Message& message,
                        FieldSet without = 0);

// Makes of `message`, the base, what was encoded. False when these bytes were not: then it is neither.
bool ApplyDelta(std::string_view delta, google::protobuf::Message* message);

}  // namespace diopi::server

#endif  // SERVER_STORE_MESSAGE_DELTA_H_
