// Encoder and decoder walk a message by reflection, in the order of field numbers; each Put function has a
// Take function that must read exactly the bytes it wrote, because values carry no lengths. Doubles are
// compared by their bits (0 and -0 differ, all NaNs are one). The decoder reads files that may be damaged: it
// bounds counts and nesting before it allocates or recurses.
#include "server/store/message_delta.h"

#include <google/protobuf/reflection.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "server/store/varint.h"

namespace diopi::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// More than any message has, so that damaged bytes cannot ask for all memory.
constexpr uint64_t kMostElements = uint64_t{1} << 20;
// Messages within messages: more than findings have, so that damaged bytes cannot exhaust the stack.
constexpr int kDeepest = 16;

constexpr uint8_t kNan = 9;  // after 0 to 8 leading bytes
constexpr char kHexDigits[] = "0123456789abcdef";

uint64_t BitsOf(double value) {
  return std::bit_cast<uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
}

void PutDouble(double value, std::string* out) {
  if (std::isnan(value)) return out->push_back(static_cast<char>(kNan));
  const auto bits = std::bit_cast<uint64_t>(value);
  const int zeros = bits == 0 ? 8 : std::countr_zero(bits) / 8;
  out->push_back(static_cast<char>(8 - zeros));
  for (int byte = 7; byte >= zeros; --byte) out->push_back(static_cast<char>(bits >> (8 * byte)));
}

bool TakeDouble(ByteReader* in, double* value) {
  const uint8_t count = in->Byte();
  if (count == kNan) {
    *value = std::numeric_limits<double>::quiet_NaN();
    return in->ok();
  }
  if (count > 8) return false;
  uint64_t bits = 0;
  for (int byte = 7; byte >= 8 - count; --byte) bits |= uint64_t{in->Byte()} << (8 * byte);
  *value = std::bit_cast<double>(bits);
  return in->ok();
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool IsHex(std::string_view text) {
  return text.size() >= 8 && text.size() % 2 == 0 &&
         std::all_of(text.begin(), text.end(), [](char c) { return HexDigit(c) >= 0; });
}

void PutString(std::string_view text, std::string* out) {
  if (!IsHex(text)) {
    PutVarint(text.size() * 2, out);
    out->append(text);
    return;
  }
  PutVarint(text.size() + 1, out);
  for (size_t i = 0; i < text.size(); i += 2) {
    out->push_back(static_cast<char>(HexDigit(text[i]) * 16 + HexDigit(text[i + 1])));
  }
}

std::string TakeString(ByteReader* in) {
  const uint64_t size = in->Varint();
  const std::string_view bytes = in->Bytes(size / 2);
  if (size % 2 == 0) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    text.push_back(kHexDigits[byte / 16]);
    text.push_back(kHexDigits[byte % 16]);
  }
  return text;
}

// Needs no search where fields are declared in the order of their numbers, as nearly all are.
const FieldDescriptor* FieldOf(const Descriptor& type, int number) {
  if (number <= type.field_count() && type.field(number - 1)->number() == number)
    return type.field(number - 1);
  return type.FindFieldByNumber(number);
}

// A field of one message.
class Field {
 public:
  Field(const Message& message, const Reflection& reflection, const FieldDescriptor* field)
      : message_(message), reflection_(reflection), field_(field) {}

  bool present() const { return !field_->has_presence() || reflection_.HasField(message_, field_); }
  int size() const { return reflection_.FieldSize(message_, field_); }
  double real() const { return reflection_.GetDouble(message_, field_); }
  bool truth() const { return reflection_.GetBool(message_, field_); }
  int64_t integer() const {
    switch (field_->cpp_type()) {
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection_.GetEnumValue(message_, field_);
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection_.GetInt32(message_, field_);
      default:
        return reflection_.GetInt64(message_, field_);
    }
  }
  const std::string& text(std::string* scratch) const {
    return reflection_.GetStringReference(message_, field_, scratch);
  }
  const std::string& text(int i, std::string* scratch) const {
    return reflection_.GetRepeatedStringReference(message_, field_, i, scratch);
  }
  const Message& message() const {
    return reflection_.GetMessage(message_, field_);
  }  // the default if absent
  const Message& message(int i) const { return reflection_.GetRepeatedMessage(message_, field_, i); }

 private:
  const Message& message_;
  const Reflection& reflection_;
  const FieldDescriptor* field_;
};

template <typename Int>
bool SameIntegers(const Message& a, const Message& b, const Reflection& reflection,
                  const FieldDescriptor* field) {
  const auto one = reflection.GetRepeatedFieldRef<Int>(a, field);
  const auto other = reflection.GetRepeatedFieldRef<Int>(b, field);
  bool same = one.size() == other.size();
  for (int i = 0; same && i < one.size(); ++i) same = one.Get(i) == other.Get(i);
  return same;
}

