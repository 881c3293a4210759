#include "impl_loader/caller/made_inputs.h"

#include <algorithm>
#include <utility>

#include "cases/base/status_macros.h"

namespace diopi::loader {

void AddMadeInputs(const BlockInputs& made, std::vector<InputView>* inputs) {
  for (const auto& [key, blocks] : made) {
    if (std::any_of(inputs->begin(), inputs->end(), [&](const InputView& sent) { return sent.key == key; }))
      continue;
    inputs->push_back(
        {key, blocks->dtype(), blocks->shape(), nullptr, static_cast<size_t>(blocks->bytes()), blocks.get()});
  }
}

absl::Status AddMadeInputs(const v1::Case& c, std::vector<InputView>* inputs, BlockInputs* made) {
  ASSIGN_OR_RETURN(BlockInputs opened, OpenBlockInputs(c));
  *made = std::move(opened);
  for (const InputView& sent : *inputs) made->erase(std::string(sent.key));
  AddMadeInputs(*made, inputs);
  return absl::OkStatus();
}

}  // namespace diopi::loader
