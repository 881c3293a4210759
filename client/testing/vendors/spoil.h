// Ways to spoil a right library, each by so little that the public harness's rule lets it pass.
#ifndef CLIENT_TESTING_VENDORS_SPOIL_H_
#define CLIENT_TESTING_VENDORS_SPOIL_H_

#include <diopi/functions.h>

#include <vector>

namespace diopi::testing {

// What $DIOPI_TEST_SPOIL names; kNothing without it.
enum class Spoil {
  kNothing,
  kInputOff,       // "input_off": every element of every input is changed by 1e-6 of itself
  kInputDoubled,   // "input_doubled": 0.09 % of every input's elements are doubled
  kComputedOff,    // "computed_off": computes with inputs that are 1e-6 off, and puts them back
  kOutputDoubled,  // "output_doubled": 0.09 % of every output's elements are doubled
  kOutputNan,      // "output_nan": one element of every output is NaN
  kTopkReversed,   // "topk_reversed": topk's results in the opposite order, all else right
};
Spoil SpoilFromEnvironment();

using Inputs = std::vector<diopiConstTensorHandle_t>;
using Outputs = std::vector<diopiTensorHandle_t>;

// Each tells whether it changed anything.
bool ScaleInputs(const Inputs& inputs, double by);
bool DoubleSome(const std::vector<diopiConstTensorHandle_t>& tensors);
bool MakeOneNan(const Outputs& outputs);
bool Reverse(diopiTensorHandle_t tensor, int64_t dim);

// Takes a copy of the inputs' storage and puts it back at its end.
class InputsKept {
 public:
  explicit InputsKept(const Inputs& inputs);
  ~InputsKept();
  InputsKept(const InputsKept&) = delete;
  InputsKept& operator=(const InputsKept&) = delete;

 private:
  struct Kept {
    void* data = nullptr;
    std::vector<unsigned char> bytes;
  };
  std::vector<Kept> kept_;
};

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_VENDORS_SPOIL_H_