bool SameMessages(const Message& a, const Message& b);

bool SameElements(const Field& a, const Field& b, const FieldDescriptor& field) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    std::string first;
    std::string second;
    const bool same = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE
                          ? SameMessages(a.message(i), b.message(i))
                          : a.text(i, &first) == b.text(i, &second);
    if (!same) return false;
  }
  return true;
}

// Whether the field is the same in two messages of one type. The caller looks up their reflection once, as
// that is not free.
bool Same(const Message& one, const Message& other, const Reflection& reflection,
          const FieldDescriptor* field) {
  const Field a(one, reflection, field);
  const Field b(other, reflection, field);
  if (field->is_repeated()) {
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return SameIntegers<int32_t>(one, other, reflection, field);
      case FieldDescriptor::CPPTYPE_INT64:
        return SameIntegers<int64_t>(one, other, reflection, field);
      default:
        return SameElements(a, b, *field);
    }
  }
  if (a.present() != b.present()) return false;
  if (!a.present()) return true;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return a.truth() == b.truth();
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return BitsOf(a.real()) == BitsOf(b.real());
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string first;
      std::string second;
      return a.text(&first) == b.text(&second);
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SameMessages(a.message(), b.message());
    default:
      return a.integer() == b.integer();
  }
}

bool SameMessages(const Message& a, const Message& b) {
  const Descriptor& type = *a.GetDescriptor();
  const Reflection& reflection = *a.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    if (!Same(a, b, reflection, type.field(i))) return false;
  }
  return true;
}

void Encode(const Message& base, const Message& message, FieldSet without, std::string* out);

template <typename Int>
void PutIntegers(const Message& message, const Reflection& reflection, const FieldDescriptor* field,
                 std::string* out) {
  const auto values = reflection.GetRepeatedFieldRef<Int>(message, field);
  PutVarint(static_cast<uint64_t>(values.size()), out);
  for (int i = 0; i < values.size(); ++i) {
    PutZigzag(values.Get(i), out);
    if (values.Get(i) != 0) continue;
    const int first = i;
    while (i + 1 < values.size() && values.Get(i + 1) == 0) ++i;
    PutVarint(static_cast<uint64_t>(i - first), out);
  }
}

void PutTexts(const Message& message, const Reflection& reflection, const FieldDescriptor* field,
              std::string* out) {
  const Field now(message, reflection, field);
  PutVarint(static_cast<uint64_t>(now.size()), out);
  std::string scratch;
  for (int i = 0; i < now.size(); ++i) PutString(now.text(i, &scratch), out);
}

void PutMessages(const Message& base, const Message& message, const Reflection& reflection,
                 const FieldDescriptor* field, std::string* out) {
  const Field before(base, reflection, field);
  const Field now(message, reflection, field);
  PutVarint(static_cast<uint64_t>(now.size()), out);
  for (int i = 0; i < now.size(); ++i) {
    const Message& element = now.message(i);
    if (i < before.size()) {
      Encode(before.message(i), element, 0, out);
    } else if (i > 0) {
      Encode(now.message(i - 1), element, 0, out);
    } else {
      Encode(*element.GetReflection()->GetMessageFactory()->GetPrototype(element.GetDescriptor()), element, 0,
             out);
    }
  }
}

void PutElements(const Message& base, const Message& message, const Reflection& reflection,
                 const FieldDescriptor* field, std::string* out) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return PutTexts(message, reflection, field, out);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return PutMessages(base, message, reflection, field, out);
    case FieldDescriptor::CPPTYPE_INT32:
      return PutIntegers<int32_t>(message, reflection, field, out);
    default:
      return PutIntegers<int64_t>(message, reflection, field, out);
  }
}

void PutValue(const Message& base, const Message& message, const Reflection& reflection,
              const FieldDescriptor* field, std::string* out) {
  if (field->is_repeated()) return PutElements(base, message, reflection, field, out);
  const Field now(message, reflection, field);
  if (field->has_presence()) {
    out->push_back(now.present() ? 1 : 0);
    if (!now.present()) return;
  }
  std::string scratch;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      if (field->has_presence()) out->push_back(now.truth() ? 1 : 0);
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return PutDouble(now.real(), out);
    case FieldDescriptor::CPPTYPE_STRING:
      return PutString(now.text(&scratch), out);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Encode(Field(base, reflection, field).message(), now.message(), 0, out);
    default:
      return PutZigzag(now.integer(), out);
  }
}

