// Makes the arguments that rules derive from others: shapes, dtypes, and the outputs of other functions.
// Rules may refer to arguments in any order, so this repeats until nothing more can be made; inputs come
// before outputs. An output of another function is described by building that function's case at the same
// point, which then becomes a producer of this case.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "cases/core/argument_builder.h"
#include "cases/core/point_value.h"
#include "cases/fill/fill.h"

namespace diopi::cases {

using D = v1::Dtype;

absl::StatusOr<Source> ArgumentBuilder::Like(const std::string& reference) const {
  const size_t dot = reference.find('.');
  const v1::Argument* other = FindArg(reference.substr(0, dot));
  Source source;
  if (other == nullptr) return source;
  source.ready = true;
  source.null = other->null();
  if (source.null) return source;
  if (other->has_tensor()) {
    source.shapes.emplace_back(other->tensor().shape().begin(), other->tensor().shape().end());
    return source;
  }
  for (const v1::TensorSpec& spec : other->tensors().tensors()) {
    source.shapes.emplace_back(spec.shape().begin(), spec.shape().end());
  }
  size_t index = 0;
  if (dot != std::string::npos) {
    if (!absl::SimpleAtoi(reference.substr(dot + 1), &index) || index >= source.shapes.size()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no '", reference, "'"));
    }
    source.shapes = {source.shapes[index]};
  }
  if (source.shapes.empty())
    return absl::InvalidArgumentError(absl::StrCat("'", reference, "' is not a tensor"));
  return source;
}

absl::StatusOr<Source> ArgumentBuilder::Broadcast(const v1::ArgRule& rule) const {
  Shapes shapes;
  for (const std::string& name : rule.broadcast()) {
    const v1::Argument* other = FindArg(name);
    if (other == nullptr) return Source{};
    if (other->null() || other->has_scalar()) continue;
    ASSIGN_OR_RETURN(Source like, Like(name));
    shapes.insert(shapes.end(), like.shapes.begin(), like.shapes.end());
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, BroadcastShapes(shapes));
  return Source{true, false, {shape}, std::nullopt, {}};
}

// The output `reference` of another function of the file at this point.
absl::StatusOr<Source> ArgumentBuilder::Producer(const std::string& reference, bool values) {
  const size_t dot = reference.find('.');
  const std::string function = reference.substr(0, dot);
  const std::string output = reference.substr(dot + 1, reference.find('.', dot + 1) - dot - 1);
  const v1::FunctionRules* rules = FindRules(op_, function);
  if (rules == nullptr || rules == &rules_)
    return absl::InvalidArgumentError("must refer to another function of the file");
  ASSIGN_OR_RETURN(Fit fit, BuildCase(op_, *rules, point_, dtype_));
  if (!fit.c.has_value()) {
    Unfit(absl::StrCat(function, ", whose output it takes, does not fit: ", fit.why_not));
    return Source{};
  }
  const v1::Argument* found = nullptr;
  for (const v1::Argument& each : fit.c->args()) {
    if (each.name() == output && each.role() != v1::ROLE_INPUT && each.role() != v1::ROLE_ATTRIBUTE)
      found = &each;
  }
  if (found == nullptr) return absl::InvalidArgumentError(absl::StrCat("'", reference, "' is not an output"));
  Source source;
  source.ready = true;
  source.null = found->null();
  const std::string rest = reference.substr(function.size() + 1 + output.size());  // "" or ".i"
  const auto add = [&](const v1::TensorSpec& spec, const std::string& key) {
    source.shapes.emplace_back(spec.shape().begin(), spec.shape().end());
    source.dtype = spec.dtype();
    source.origins.push_back(values ? absl::StrCat(function, ".", key) : "");
  };
  if (found->has_tensor()) add(found->tensor(), output);
  for (int i = 0; i < found->tensors().tensors_size(); ++i) {
    const std::string suffix = absl::StrCat(".", i);
    if (rest.empty() || rest == suffix) add(found->tensors().tensors(i), output + suffix);
  }
  if (!source.null && source.shapes.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("'", reference, "' is not a tensor"));
  }
  if (!values || source.null) return source;
  for (const v1::Case& producer : case_.producers()) {
    if (producer.function() == function) return source;
  }
  fit.c->clear_reveals();
  *case_.add_producers() = *std::move(fit.c);
  return source;
}

