// Conversions apply to a copy of the case, one tensor at a time. An input that loses values stops the call,
// because the library would be asked another question; a rounded input is recorded. Outputs are converted
// back only from the type that was asked for, so a library that gives another type is still judged by it.
#include "impl_loader/adaptor/adaptor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "cases/base/layout.h"
#include "cases/base/status_macros.h"
#include "cases/base/tensor.h"
#include "impl_loader/adaptor/convert.h"

namespace diopi::loader {
namespace {

// The argument that a key names, and its tensor; null: none.
struct Found {
  v1::Argument* argument = nullptr;
  v1::TensorSpec* spec = nullptr;
};

Found Find(v1::Case* c, const std::string& key) {
  for (v1::Argument& arg : *c->mutable_args()) {
    if (arg.has_tensor() && arg.name() == key) return {&arg, arg.mutable_tensor()};
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      if (absl::StrCat(arg.name(), ".", i) == key) return {&arg, arg.mutable_tensors()->mutable_tensors(i)};
    }
  }
  return {};
}

std::string Name(Dtype dtype) {
  return std::string(DtypeName(dtype));
}

// Dimension 1 innermost, the others in their order.
void MakeChannelsLast(v1::TensorSpec* spec) {
  const int rank = spec->shape_size();
  const auto size = [&](int dim) { return std::max<int64_t>(spec->shape(dim), 1); };
  spec->mutable_strides()->Resize(rank, 1);  // keeps what is there
  spec->set_strides(1, 1);
  int64_t stride = size(1);
  for (int dim = rank - 1; dim >= 2; stride *= size(dim), --dim) spec->set_strides(dim, stride);
  spec->set_strides(0, stride);
}

// Describes how the strides changed; empty if they did not.
absl::StatusOr<std::string> LayOut(v1::LibraryLayout layout, v1::TensorSpec* spec) {
  if (layout == v1::AS_IS) return "";
  const std::vector<int64_t> before(spec->strides().begin(), spec->strides().end());
  const int64_t offset = spec->storage_offset();
  spec->clear_storage_offset();
  spec->clear_storage_elements();
  const std::vector<int64_t> shape(spec->shape().begin(), spec->shape().end());
  const std::vector<int64_t> dense = ContiguousStrides(shape);
  if (layout == v1::CHANNELS_LAST) {
    if (shape.size() < 3 || shape.size() > 5) {
      return absl::InvalidArgumentError(
          absl::StrCat("channels last is for 3 to 5 dimensions, not ", shape.size()));
    }
    MakeChannelsLast(spec);
  } else {
    spec->mutable_strides()->Assign(dense.begin(), dense.end());
  }
  const std::vector<int64_t> now(spec->strides().begin(), spec->strides().end());
  if (offset == 0 && now == (before.empty() ? dense : before)) return "";
  return absl::StrCat(layout == v1::CHANNELS_LAST ? "channels last" : "contiguous", ", strides (",
                      absl::StrJoin(now, ", "), ")");
}

}  // namespace

absl::StatusOr<AdaptedCall> AdaptedCall::Make(const v1::Case& c, const std::vector<InputView>& inputs,
                                              const v1::CaseAdaptor& adaptor) {
  AdaptedCall call;
  call.case_ = c;
  call.inputs_ = inputs;
  for (const v1::CaseAdaptor::Conversion& conversion : adaptor.conversion()) {
    const absl::Status status = call.Apply(conversion);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("adaptor: ", conversion.key(), ": ", status.message()));
    }
  }
  return call;
}

absl::Status AdaptedCall::Apply(const v1::CaseAdaptor::Conversion& conversion) {
  const Found found = Find(&case_, conversion.key());
  if (found.spec == nullptr) return absl::InvalidArgumentError("the case has no such tensor");
  std::vector<std::string> words;
  const Dtypes dtypes{found.spec->dtype(), conversion.dtype()};
  if (dtypes.own != dtypes.library) {
    if (!CanConvert(dtypes.own, dtypes.library)) {
      return absl::InvalidArgumentError(
          absl::StrCat("no conversion of ", Name(dtypes.own), " to ", Name(dtypes.library)));
    }
    // A tensor that the library allocates counts as converted once it has the type that was asked for.
    if (found.argument->role() != v1::ROLE_LIBRARY_OUTPUT) {
      words.push_back(absl::StrCat(Name(dtypes.own), " as ", Name(dtypes.library)));
    } else {
      allocated_.insert(conversion.key());
    }
    found.spec->set_dtype(dtypes.library);
    converted_[conversion.key()] = dtypes;
    ConvertInput(conversion.key(), dtypes);
  }
  if (found.argument->role() != v1::ROLE_LIBRARY_OUTPUT) {
    ASSIGN_OR_RETURN(const std::string laid, LayOut(conversion.layout(), found.spec));
    if (!laid.empty()) words.push_back(laid);
  }
  if (!words.empty()) adapted_.push_back(absl::StrCat(conversion.key(), " ", absl::StrJoin(words, ", ")));
  return absl::OkStatus();
}

void AdaptedCall::ConvertInput(const std::string& key, const Dtypes& dtypes) {
  const auto input =
      std::find_if(inputs_.begin(), inputs_.end(), [&](const InputView& one) { return one.key == key; });
  if (input == inputs_.end() || input->dtype != dtypes.own) return;
  const int64_t elements = NumElements(input->shape);
  // If the values do not fit the shape, the frame refuses the case.
  if (elements < 0 || input->bytes != static_cast<size_t>(elements * ElementSize(dtypes.own))) return;
  std::string& data = values_.emplace_back(static_cast<size_t>(elements * ElementSize(dtypes.library)), '\0');
  const Conversion done = Convert(dtypes.own, input->data, dtypes.library, data.data(), elements);
  if (done.lost > 0) {
    absl::StrAppend(&not_adaptable_, not_adaptable_.empty() ? "" : "; ", done.lost, " of ", done.elements,
                    " elements of ", key, " do not fit in ", Name(dtypes.library), ", the first at ",
                    done.first_lost, ": ", done.first_text);
  }
  if (done.rounded > 0) {
    rounded_.push_back(absl::StrCat(done.rounded, " of ", done.elements, " elements of ", key, " rounded"));
  }
  input->dtype = dtypes.library;
  input->data = data.data();
  input->bytes = data.size();
}

void AdaptedCall::TakeBack(std::vector<OutputTensor>* outputs) {
  for (OutputTensor& output : *outputs) {
    const auto found = converted_.find(output.key);
    if (found == converted_.end() || output.dtype != static_cast<int32_t>(found->second.library)) continue;
    const Dtypes& dtypes = found->second;
    const int64_t elements = NumElements(output.shape);
    std::string data(static_cast<size_t>(elements * ElementSize(dtypes.own)), '\0');
    const Conversion done = Convert(dtypes.library, output.data.data(), dtypes.own, data.data(), elements);
    output.data = std::move(data);
    output.dtype = static_cast<int32_t>(dtypes.own);
    if (allocated_.contains(output.key)) {
      adapted_.push_back(absl::StrCat(output.key, " ", Name(dtypes.own), " as ", Name(dtypes.library)));
    }
    // A floating result that is rounded into a narrower type is what the caller asked for.
    if (done.lost == 0 || IsFloating(dtypes.own)) continue;
    rounded_.push_back(absl::StrCat(done.lost, " of ", done.elements, " elements that the library wrote to ",
                                    output.key, " do not fit in ", Name(dtypes.own),
                                    " and were taken modulo its range, the first at ", done.first_lost, ": ",
                                    done.first_text));
  }
}

}  // namespace diopi::loader
