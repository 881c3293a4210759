#include "cases/core/case_builder.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cases/core/fill.h"
#include "cases/core/layout.h"
#include "cases/core/point_value.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

using D = v1::Dtype;

// Where randomness starts when the point does not say.
constexpr uint64_t kDefaultSeed = 42;

// What a shape source gave: shapes, a null, or "ask again when more arguments are known".
struct Source {
  bool ready = false;
  bool null = false;
  Shapes shapes;
  std::optional<Dtype> dtype;        // of shape_of and from
  std::vector<std::string> origins;  // TensorSpec.from, one per shape
};

class Builder {
 public:
  Builder(const v1::OperatorFile& op, const v1::FunctionRules& rules, const v1::Point& point, Dtype dtype)
      : op_(op), rules_(rules), point_(point), dtype_(dtype), abi_(*abi::FindFunction(rules.name())) {}

  absl::StatusOr<Fit> Run();

 private:
  struct Slot {
    const abi::Param* param;
    const v1::ArgRule* rule;
    int index;             // in case_.args()
    bool pending = false;  // made by its rule
    bool given = false;    // by the point
  };

  v1::Argument* arg(const Slot& slot) { return case_.mutable_args(slot.index); }
  const v1::Argument* FindArg(const std::string& name) const;
  const std::string& PointName(const Slot& slot) const;

  // Each returns false, with why_not_ set, when the function does not fit.
  bool Assign(Slot* slot);
  bool AssignTensors(Slot* slot, const std::vector<const v1::PointTensor*>& given);
  bool AssignAbsent(Slot* slot);
  bool AssignCounts();
  bool Unfit(std::string why);
  absl::Status Spec(const v1::PointTensor& given, const Slot& slot, v1::TensorSpec* spec);

  absl::Status ResolvePending();
  absl::StatusOr<bool> Resolve(Slot* slot);
  absl::StatusOr<Source> ShapesFor(const Slot& slot);
  absl::StatusOr<Source> Like(const std::string& reference) const;
  absl::StatusOr<Source> Broadcast(const v1::ArgRule& rule) const;
  absl::StatusOr<Source> Producer(const std::string& reference, bool values);
  std::optional<size_t> CountLike(const std::string& name) const;
  std::optional<Dtype> DtypeFor(const v1::ArgRule& rule, std::optional<Dtype> produced) const;
  absl::Status Make(const Slot& slot, const Source& source, Dtype dtype);
  void MakeLibraryOutput(const Slot& slot, Dtype dtype);

  absl::Status CheckInPlace();
  absl::Status GiveOutLayout();
  bool IsCount(const abi::Param& param) const;

  const v1::OperatorFile& op_;
  const v1::FunctionRules& rules_;
  const v1::Point& point_;
  Dtype dtype_;
  const abi::Function& abi_;
  v1::Case case_;
  std::vector<Slot> slots_;
  std::string why_not_;
  bool unfit_ = false;
  bool in_place_ = false;
};

absl::Status Named(const std::string& name, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat("argument '", name, "': ", status.message()));
}

bool HasShapeSource(const v1::ArgRule& rule) {
  return !rule.like().empty() || !rule.broadcast().empty() || !rule.rule().empty() ||
         !rule.shape_of().empty() || !rule.from().empty();
}

bool HasDtypeSource(const v1::ArgRule& rule) {
  return rule.has_dtype() || !rule.dtype_of().empty() || !rule.promote().empty() || rule.float_result() ||
         rule.wide_integers() || rule.wide_floats();
}

const v1::Argument* Builder::FindArg(const std::string& name) const {
  for (const v1::Argument& each : case_.args()) {
    if (each.name() == name) return each.value_case() == v1::Argument::VALUE_NOT_SET ? nullptr : &each;
  }
  return nullptr;
}

const std::string& Builder::PointName(const Slot& slot) const {
  return slot.rule->alias().empty() ? slot.param->name() : slot.rule->alias();
}

bool Builder::Unfit(std::string why) {
  unfit_ = true;
  why_not_ = std::move(why);
  return false;
}