std::optional<size_t> ArgumentBuilder::CountLike(const std::string& name) const {
  const v1::Argument* other = FindArg(name);
  if (other == nullptr) return std::nullopt;
  if (other->has_sizes()) return static_cast<size_t>(other->sizes().values_size());
  if (other->value_case() == v1::Argument::kI) return static_cast<size_t>(other->i());
  return static_cast<size_t>(other->tensors().tensors_size());
}

absl::StatusOr<Source> ArgumentBuilder::ShapesFor(const Slot& slot) {
  const v1::ArgRule& rule = *slot.rule;
  absl::StatusOr<Source> source = Source{};
  if (!rule.like().empty()) {
    source = Like(rule.like());
  } else if (!rule.broadcast().empty()) {
    source = Broadcast(rule);
  } else if (!rule.shape_of().empty()) {
    source = Producer(rule.shape_of(), false);
  } else if (!rule.from().empty()) {
    source = Producer(rule.from(), true);
  } else {
    ASSIGN_OR_RETURN(Shapes shapes, FindShapeRule(rule.rule())(RuleArgs(case_, slot.param->name())));
    source = Source{true, shapes.empty(), std::move(shapes), std::nullopt, {}};
  }
  if (!source.ok() || !source->ready || source->null || rule.count_like().empty()) return source;
  const std::optional<size_t> count = CountLike(rule.count_like());
  if (!count.has_value()) return Source{};
  if (source->shapes.size() == 1) source->shapes.resize(*count, source->shapes[0]);
  if (source->shapes.size() != *count) {
    return absl::InvalidArgumentError(
        absl::StrCat(source->shapes.size(), " shapes for ", *count, " tensors"));
  }
  return source;
}

// Nothing as long as an argument that the dtype depends on is unknown.
std::optional<Dtype> ArgumentBuilder::DtypeFor(const v1::ArgRule& rule, std::optional<Dtype> produced) const {
  Dtype dtype = produced.value_or(dtype_);
  if (rule.has_dtype()) dtype = ParseDtype(rule.dtype()).value_or(dtype);
  const std::string& of = rule.dtype_of();
  std::vector<const v1::Argument*> args;
  for (const std::string& name : rule.promote()) {
    const v1::Argument* other = FindArg(name.substr(0, name.find('.')));
    if (other == nullptr) return std::nullopt;
    args.push_back(other);
  }
  if (!of.empty()) {
    const v1::Argument* other = FindArg(of.substr(0, of.find('.')));
    if (other == nullptr) return std::nullopt;
    if (other->has_tensor()) dtype = other->tensor().dtype();
    if (other->tensors().tensors_size() > 0) dtype = other->tensors().tensors(0).dtype();
  }
  if (!args.empty()) dtype = ResultType(args);
  const bool countable = IsInteger(dtype) || dtype == D::bool_;
  if (rule.float_result() && countable) dtype = D::float32;
  if (rule.wide_integers() && countable) dtype = D::int64;
  if (rule.wide_floats() && IsFloating(dtype) && ElementSize(dtype) == 2) dtype = D::float32;
  return dtype;
}

void ArgumentBuilder::MakeLibraryOutput(const Slot& slot, Dtype dtype) {
  const int fills = slot.param->fills();
  if (fills <= 1) {
    arg(slot)->mutable_tensor()->set_dtype(dtype);
    return;
  }
  for (int i = 0; i < fills; ++i) {
    const bool own = slot.rule != nullptr && i > 0 && i <= slot.rule->next_dtypes_size();
    arg(slot)->mutable_tensors()->add_tensors()->set_dtype(
        own ? ParseDtype(slot.rule->next_dtypes(i - 1)).value_or(dtype) : dtype);
  }
}

