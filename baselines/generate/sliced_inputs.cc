#include "baselines/generate/sliced_inputs.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/sampled_tokens.h"
#include "cases/base/case_parts.h"
#include "cases/base/status_macros.h"
#include "cases/core/case_builder.h"
#include "cases/slices/piece_grid.h"

namespace diopi::baselines {
namespace {

// The whole tensors of blocks, beside the others.
TensorMap Whole(const TensorMap& small, const BlockInputs& blocks) {
  TensorMap whole = small;
  for (const auto& [key, tensor] : blocks) whole[key] = tensor->Whole();
  return whole;
}

// Whether the references are what one call in the case's own types gives.
bool IsCalledOnce(const v1::Case& c) {
  return c.readings().empty() && !IsTokenSampling(c) &&
         std::none_of(c.judges().begin(), c.judges().end(),
                      [](const v1::Judge& judge) { return HasNoise(judge.kind()); });
}

// What a forward is called with: equal for saved tensors that are read at the same places.
std::string CallText(const slices::Piece& piece) {
  std::string text = piece.c.function();
  for (const auto& [key, places] : piece.inputs) {
    absl::StrAppend(&text, "\n", key);
    for (const std::vector<int64_t>& list : places.lists) {
      text.push_back('\n');
      text.append(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(int64_t));
    }
  }
  return text;
}

// All positions, but of one axis those in [begin, end).
slices::Places StretchOf(const std::vector<int64_t>& shape, size_t axis, int64_t begin, int64_t end) {
  slices::Places places;
  for (size_t d = 0; d < shape.size(); ++d)
    places.lists.push_back(d == axis ? slices::Range(begin, end) : slices::Range(0, shape[d]));
  return places;
}

}  // namespace

absl::StatusOr<SlicedInputs::Taken> GivenInputs::Of(const slices::Piece& piece) {
  return Taken{piece.whole ? inputs_ : slices::TakeInputs(piece, inputs_)};
}

absl::StatusOr<MadeInputs::Filled> MadeInputs::Fill(const v1::Case& c) {
  Filled filled;
  ASSIGN_OR_RETURN(BlockInputs blocks, OpenBlockInputs(c));
  ASSIGN_OR_RETURN(TensorMap small, FillInputs(c, blocks));
  return Filled{std::move(small), std::move(blocks)};
}

absl::Status MadeInputs::Open() {
  if (filled_.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Filled filled, Fill(c_));
  for (const v1::Case& producer : c_.producers()) {
    ASSIGN_OR_RETURN(Filled inputs, Fill(producer));
    forwards_[producer.function()].inputs = std::move(inputs);
  }
  filled_ = std::move(filled);
  return absl::OkStatus();
}

absl::StatusOr<SlicedInputs::Taken> MadeInputs::Of(const slices::Piece& piece) {
  RETURN_IF_ERROR(Open());
  Taken taken;
  if (!piece.whole) {
    taken.tensors = slices::TakeInputs(piece, filled_->small, filled_->blocks);
  } else if (IsCalledOnce(piece.c)) {
    taken = {filled_->small, &filled_->blocks};
  } else {
    taken.tensors = Whole(filled_->small, filled_->blocks);
  }
  RETURN_IF_ERROR(AddSaved(piece, &taken.tensors));
  return taken;
}

absl::StatusOr<std::vector<MadeInputs::SavedTensor>> MadeInputs::ListSaved() const {
  std::vector<SavedTensor> list;
  for (const v1::Argument& arg : c_.args()) {
    if (!arg.has_tensor() || arg.tensor().from().empty()) continue;
    const std::string& from = arg.tensor().from();
    const size_t dot = from.find('.');
    const auto producer =
        std::find_if(c_.producers().begin(), c_.producers().end(),
                     [&](const v1::Case& each) { return each.function() == from.substr(0, dot); });
    if (producer == c_.producers().end())
      return absl::InternalError(absl::StrCat("argument '", arg.name(), "': the reference gave no ", from));
    list.push_back({&arg, &*producer, from.substr(dot + 1)});
  }
  return list;
}

absl::Status MadeInputs::AddSaved(const slices::Piece& piece, TensorMap* taken) {
  ASSIGN_OR_RETURN(const std::vector<SavedTensor> list, ListSaved());
  for (const SavedTensor& each : list) {
    const std::string& name = each.arg->name();
    ASSIGN_OR_RETURN(HostTensor saved,
                     Saved(*each.producer, each.output, piece.whole ? nullptr : &piece.inputs.at(name)));
    (*taken)[name] = std::move(saved);
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorMap> MadeInputs::AllSaved(int64_t bytes_at_once) {
  RETURN_IF_ERROR(Open());
  ASSIGN_OR_RETURN(const std::vector<SavedTensor> list, ListSaved());
  TensorMap all;
  std::vector<std::pair<Steps, std::vector<const SavedTensor*>>> alike;  // share the forward's calls
  for (const SavedTensor& saved : list) {
    const std::optional<Steps> steps = StepsFor(saved, bytes_at_once);
    if (!steps.has_value()) {
      ASSIGN_OR_RETURN(HostTensor whole, Saved(*saved.producer, saved.output, nullptr));
      all[saved.arg->name()] = std::move(whole);
      continue;
    }
    auto found =
        std::find_if(alike.begin(), alike.end(), [&](const auto& each) { return each.first == *steps; });
    if (found == alike.end()) found = alike.insert(alike.end(), {*steps, {}});
    found->second.push_back(&saved);
  }
  for (const auto& [steps, tensors] : alike) {
    const int64_t size = tensors.front()->arg->tensor().shape(static_cast<int>(steps.axis));
    for (int64_t begin = 0; begin < size; begin += steps.step) {
      for (const SavedTensor* saved : tensors) {
        RETURN_IF_ERROR(SaveInSteps(*saved, steps, begin, &all[saved->arg->name()]));
      }
    }
  }
  return all;
}

// Along the first axis that can be cut, where runs of neighbours are longest.
std::optional<MadeInputs::Steps> MadeInputs::StepsFor(const SavedTensor& saved, int64_t bytes_at_once) const {
  if (!saved.producer->producers().empty()) return std::nullopt;
  const v1::Slices& slices = slices::BuiltinSlices(saved.producer->function());
  const std::vector<int64_t> shape = SpecShape(saved.arg->tensor());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto cut = shape[axis] > 1 ? slices::CutProducer(*saved.producer, slices, saved.output,
                                                           StretchOf(shape, axis, 0, 1))
                                     : std::nullopt;
    if (!cut.has_value()) continue;
    const int64_t largest = std::max<int64_t>(cases::LargestTensorBytes(cut->piece.c), 1);
    return Steps{axis, std::clamp<int64_t>(bytes_at_once / largest, 1, shape[axis])};
  }
  return std::nullopt;
}

// Puts the elements of one step into the whole tensor, which the first step makes.
absl::Status MadeInputs::SaveInSteps(const SavedTensor& saved, const Steps& steps, int64_t begin,
                                     HostTensor* whole) {
  const std::vector<int64_t> shape = SpecShape(saved.arg->tensor());
  const int64_t size = shape[steps.axis];
  const int64_t end = std::min(size, begin + steps.step);
  const slices::Places places = StretchOf(shape, steps.axis, begin, end);
  ASSIGN_OR_RETURN(const HostTensor part, Saved(*saved.producer, saved.output, &places));
  const int64_t inner = std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(steps.axis) + 1,
                                        shape.end(), ElementSize(part.dtype), std::multiplies<>());
  const int64_t outer = NumElements({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(steps.axis)});
  if (begin == 0) *whole = {part.dtype, shape, std::string(static_cast<size_t>(outer * size * inner), '\0')};
  const int64_t run = (end - begin) * inner;
  for (int64_t i = 0; i < outer; ++i)
    std::memcpy(whole->data.data() + (i * size + begin) * inner, part.data.data() + i * run,
                static_cast<size_t>(run));
  return absl::OkStatus();
}

// An output of a forward at these places, or all of it.
absl::StatusOr<HostTensor> MadeInputs::Saved(const v1::Case& producer, const std::string& output,
                                             const slices::Places* places) {
  Forward& forward = forwards_.at(producer.function());
  std::optional<slices::ProducerPiece> cut;
  if (places != nullptr && !forward.outputs.has_value() && producer.producers().empty()) {
    cut = slices::CutProducer(producer, slices::BuiltinSlices(producer.function()), output, *places);
  }
  if (cut.has_value()) {
    const std::string text = CallText(cut->piece);
    if (text != latest_) {
      ASSIGN_OR_RETURN(TensorMap outputs, reference_.Call(cut->piece.c,
                                                          slices::TakeInputs(cut->piece, forward.inputs.small,
                                                                             forward.inputs.blocks),
                                                          v1::Dtype::unsupported));
      latest_ = text;
      latest_outputs_ = std::move(outputs);
    }
    return slices::TakePlaces(latest_outputs_.at(output), cut->in_piece);
  }
  if (!forward.outputs.has_value()) {
    ASSIGN_OR_RETURN(forward.outputs, reference_.Call(producer, forward.inputs.small, &forward.inputs.blocks,
                                                      v1::Dtype::unsupported));
  }
  const auto whole = forward.outputs->find(output);
  if (whole == forward.outputs->end())
    return absl::InternalError(absl::StrCat(producer.function(), " gave no ", output));
  return places == nullptr ? whole->second : slices::TakePlaces(whole->second, *places);
}

}  // namespace diopi::baselines