bool Builder::IsCount(const abi::Param& param) const {
  return std::any_of(abi_.param().begin(), abi_.param().end(),
                     [&](const abi::Param& each) { return each.count() == param.name(); });
}

absl::StatusOr<Fit> Builder::Run() {
  case_.set_family(op_.family());
  case_.set_operator_(op_.operator_());
  case_.set_function(rules_.name());
  case_.set_dtype(dtype_);
  case_.set_label(point_.label());
  case_.set_reveals(point_.reveals());
  case_.set_generator_version(kGeneratorVersion);
  for (const abi::Param& param : abi_.param()) {
    if (param.kind() == abi::CONTEXT) continue;
    Slot slot{&param, &RuleFor(rules_, param.name()), case_.args_size()};
    v1::Argument* added = case_.add_args();
    added->set_name(param.name());
    added->set_role(RoleOf(param, *slot.rule));
    if (!slot.rule->alias().empty()) added->set_alias(slot.rule->alias());
    slots_.push_back(slot);
  }
  for (Slot& slot : slots_) {
    if (!Assign(&slot)) break;
  }
  absl::Status status;
  if (!unfit_) AssignCounts();
  if (!unfit_) status = ResolvePending();
  if (!unfit_ && status.ok()) AssignCounts();
  if (!unfit_ && status.ok()) status = CheckInPlace();
  if (!unfit_ && status.ok()) status = GiveOutLayout();
  if (unfit_) return Fit{std::nullopt, why_not_, in_place_};
  if (!status.ok()) return status;
  return Fit{std::move(case_), "", false};
}

bool Builder::Assign(Slot* slot) {
  const abi::Param& param = *slot->param;
  if (IsCount(param)) return true;
  const std::string& name = PointName(*slot);
  std::vector<const v1::PointTensor*> tensors;
  for (const v1::PointTensor& tensor : point_.in()) {
    if (tensor.name() == name) tensors.push_back(&tensor);
  }
  if (!tensors.empty()) return AssignTensors(slot, tensors);
  for (const v1::PointAttribute& attribute : point_.attr()) {
    if (attribute.name() != name) continue;
    std::string why;
    slot->given = true;
    return SetAttribute(param, attribute, arg(*slot), &why) == Fitting::kSet || Unfit(why);
  }
  return AssignAbsent(slot);
}

absl::Status Builder::Spec(const v1::PointTensor& given, const Slot& slot, v1::TensorSpec* spec) {
  Dtype dtype = dtype_;
  if (slot.rule->has_dtype()) dtype = ParseDtype(slot.rule->dtype()).value_or(dtype);
  if (given.has_dtype()) dtype = ParseDtype(given.dtype()).value_or(dtype);
  spec->set_dtype(dtype);
  *spec->mutable_shape() = given.shape();
  const v1::Role role = arg(slot)->role();
  if (role == v1::ROLE_INPUT || role == v1::ROLE_INOUT) {
    *spec->mutable_fill() = given.has_fill() ? given.fill() : DefaultFill(dtype);
    if (given.has_fill() && given.fill().kind_case() == v1::Fill::KIND_NOT_SET) {
      *spec->mutable_fill() = DefaultFill(dtype);
      *spec->mutable_fill()->mutable_specials() = given.fill().specials();
    }
  }
  return ApplyLayout(given.layout(), spec);
}

bool Builder::AssignTensors(Slot* slot, const std::vector<const v1::PointTensor*>& given) {
  const abi::Param& param = *slot->param;
  v1::Argument* out = arg(*slot);
  slot->given = true;
  if (!IsTensor(param.kind()) && !IsTensorArray(param.kind())) {
    return Unfit(absl::StrCat("`", param.name(), "` (", param.c_type(), ") does not take a tensor"));
  }
  if (IsTensor(param.kind())) {
    if (given.size() > 1)
      return Unfit(absl::StrCat("`", param.name(), "` is one tensor, the point gives a list"));
    if (given[0]->null()) {
      out->set_null(true);
      return param.nullable() || Unfit(absl::StrCat("`", param.name(), "` may not be null"));
    }
    const absl::Status status = Spec(*given[0], *slot, out->mutable_tensor());
    return status.ok() || Unfit(absl::StrCat("`", param.name(), "`: ", status.message()));
  }
  v1::TensorList* list = out->mutable_tensors();
  bool any_null = false;
  for (const v1::PointTensor* tensor : given) {
    any_null = any_null || tensor->null();
    v1::TensorSpec* spec = list->add_tensors();
    list->add_null(tensor->null());
    if (tensor->null()) continue;
    const absl::Status status = Spec(*tensor, *slot, spec);
    if (!status.ok()) return Unfit(absl::StrCat("`", param.name(), "`: ", status.message()));
  }
  if (!any_null) list->clear_null();
  return true;
}

