#include "baselines/generate/sliced_inputs.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace diopi::baselines {
namespace {

// The whole tensors of blocks, beside the others.
TensorMap Whole(const TensorMap& small, const BlockInputs& blocks) {
  TensorMap whole = small;
  for (const auto& [key, tensor] : blocks) whole[key] = tensor->Whole();
  return whole;
}

// What a forward is called with: equal for saved tensors that are read at the same places.
std::string CallText(const cases::Piece& piece) {
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

}  // namespace

absl::StatusOr<TensorMap> GivenInputs::Of(const cases::Piece& piece) {
  if (piece.whole) return inputs_;
  return cases::TakeInputs(piece, inputs_);
}

absl::StatusOr<MadeInputs::Filled> MadeInputs::Fill(const v1::Case& c) {
  Filled filled;
  absl::StatusOr<BlockInputs> blocks = OpenBlockInputs(c);
  if (!blocks.ok()) return blocks.status();
  absl::StatusOr<TensorMap> small = FillInputs(c, *blocks);
  if (!small.ok()) return small.status();
  return Filled{*std::move(small), *std::move(blocks)};
}

absl::Status MadeInputs::Open() {
  if (filled_.has_value()) return absl::OkStatus();
  absl::StatusOr<Filled> filled = Fill(c_);
  if (!filled.ok()) return filled.status();
  for (const v1::Case& producer : c_.producers()) {
    absl::StatusOr<Filled> inputs = Fill(producer);
    if (!inputs.ok()) return inputs.status();
    forwards_[producer.function()].inputs = *std::move(inputs);
  }
  filled_ = *std::move(filled);
  return absl::OkStatus();
}

absl::StatusOr<TensorMap> MadeInputs::Of(const cases::Piece& piece) {
  absl::Status status = Open();
  if (!status.ok()) return status;
  TensorMap taken = piece.whole ? Whole(filled_->small, filled_->blocks)
                                : cases::TakeInputs(piece, filled_->small, filled_->blocks);
  status = AddSaved(piece, &taken);
  if (!status.ok()) return status;
  return taken;
}

absl::Status MadeInputs::AddSaved(const cases::Piece& piece, TensorMap* taken) {
  for (const v1::Argument& arg : c_.args()) {
    if (!arg.has_tensor() || arg.tensor().from().empty()) continue;
    const std::string& from = arg.tensor().from();
    const size_t dot = from.find('.');
    absl::StatusOr<HostTensor> saved =
        absl::InternalError(absl::StrCat("argument '", arg.name(), "': the reference gave no ", from));
    for (const v1::Case& producer : c_.producers()) {
      if (producer.function() != from.substr(0, dot)) continue;
      saved = Saved(producer, from.substr(dot + 1), piece.whole ? nullptr : &piece.inputs.at(arg.name()));
    }
    if (!saved.ok()) return saved.status();
    (*taken)[arg.name()] = *std::move(saved);
  }
  return absl::OkStatus();
}

// An output of a forward at these places, or all of it.
absl::StatusOr<HostTensor> MadeInputs::Saved(const v1::Case& producer, const std::string& output,
                                             const cases::Places* places) {
  Forward& forward = forwards_.at(producer.function());
  const auto call = [&](const v1::Case& c, const TensorMap& inputs) {
    return reference_.Call(c, inputs, v1::Dtype::unsupported);
  };
  std::optional<cases::ProducerPiece> cut;
  if (places != nullptr && !forward.outputs.has_value() && producer.producers().empty()) {
    cut = cases::CutProducer(producer, cases::BuiltinSlices(producer.function()), output, *places);
  }
  if (cut.has_value()) {
    const std::string text = CallText(cut->piece);
    if (text != latest_) {
      absl::StatusOr<TensorMap> outputs =
          call(cut->piece.c, cases::TakeInputs(cut->piece, forward.inputs.small, forward.inputs.blocks));
      if (!outputs.ok()) return outputs.status();
      latest_ = text;
      latest_outputs_ = *std::move(outputs);
    }
    return cases::TakePlaces(latest_outputs_.at(output), cut->in_piece);
  }
  if (!forward.outputs.has_value()) {
    absl::StatusOr<TensorMap> outputs = call(producer, Whole(forward.inputs.small, forward.inputs.blocks));
    if (!outputs.ok()) return outputs.status();
    forward.outputs = *std::move(outputs);
  }
  const auto whole = forward.outputs->find(output);
  if (whole == forward.outputs->end())
    return absl::InternalError(absl::StrCat(producer.function(), " gave no ", output));
  return places == nullptr ? whole->second : cases::TakePlaces(whole->second, *places);
}

}  // namespace diopi::baselines
