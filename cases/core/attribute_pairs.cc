#include "cases/core/attribute_pairs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/core/operand_classes.h"

namespace diopi::cases {
namespace {

std::string ValueOf(const v1::Argument& arg) {
  return arg.SerializeAsString();
}

// The key by which a library may find a prepared call, without one attribute. Tensors contribute their types,
// shapes and strides, not their values.
std::string KeyWithout(const v1::Case& c, const std::string& attribute) {
  std::string key(DtypeName(c.dtype()));
  for (const v1::Argument& arg : c.args()) {
    if (arg.name() == attribute) continue;
    absl::StrAppend(&key, ";", arg.name());
    if (arg.role() == v1::ROLE_ATTRIBUTE) absl::StrAppend(&key, ValueOf(arg));
    for (const v1::TensorSpec* spec : SpecsOf(arg))
      absl::StrAppend(&key, " ", spec->dtype(), "[", absl::StrJoin(spec->shape(), ","), "]",
                      absl::StrJoin(spec->strides(), ","), "+", spec->storage_offset());
  }
  return key;
}

v1::PointAttribute AsInPoints(const v1::Argument& arg) {
  v1::PointAttribute attribute;
  attribute.set_name(PointName(arg));
  if (arg.has_scalar()) {
    v1::ScalarAttribute& scalar = *attribute.mutable_scalar();
    scalar.set_dtype(std::string(DtypeName(arg.scalar().dtype())));
    if (arg.scalar().has_f()) scalar.set_f(arg.scalar().f());
    if (arg.scalar().has_i()) scalar.set_i(arg.scalar().i());
  }
  if (arg.has_null()) attribute.set_null(arg.null());
  if (arg.has_sizes()) *attribute.mutable_sizes() = arg.sizes();
  if (arg.has_i()) attribute.set_i(arg.i());
  if (arg.has_f()) attribute.set_f(arg.f());
  if (arg.has_b()) attribute.set_b(arg.b());
  if (arg.has_s()) attribute.set_s(arg.s());
  return attribute;
}

}  // namespace

bool DifferAlone(const v1::Case& a, const v1::Case& b, const std::string& attribute) {
  const v1::Argument* one = FindArgument(a, attribute);
  const v1::Argument* other = FindArgument(b, attribute);
  return one != nullptr && other != nullptr && ValueOf(*one) != ValueOf(*other) &&
         KeyWithout(a, attribute) == KeyWithout(b, attribute);
}

void AttributePairs::Add(const v1::Case& c) {
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() != v1::ROLE_ATTRIBUTE || arg.has_generator()) continue;
    Attribute& attribute = attributes_[arg.name()];
    attribute.values[KeyWithout(c, arg.name())].insert(ValueOf(arg));
    attribute.seen[c.dtype()].emplace(ValueOf(arg), arg);
    ++attribute.uses[ValueOf(arg)];
  }
}

std::vector<std::string> AttributePairs::Varied() const {
  std::vector<std::string> names;
  for (const auto& [name, attribute] : attributes_) {
    const bool varied = std::any_of(attribute.seen.begin(), attribute.seen.end(),
                                    [](const auto& of_dtype) { return of_dtype.second.size() > 1; });
    if (varied) names.push_back(name);
  }
  return names;
}

int64_t AttributePairs::CountOf(const std::string& attribute) const {
  const auto& values = attributes_.at(attribute).values;
  return std::count_if(values.begin(), values.end(), [](const auto& each) { return each.second.size() > 1; });
}

bool AttributePairs::HasPartner(const v1::Case& c, const std::string& attribute) const {
  const auto& values = attributes_.at(attribute).values;
  const auto found = values.find(KeyWithout(c, attribute));
  return found != values.end() && found->second.size() > 1;
}

bool AttributePairs::IsUsual(const v1::Case& c, const std::string& attribute) const {
  const v1::Argument* own = FindArgument(c, attribute);
  const auto& uses = attributes_.at(attribute).uses;
  const auto most = std::max_element(uses.begin(), uses.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto found = own == nullptr ? uses.end() : uses.find(ValueOf(*own));
  return found == uses.end() || found->second == most->second;
}

std::vector<v1::PointAttribute> AttributePairs::OthersThan(const v1::Case& c,
                                                           const std::string& attribute) const {
  std::vector<v1::PointAttribute> others;
  const v1::Argument* own = FindArgument(c, attribute);
  const auto& seen = attributes_.at(attribute).seen;
  const auto of_dtype = seen.find(c.dtype());
  if (own == nullptr || of_dtype == seen.end()) return others;
  for (const auto& [value, arg] : of_dtype->second)
    if (value != ValueOf(*own)) others.push_back(AsInPoints(arg));
  return others;
}

}  // namespace diopi::cases