bool Builder::AssignAbsent(Slot* slot) {
  const abi::Param& param = *slot->param;
  const v1::ArgRule& rule = *slot->rule;
  if (rule.has_default_value()) {
    std::string why;
    return SetAttribute(param, rule.default_value(), arg(*slot), &why) == Fitting::kSet || Unfit(why);
  }
  if (arg(*slot)->role() == v1::ROLE_LIBRARY_OUTPUT || HasShapeSource(rule)) {
    slot->pending = true;
    return true;
  }
  if (IsHostOutput(param) || rule.host_output()) {
    arg(*slot)->mutable_host_output()->set_dtype(HostOutputDtype(param.kind()));
    return true;
  }
  if (rule.optional()) {
    arg(*slot)->set_null(true);
    return true;
  }
  if (param.kind() == abi::GENERATOR) {
    arg(*slot)->mutable_generator()->set_seed(kDefaultSeed);
    return true;
  }
  return Unfit(absl::StrCat("`", PointName(*slot), "` is not given"));
}

// Counts of arrays, from the arrays that are known so far.
bool Builder::AssignCounts() {
  for (const Slot& slot : slots_) {
    if (!IsTensorArray(slot.param->kind()) && slot.param->kind() != abi::GENERATOR_ARRAY) continue;
    const v1::Argument* array = arg(slot);
    if (array->value_case() == v1::Argument::VALUE_NOT_SET || slot.param->count().empty()) continue;
    const int64_t size = array->tensors().tensors_size();
    for (const Slot& count : slots_) {
      if (count.param->name() != slot.param->count()) continue;
      if (count.param->kind() == abi::INT64_POINTER) return Unfit("a count behind a pointer");
      const bool known = arg(count)->value_case() == v1::Argument::kI;
      if (known && arg(count)->i() != size) {
        return Unfit(absl::StrCat("`", slot.param->name(), "` has ", size, " tensors, `", count.param->name(),
                                  "` counts ", arg(count)->i()));
      }
      arg(count)->set_i(size);
    }
  }
  return true;
}

absl::StatusOr<Source> Builder::Like(const std::string& reference) const {
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
    return absl::InvalidArgumentError(absl::StrCat("'", reference, "' is no tensor"));
  return source;
}

absl::StatusOr<Source> Builder::Broadcast(const v1::ArgRule& rule) const {
  Shapes shapes;
  for (const std::string& name : rule.broadcast()) {
    const v1::Argument* other = FindArg(name);
    if (other == nullptr) return Source{};
    if (other->null() || other->has_scalar()) continue;
    absl::StatusOr<Source> like = Like(name);
    if (!like.ok()) return like.status();
    shapes.insert(shapes.end(), like->shapes.begin(), like->shapes.end());
  }
  absl::StatusOr<std::vector<int64_t>> shape = BroadcastShapes(shapes);
  if (!shape.ok()) return shape.status();
  return Source{true, false, {*shape}, std::nullopt, {}};
}