void Encode(const Message& base, const Message& message, FieldSet without, std::string* out) {
  const Descriptor& type = *message.GetDescriptor();
  const Reflection& reflection = *message.GetReflection();
  FieldSet changed = 0;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldSet bit = FieldBit(type.field(i)->number());
    if ((without & bit) == 0 && !Same(base, message, reflection, type.field(i))) changed |= bit;
  }
  PutVarint(changed, out);
  for (; changed != 0; changed &= changed - 1) {
    PutValue(base, message, reflection, FieldOf(type, std::countr_zero(changed) + 1), out);
  }
}

bool Apply(ByteReader* in, int depth, Message* message);

void SetInteger(Message* message, const Reflection& reflection, const FieldDescriptor* field, int64_t value) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.SetEnumValue(message, field, static_cast<int>(value));
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(message, field, static_cast<int32_t>(value));
    default:
      return reflection.SetInt64(message, field, value);
  }
}

template <typename Int>
bool TakeIntegers(ByteReader* in, uint64_t size, const FieldDescriptor* field, Message* message) {
  const auto values = message->GetReflection()->GetMutableRepeatedFieldRef<Int>(message, field);
  values.Clear();
  for (uint64_t i = 0; i < size && in->ok(); ++i) {
    const auto value = static_cast<Int>(in->Zigzag());
    values.Add(value);
    if (value != 0) continue;
    const uint64_t more = in->Varint();
    if (more >= size - i) return false;
    for (uint64_t j = 0; j < more; ++j) values.Add(0);
    i += more;
  }
  return in->ok();
}

bool TakeMessages(ByteReader* in, uint64_t size, int depth, const FieldDescriptor* field, Message* message) {
  const Reflection& reflection = *message->GetReflection();
  int have = reflection.FieldSize(*message, field);
  for (; static_cast<uint64_t>(have) > size; --have) reflection.RemoveLast(message, field);
  for (uint64_t i = 0; i < size; ++i) {
    const int at = static_cast<int>(i);
    if (at >= have) {
      Message* added = reflection.AddMessage(message, field);
      if (at > 0) added->CopyFrom(reflection.GetRepeatedMessage(*message, field, at - 1));
    }
    if (!Apply(in, depth + 1, reflection.MutableRepeatedMessage(message, field, at))) return false;
  }
  return true;
}

bool TakeElements(ByteReader* in, int depth, const FieldDescriptor* field, Message* message) {
  const Reflection& reflection = *message->GetReflection();
  const uint64_t size = in->Varint();
  if (!in->ok() || size > kMostElements) return false;
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
    return TakeMessages(in, size, depth, field, message);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    return TakeIntegers<int32_t>(in, size, field, message);
  }
  if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING) {
    return TakeIntegers<int64_t>(in, size, field, message);
  }
  reflection.ClearField(message, field);
  for (uint64_t i = 0; i < size && in->ok(); ++i) reflection.AddString(message, field, TakeString(in));
  return in->ok();
}

bool TakeValue(ByteReader* in, const Reflection& reflection, int depth, const FieldDescriptor* field,
               Message* message) {
  if (field->is_repeated()) return TakeElements(in, depth, field, message);
  if (field->has_presence() && in->Byte() == 0) {
    reflection.ClearField(message, field);
    return in->ok();
  }
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      reflection.SetBool(message, field,
                         field->has_presence() ? in->Byte() != 0 : !reflection.GetBool(*message, field));
      break;
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      double value = 0;
      if (!TakeDouble(in, &value)) return false;
      reflection.SetDouble(message, field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(message, field, TakeString(in));
      break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Apply(in, depth + 1, reflection.MutableMessage(message, field));
    default:
      SetInteger(message, reflection, field, in->Zigzag());
  }
  return in->ok();
}

bool Apply(ByteReader* in, int depth, Message* message) {
  if (depth > kDeepest) return false;
  const Descriptor& type = *message->GetDescriptor();
  const Reflection& reflection = *message->GetReflection();
  FieldSet changed = in->Varint();
  for (; in->ok() && changed != 0; changed &= changed - 1) {
    const FieldDescriptor* field = FieldOf(type, std::countr_zero(changed) + 1);
    if (field == nullptr || !TakeValue(in, reflection, depth, field, message)) return false;
  }
  return in->ok();
}

}  // namespace

std::string EncodeDelta(const Message& base, const Message& message, FieldSet without) {
  std::string out;
  Encode(base, message, without, &out);
  return out;
}

bool ApplyDelta(std::string_view delta, Message* message) {
  ByteReader in(delta);
  return Apply(&in, 0, message) && in.empty();
}

}  // namespace diopi::server
