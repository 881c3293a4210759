#include "impl_loader/caller/made_inputs.h"

#include <utility>

namespace diopi::loader {

absl::Status AddMadeInputs(const v1::Case& c, std::vector<InputView>* inputs, BlockInputs* made) {
  absl::StatusOr<BlockInputs> opened = OpenBlockInputs(c);
  if (!opened.ok()) return opened.status();
  *made = *std::move(opened);
  for (const InputView& sent : *inputs) made->erase(std::string(sent.key));
  for (const auto& [key, blocks] : *made) {
    inputs->push_back(
        {key, blocks->dtype(), blocks->shape(), nullptr, static_cast<size_t>(blocks->bytes()), blocks.get()});
  }
  return absl::OkStatus();
}

}  // namespace diopi::loader