// The output `reference` of another function of the file at this point.
absl::StatusOr<Source> Builder::Producer(const std::string& reference, bool values) {
  const size_t dot = reference.find('.');
  const std::string function = reference.substr(0, dot);
  const std::string output = reference.substr(dot + 1, reference.find('.', dot + 1) - dot - 1);
  const v1::FunctionRules* rules = FindRules(op_, function);
  if (rules == nullptr || rules == &rules_) return absl::InvalidArgumentError("refers to no other function");
  absl::StatusOr<Fit> fit = BuildCase(op_, *rules, point_, dtype_);
  if (!fit.ok()) return fit.status();
  if (!fit->c.has_value()) {
    Unfit(absl::StrCat(function, ", which it builds on, does not fit: ", fit->why_not));
    return Source{};
  }
  const v1::Argument* found = nullptr;
  for (const v1::Argument& each : fit->c->args()) {
    if (each.name() == output && each.role() != v1::ROLE_INPUT && each.role() != v1::ROLE_ATTRIBUTE)
      found = &each;
  }
  if (found == nullptr) return absl::InvalidArgumentError(absl::StrCat("'", reference, "' is no output"));
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
    return absl::InvalidArgumentError(absl::StrCat("'", reference, "' is no tensor"));
  }
  if (!values || source.null) return source;
  for (const v1::Case& producer : case_.producers()) {
    if (producer.function() == function) return source;
  }
  fit->c->clear_reveals();
  *case_.add_producers() = *std::move(fit->c);
  return source;
}

std::optional<size_t> Builder::CountLike(const std::string& name) const {
  const v1::Argument* other = FindArg(name);
  if (other == nullptr) return std::nullopt;
  if (other->has_sizes()) return static_cast<size_t>(other->sizes().values_size());
  if (other->value_case() == v1::Argument::kI) return static_cast<size_t>(other->i());
  return static_cast<size_t>(other->tensors().tensors_size());
}

absl::StatusOr<Source> Builder::ShapesFor(const Slot& slot) {
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
    absl::StatusOr<Shapes> shapes = FindShapeRule(rule.rule())(RuleArgs(case_, slot.param->name()));
    if (!shapes.ok()) return shapes.status();
    source = Source{true, shapes->empty(), *std::move(shapes), std::nullopt, {}};
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

// Nothing while an argument that the dtype depends on is not known.
std::optional<Dtype> Builder::DtypeFor(const v1::ArgRule& rule, std::optional<Dtype> produced) const {
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

void Builder::MakeLibraryOutput(const Slot& slot, Dtype dtype) {
  const int fills = slot.param->fills();
  if (fills <= 1) {
    arg(slot)->mutable_tensor()->set_dtype(dtype);
    return;
  }
  for (int i = 0; i < fills; ++i) arg(slot)->mutable_tensors()->add_tensors()->set_dtype(dtype);
}

absl::Status Builder::Make(const Slot& slot, const Source& source, Dtype dtype) {
  v1::Argument* out = arg(slot);
  const bool is_list = IsTensorArray(slot.param->kind());
  if (source.null) {
    out->set_null(true);
    return slot.param->nullable()
               ? absl::OkStatus()
               : absl::InvalidArgumentError("the rule gives null, proto/abi says it may not be");
  }
  if (!is_list && source.shapes.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(source.shapes.size(), " shapes for one tensor"));
  }
  const bool is_input = out->role() == v1::ROLE_INPUT || out->role() == v1::ROLE_INOUT;
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
    absl::Status status = ApplyLayout(v1::Layout(), spec);
    if (!status.ok()) return status;
  }
  if (is_list && source.shapes.empty()) out->mutable_tensors();
  return absl::OkStatus();
}

// True when the argument is made; false when it depends on one that is not known yet.
absl::StatusOr<bool> Builder::Resolve(Slot* slot) {
  Source source;
  if (arg(*slot)->role() != v1::ROLE_LIBRARY_OUTPUT || HasShapeSource(*slot->rule)) {
    absl::StatusOr<Source> found = ShapesFor(*slot);
    if (!found.ok()) return found.status();
    if (unfit_) return true;
    if (!found->ready) return false;
    source = *std::move(found);
  }
  const std::optional<Dtype> dtype = DtypeFor(*slot->rule, source.dtype);
  if (!dtype.has_value()) return false;
  slot->pending = false;
  if (arg(*slot)->role() == v1::ROLE_LIBRARY_OUTPUT && !source.null) {
    MakeLibraryOutput(*slot, *dtype);
    return true;
  }
  absl::Status status = Make(*slot, source, *dtype);
  if (!status.ok()) return status;
  return true;
}

