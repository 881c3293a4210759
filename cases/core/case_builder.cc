// Arguments depend on each other (an output's shape on its inputs', a count on the length of an array), so
// they are resolved on demand in the order of GUIDE.md: the point's value, the default, the rule's shape,
// null. A function with an argument that gets no value does not take the point, which is normal; an
// impossible combination within a function that takes it is an error of the operator's file.
#include "cases/core/case_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/base/case_parts.h"
#include "cases/base/layout.h"
#include "cases/core/argument_builder.h"
#include "cases/core/call_variables.h"
#include "cases/core/point_value.h"
#include "cases/core/shared_memory.h"
#include "cases/fill/fill.h"

namespace diopi::cases {
namespace {

using D = v1::Dtype;

// The seed of generators for which the point gives none.
constexpr uint64_t kDefaultSeed = 42;

}  // namespace

absl::Status Named(const std::string& name, const absl::Status& status) {
  // An output that cannot take the producer's layout keeps its own.
  return {absl::IsFailedPrecondition(status) ? status.code() : absl::StatusCode::kInvalidArgument,
          absl::StrCat("argument '", name, "': ", status.message())};
}

bool HasShapeSource(const v1::ArgRule& rule) {
  return !rule.like().empty() || !rule.broadcast().empty() || !rule.rule().empty() ||
         !rule.shape_of().empty() || !rule.from().empty();
}

bool HasDtypeSource(const v1::ArgRule& rule) {
  return rule.has_dtype() || !rule.dtype_of().empty() || !rule.promote().empty() || rule.float_result() ||
         rule.wide_integers() || rule.wide_floats();
}

const v1::Argument* ArgumentBuilder::FindArg(const std::string& name) const {
  for (const v1::Argument& each : case_.args()) {
    if (each.name() == name) return each.value_case() == v1::Argument::VALUE_NOT_SET ? nullptr : &each;
  }
  return nullptr;
}

const std::string& ArgumentBuilder::PointName(const Slot& slot) const {
  return slot.rule->alias().empty() ? slot.param->name() : slot.rule->alias();
}

bool ArgumentBuilder::Unfit(std::string why) {
  unfit_ = true;
  why_not_ = std::move(why);
  return false;
}

// Whether an array of tensors gives the value. An array of generators has as many as the count says instead.
bool ArgumentBuilder::IsCount(const abi::Param& param) const {
  return std::any_of(abi_.param().begin(), abi_.param().end(), [&](const abi::Param& each) {
    return each.kind() != abi::GENERATOR_ARRAY && each.count() == param.name();
  });
}

absl::StatusOr<Fit> ArgumentBuilder::Run() {
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
    added->set_holds(slot.rule->holds());
    slots_.push_back(slot);
  }
  for (Slot& slot : slots_) {
    if (!Assign(&slot)) break;
  }
  absl::Status status;
  if (!unfit_) AssignSparseShapes();
  if (!unfit_) AssignCounts();
  if (!unfit_) status = ResolvePending();
  if (!unfit_ && status.ok()) AssignCounts();
  if (!unfit_ && status.ok()) CheckGiven();
  if (!unfit_ && status.ok()) status = CheckInPlace();
  if (!unfit_ && status.ok()) status = GiveOutLayout();
  if (!unfit_ && status.ok()) ShareMemory();
  if (!unfit_ && status.ok()) status = CheckAsked();
  if (unfit_) return Fit{std::nullopt, why_not_, in_place_};
  if (!status.ok()) return status;
  return Fit{std::move(case_), "", false};
}

// Scratch memory and its size, of which the library says how much it needs.
bool ArgumentBuilder::AssignScratch(const Slot& slot) {
  if (!slot.param->scratch_size().empty()) {
    arg(slot)->set_scratch(DtypeFor(*slot.rule, std::nullopt).value_or(dtype_));
    return true;
  }
  for (const abi::Param& each : abi_.param()) {
    if (each.scratch_size() != slot.param->name()) continue;
    arg(slot)->set_i(-1);
    return true;
  }
  return false;
}