absl::Status ArgumentBuilder::Make(const Slot& slot, const Source& source, Dtype dtype) {
  v1::Argument* out = arg(slot);
  const bool is_list = IsTensorArray(slot.param->kind());
  if (source.null) {
    out->set_null(true);
    return slot.param->nullable()
               ? absl::OkStatus()
               : absl::InvalidArgumentError("the rule gives null, which proto/abi does not allow");
  }
  if (!is_list && source.shapes.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(source.shapes.size(), " shapes for one tensor"));
  }
  const bool is_input = IsInput(*out);
  for (size_t i = 0; i < source.shapes.size(); ++i) {
    v1::TensorSpec* spec = is_list ? out->mutable_tensors()->add_tensors() : out->mutable_tensor();
    spec->set_dtype(dtype);
    spec->mutable_shape()->Assign(source.shapes[i].begin(), source.shapes[i].end());
    const bool has_origin = i < source.origins.size() && !source.origins[i].empty();
    if (has_origin) {
      spec->set_from(source.origins[i]);
    } else if (is_input) {
      *spec->mutable_fill() = slot.rule->has_fill() ? slot.rule->fill() : DefaultFill(dtype);
    }
    RETURN_IF_ERROR(ApplyLayout(v1::Layout(), spec));
  }
  if (is_list && source.shapes.empty()) out->mutable_tensors();
  return absl::OkStatus();
}

// True when the argument is made; false when it depends on one that is not known yet.
absl::StatusOr<bool> ArgumentBuilder::Resolve(Slot* slot) {
  Source source;
  if (arg(*slot)->role() != v1::ROLE_LIBRARY_OUTPUT || HasShapeSource(*slot->rule)) {
    ASSIGN_OR_RETURN(Source found, ShapesFor(*slot));
    if (unfit_) return true;
    if (!found.ready) return false;
    source = std::move(found);
  }
  const std::optional<Dtype> dtype = DtypeFor(*slot->rule, source.dtype);
  if (!dtype.has_value()) return false;
  slot->pending = false;
  if (arg(*slot)->role() == v1::ROLE_LIBRARY_OUTPUT && !source.null) {
    MakeLibraryOutput(*slot, *dtype);
    return true;
  }
  RETURN_IF_ERROR(Make(*slot, source, *dtype));
  return true;
}

// Makes inputs before outputs, and each as soon as what it depends on is known. A named rule that lacks an
// argument fails and is called again later; the last failure is reported.
absl::Status ArgumentBuilder::ResolvePending() {
  for (const bool outputs : {false, true}) {
    absl::Status last;
    bool progress = true;
    while (progress && !unfit_) {
      progress = false;
      last = absl::OkStatus();
      for (Slot& slot : slots_) {
        const v1::Role role = arg(slot)->role();
        const bool is_output = role == v1::ROLE_OUTPUT || role == v1::ROLE_LIBRARY_OUTPUT;
        if (!slot.pending || is_output != outputs) continue;
        absl::StatusOr<bool> made = Resolve(&slot);
        if (unfit_) return absl::OkStatus();
        if (!made.ok()) last = Named(slot.param->name(), made.status());
        if (!made.ok()) continue;
        if (!*made)
          last = Named(slot.param->name(), absl::InvalidArgumentError("depends on itself or on an output"));
        progress = progress || *made;
      }
      if (progress) AssignCounts();
    }
    if (!last.ok() && !outputs) {
      // An input may be made from an output's shape; if it is still not made, the second round reports it.
      const bool waits = std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
        return slot.pending && arg(slot)->role() == v1::ROLE_OUTPUT;
      });
      if (!waits) return last;
      continue;
    }
    if (!last.ok()) return last;
  }
  for (Slot& slot : slots_) {
    if (!slot.pending) continue;
    absl::StatusOr<bool> made = Resolve(&slot);
    if (!made.ok()) return Named(slot.param->name(), made.status());
    if (!*made)
      return Named(slot.param->name(),
                   absl::InvalidArgumentError("its rule depends on an argument that gets no value"));
  }
  return absl::OkStatus();
}

}  // namespace diopi::cases