// Inputs before outputs, and each as soon as what it depends on is known. A named rule that lacks an
// argument fails and is asked again; the last failure is the one that is told.
absl::Status Builder::ResolvePending() {
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
      // An input may be made from an output's shape; the second round tells if it still is not.
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
      return Named(slot.param->name(), absl::InvalidArgumentError("what its rule names is never known"));
  }
  return absl::OkStatus();
}

// In-place: what the function computes must fit what it writes into.
absl::Status Builder::CheckInPlace() {
  for (const Slot& slot : slots_) {
    v1::Argument* out = arg(slot);
    if (out->role() != v1::ROLE_INOUT || out->null()) continue;
    for (const v1::TensorSpec& spec : out->tensors().tensors()) in_place_ = in_place_ || Overlaps(spec);
    if (out->has_tensor() && Overlaps(out->tensor())) in_place_ = true;
    if (in_place_) {
      Unfit(absl::StrCat("`", slot.param->name(), "` is written, but elements of it share storage"));
      return absl::OkStatus();
    }
    if (!slot.given || !out->has_tensor()) continue;
    const std::optional<Dtype> dtype = DtypeFor(*slot.rule, std::nullopt);
    if (HasDtypeSource(*slot.rule) && dtype != out->tensor().dtype()) {
      in_place_ = true;
      Unfit(absl::StrCat("`", slot.param->name(), "` would have to become ",
                         std::string(DtypeName(dtype.value_or(D::unsupported)))));
      return absl::OkStatus();
    }
    if (!HasShapeSource(*slot.rule)) continue;
    absl::StatusOr<Source> source = ShapesFor(slot);
    if (!source.ok()) return Named(slot.param->name(), source.status());
    const std::vector<int64_t> shape(out->tensor().shape().begin(), out->tensor().shape().end());
    if (source->shapes.size() != 1 || source->shapes[0] != shape) {
      in_place_ = true;
      Unfit(absl::StrCat("`", slot.param->name(), "` would have to become larger"));
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

// To every output that can take it; an error when none can.
absl::Status Builder::GiveOutLayout() {
  if (!point_.has_out_layout()) return absl::OkStatus();
  absl::Status last;
  bool taken = false;
  const auto give = [&](v1::TensorSpec* spec) {
    v1::TensorSpec changed = *spec;
    absl::Status status = ApplyLayout(point_.out_layout(), &changed);
    if (status.ok() && Overlaps(changed))
      status = absl::InvalidArgumentError("its elements would share storage");
    if (!status.ok()) {
      last = status;
      return;
    }
    taken = true;
    *spec = changed;
  };
  for (const Slot& slot : slots_) {
    v1::Argument* out = arg(slot);
    if (out->role() != v1::ROLE_OUTPUT) continue;
    if (out->has_tensor()) give(out->mutable_tensor());
    if (out->has_tensors()) {
      for (v1::TensorSpec& spec : *out->mutable_tensors()->mutable_tensors()) give(&spec);
    }
  }
  return taken || last.ok() ? absl::OkStatus() : Named("out_layout", last);
}

}  // namespace

const v1::FunctionRules* FindRules(const v1::OperatorFile& op, const std::string& function) {
  for (const v1::FunctionRules& rules : op.function()) {
    if (rules.name() == function) return &rules;
  }
  return nullptr;
}

const v1::ArgRule& RuleFor(const v1::FunctionRules& rules, const std::string& argument) {
  for (const v1::ArgRule& rule : rules.arg()) {
    if (rule.name() == argument) return rule;
  }
  return v1::ArgRule::default_instance();
}

absl::StatusOr<Fit> BuildCase(const v1::OperatorFile& op, const v1::FunctionRules& rules,
                              const v1::Point& point, v1::Dtype::Code dtype) {
  return Builder(op, rules, point, dtype).Run();
}

}  // namespace diopi::cases
