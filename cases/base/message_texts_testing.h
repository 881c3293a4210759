// Messages with one text in all of their fields, for tests.
#ifndef CASES_BASE_MESSAGE_TEXTS_TESTING_H_
#define CASES_BASE_MESSAGE_TEXTS_TESTING_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>

namespace diopi {

// Sets every text of a message and of the messages inside it, except those of its own type.
inline void SetTexts(const std::string& text, google::protobuf::Message* message) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Descriptor& type = *message->GetDescriptor();
  const google::protobuf::Reflection& fields = *message->GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      field->is_repeated() ? fields.AddString(message, field, text) : fields.SetString(message, field, text);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field->message_type() != &type) {
      SetTexts(text, field->is_repeated() ? fields.AddMessage(message, field)
                                          : fields.MutableMessage(message, field));
    }
  }
}

}  // namespace diopi

#endif  // CASES_BASE_MESSAGE_TEXTS_TESTING_H_