bool ArgumentBuilder::Assign(Slot* slot) {
  const abi::Param& param = *slot->param;
  if (IsCount(param) || AssignScratch(*slot)) return true;
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

absl::Status ArgumentBuilder::Spec(const v1::PointTensor& given, const Slot& slot, v1::TensorSpec* spec) {
  Dtype dtype = dtype_;
  if (slot.rule->has_dtype()) dtype = ParseDtype(slot.rule->dtype()).value_or(dtype);
  if (given.has_dtype()) dtype = ParseDtype(given.dtype()).value_or(dtype);
  spec->set_dtype(dtype);
  *spec->mutable_shape() = given.shape();
  if (IsInput(*arg(slot))) {
    *spec->mutable_fill() = given.has_fill() ? given.fill() : DefaultFill(dtype);
    if (given.has_fill() && given.fill().kind_case() == v1::Fill::KIND_NOT_SET) {
      *spec->mutable_fill() = DefaultFill(dtype);
      *spec->mutable_fill()->mutable_specials() = given.fill().specials();
    }
  }
  return ApplyLayout(given.layout(), spec);
}

bool ArgumentBuilder::AssignTensors(Slot* slot, const std::vector<const v1::PointTensor*>& given) {
  const abi::Param& param = *slot->param;
  v1::Argument* out = arg(*slot);
  slot->given = true;
  if (!IsTensor(param.kind()) && !IsTensorArray(param.kind())) {
    return Unfit(absl::StrCat("`", param.name(), "` (", param.c_type(), ") does not take a tensor"));
  }
  if (out->role() == v1::ROLE_OUTPUT && !given[0]->same_as().empty()) {
    slot->given = false;
    slot->in_memory_of = given[0];
    return AssignAbsent(slot);
  }
  const bool sparse = !slot->rule->sparse_columns().empty();
  if (sparse && (given.size() != 3 || given[0]->null() || given[1]->null() || given[2]->null())) {
    return Unfit(absl::StrCat("`", param.name(), "` needs row starts, column indices and values"));
  }
  if (IsTensor(param.kind()) && !sparse) {
    if (given.size() > 1)
      return Unfit(absl::StrCat("`", param.name(), "` is one tensor, but the point gives a list"));
    if (given[0]->null()) {
      out->set_null(true);
      return param.nullable() || Unfit(absl::StrCat("`", param.name(), "` may not be null"));
    }
    if (!given[0]->same_as().empty()) return AssignSame(given[0]->same_as(), slot);
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

// The same tensor as an earlier argument of the call.
bool ArgumentBuilder::AssignSame(const std::string& name, Slot* slot) {
  const std::string& own = slot->param->name();
  if (arg(*slot)->role() != v1::ROLE_INPUT) {
    return Unfit(absl::StrCat("`", own, "` is written, so it cannot be the same tensor as `", name, "`"));
  }
  for (const Slot& other : slots_) {
    if (&other == slot) break;
    const v1::Argument& same = case_.args(other.index);
    if (PointName(other) != name || !same.has_tensor() || same.role() == v1::ROLE_OUTPUT) continue;
    v1::TensorSpec* spec = arg(*slot)->mutable_tensor();
    *spec = same.tensor();
    spec->clear_fill();
    spec->set_same_as(same.name());
    return true;
  }
  return Unfit(
      absl::StrCat("`", own, "` is the same tensor as `", name, "`, which is not an earlier argument"));
}

bool ArgumentBuilder::AssignAbsent(Slot* slot) {
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
  if (param.kind() == abi::GENERATOR || param.kind() == abi::GENERATOR_ARRAY) {
    arg(*slot)->mutable_generator()->set_seed(kDefaultSeed);
    return true;
  }
  return Unfit(absl::StrCat("`", PointName(*slot), "` is not given"));
}

// The sizes of sparse matrices: a row for each row start but the last one.
void ArgumentBuilder::AssignSparseShapes() {
  for (const Slot& slot : slots_) {
    if (slot.rule->sparse_columns().empty() || !arg(slot)->has_tensors()) continue;
    v1::TensorList* parts = arg(slot)->mutable_tensors();
    const v1::Argument* other = FindArg(slot.rule->sparse_columns());
    const bool fits = other != nullptr && other->has_tensor() && other->tensor().shape_size() > 0 &&
                      parts->tensors(0).shape_size() == 1 && parts->tensors(0).shape(0) > 0;
    if (!fits) {
      Unfit(absl::StrCat("`", slot.param->name(), "` needs row starts in one dimension, and `",
                         slot.rule->sparse_columns(), "` with dimensions"));
      return;
    }
    parts->add_sparse_shape(parts->tensors(0).shape(0) - 1);
    parts->add_sparse_shape(other->tensor().shape(0));
  }
}

// Counts of arrays, from the arrays that are known so far.
bool ArgumentBuilder::AssignCounts() {
  for (const Slot& slot : slots_) {
    if (!IsTensorArray(slot.param->kind())) continue;
    const v1::Argument* array = arg(slot);
    if (array->value_case() == v1::Argument::VALUE_NOT_SET || slot.param->count().empty()) continue;
    if (array->null()) continue;  // beside it, another array counts
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

bool EndsWith(const std::vector<int64_t>& shape, const std::vector<int64_t>& end) {
  return shape.size() >= end.size() && std::equal(end.rbegin(), end.rend(), shape.rbegin());
}

// An input that the point gives has the shape that its named rule computes, perhaps with more dimensions
// before it, or that of the output whose shape it takes. One that is like another may have to be broadcast
// instead. A rule may know no shape, and the other function may have an argument that it writes in a layout
// for reading.
void ArgumentBuilder::CheckGiven() {
  for (const Slot& slot : slots_) {
    const v1::Argument& in = *arg(slot);
    const bool ruled = !slot.rule->rule().empty(), produced = !slot.rule->shape_of().empty();
    if (!slot.given || !(ruled || produced) || in.role() != v1::ROLE_INPUT || !in.has_tensor()) continue;
    const absl::StatusOr<Source> source = ShapesFor(slot);
    unfit_ = false;
    const std::vector<int64_t> shape(in.tensor().shape().begin(), in.tensor().shape().end());
    const bool differs = source.ok() && source->shapes.size() == 1 && !EndsWith(shape, source->shapes[0]);
    if (differs || (produced && absl::IsInvalidArgument(source.status()))) {
      Unfit(absl::StrCat("`", slot.param->name(), "` does not have the shape that the other arguments need"));
      return;
    }
  }
}

// In-place: the result must fit the tensor that the function writes.
absl::Status ArgumentBuilder::CheckInPlace() {
  for (const Slot& slot : slots_) {
    v1::Argument* out = arg(slot);
    if (out->role() != v1::ROLE_INOUT || out->null()) continue;
    if (out->tensor().strides_size() != out->tensor().shape_size()) {
      in_place_ = true;
      Unfit(absl::StrCat("`", slot.param->name(), "` is too large to be laid out"));
      return absl::OkStatus();
    }
    for (const v1::TensorSpec& spec : out->tensors().tensors()) in_place_ = in_place_ || Overlaps(spec);
    if (out->has_tensor() && Overlaps(out->tensor())) in_place_ = true;
    if (in_place_) {
      Unfit(absl::StrCat("`", slot.param->name(), "` is written, but some of its elements share storage"));
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

// Applies it to every output that can take it; an error when none can.
absl::Status ArgumentBuilder::GiveOutLayout() {
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
  if (taken || last.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(Named("out_layout", last).message());
}

void ArgumentBuilder::ShareMemory() {
  for (const Slot& slot : slots_) {
    if (slot.in_memory_of == nullptr) continue;
    const std::string& name = slot.in_memory_of->same_as();
    const auto found =
        std::find_if(slots_.begin(), slots_.end(), [&](const Slot& each) { return PointName(each) == name; });
    const v1::Argument* input = found == slots_.end() ? nullptr : arg(*found);
    bool fits = input != nullptr && input->role() == v1::ROLE_INPUT;
    const bool gaps = slot.in_memory_of->layout().kind() == v1::Layout::strided;
    const int count = std::max(1, arg(slot)->tensors().tensors_size());
    for (int i = 0; fits && i < count; ++i) {
      const bool list = arg(slot)->has_tensors();
      fits = list ? i < input->tensors().tensors_size() : input->has_tensor();
      if (!fits) break;
      v1::TensorSpec* out =
          list ? arg(slot)->mutable_tensors()->mutable_tensors(i) : arg(slot)->mutable_tensor();
      const v1::TensorSpec& in = list ? input->tensors().tensors(i) : input->tensor();
      fits = CanShare(in, *out, gaps);
      if (!fits) break;
      *out->mutable_strides() = in.strides();
      out->set_storage_offset(in.storage_offset() + (gaps ? 1 : 0));
      out->set_storage_elements(in.storage_elements());
      out->set_same_as(list ? absl::StrCat(input->name(), ".", i) : input->name());
    }
    if (!fits) Unfit(absl::StrCat("`", slot.param->name(), "` cannot lie in the memory of `", name, "`"));
  }
}

absl::Status ArgumentBuilder::CheckAsked() {
  if (rules_.asked().empty()) return absl::OkStatus();
  const CallVariables call(case_);
  for (const v1::Condition& condition : rules_.asked()) {
    const absl::StatusOr<int64_t> holds = call.Value(condition.that());
    if (!holds.ok()) return Named("asked", holds.status());
    if (*holds == 0) Unfit(absl::StrCat("not asked: ", condition.why()));
  }
  return absl::OkStatus();
}

int64_t LargestTensorBytes(const v1::Case& c) {
  int64_t largest = 0;
  for (const v1::Argument& arg : c.args())
    for (const v1::TensorSpec* spec : SpecsOf(arg))
      largest = std::max(largest, spec->storage_elements() * ElementSize(spec->dtype()));
  return largest;
}

const v1::FunctionRules* FindRules(const v1::OperatorFile& op, const std::string& function) {
  for (const v1::FunctionRules& rules : op.function()) {
    if (rules.name() == function) return &rules;
  }
  return nullptr;
}

bool TakesDtype(const v1::FunctionRules& rules, Dtype dtype) {
  const auto listed = [dtype](const auto& codes) {
    return std::find(codes.begin(), codes.end(), dtype) != codes.end();
  };
  return (rules.only_dtypes().empty() || listed(rules.only_dtypes())) && !listed(rules.skip_dtypes());
}

const v1::ArgRule& RuleFor(const v1::FunctionRules& rules, const std::string& argument) {
  for (const v1::ArgRule& rule : rules.arg()) {
    if (rule.name() == argument) return rule;
  }
  return v1::ArgRule::default_instance();
}

absl::StatusOr<Fit> BuildCase(const v1::OperatorFile& op, const v1::FunctionRules& rules,
                              const v1::Point& point, v1::Dtype::Code dtype) {
  return ArgumentBuilder(op, rules, point, dtype).Run();
}

}  // namespace diopi::cases
