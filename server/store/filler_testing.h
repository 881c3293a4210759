// Messages with a value in every field, for the tests of this folder.
#ifndef SERVER_STORE_FILLER_TESTING_H_
#define SERVER_STORE_FILLER_TESTING_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace diopi::server {

// Sets every field of a message and of the messages within it to a value that no other field has: a field
// that is added to the proto and not stored does not come back.
class Filler {
 public:
  void Fill(google::protobuf::Message* message) {
    const google::protobuf::Descriptor& type = *message->GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const google::protobuf::FieldDescriptor& field = *type.field(i);
      if (field.message_type() == &type && depth_ == kDeepest) continue;  // a message within its own kind
      const int times = field.is_repeated() ? 3 : 1;
      ++depth_;
      for (int j = 0; j < times; ++j) Set(message, field);
      --depth_;
    }
  }

 private:
  using Field = google::protobuf::FieldDescriptor;

  void Set(google::protobuf::Message* message, const Field& field) {
    const google::protobuf::Reflection& reflection = *message->GetReflection();
    const bool many = field.is_repeated();
    ++next_;
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32:
        return many ? reflection.AddInt32(message, &field, next_)
                    : reflection.SetInt32(message, &field, next_);
      case Field::CPPTYPE_INT64:
        return many ? reflection.AddInt64(message, &field, next_)
                    : reflection.SetInt64(message, &field, next_);
      case Field::CPPTYPE_DOUBLE:
        return many ? reflection.AddDouble(message, &field, next_ + 0.5)
                    : reflection.SetDouble(message, &field, next_ + 0.5);
      case Field::CPPTYPE_BOOL:
        return many ? reflection.AddBool(message, &field, true) : reflection.SetBool(message, &field, true);
      case Field::CPPTYPE_ENUM: {
        const auto* value = field.enum_type()->value(field.enum_type()->value_count() / 2);
        return many ? reflection.AddEnum(message, &field, value) : reflection.SetEnum(message, &field, value);
      }
      case Field::CPPTYPE_STRING: {
        const std::string text = absl::StrCat(field.name(), " ", next_);
        return many ? reflection.AddString(message, &field, text)
                    : reflection.SetString(message, &field, text);
      }
      case Field::CPPTYPE_MESSAGE:
        return Fill(many ? reflection.AddMessage(message, &field)
                         : reflection.MutableMessage(message, &field));
      default:
        ADD_FAILURE() << field.full_name() << ": a type that this test does not know";
    }
  }

  static constexpr int kDeepest = 3;

  int next_ = 0;
  int depth_ = 0;  // of the message that is being filled
};

}  // namespace diopi::server

#endif  // SERVER_STORE_FILLER_TESTING_H_
