// Ways to make a correct library wrong, each by so little that the public harness's rule passes it.
#ifndef CLIENT_TESTING_VENDORS_SPOIL_H_
#define CLIENT_TESTING_VENDORS_SPOIL_H_

#include <diopi/functions.h>
#include <diopi/functions_ext.h>
#include <diopi/functions_lmdeploy.h>
#include <diopi/functions_mmcv.h>
#include <diopi/functions_sparse.h>

#include <vector>

namespace diopi::testing {

// The values of $DIOPI_TEST_SPOIL; kNothing without it.
enum class Spoil {
  kNothing,
  kInputOff,       // "input_off": changes every element of every input by 1e-6 of itself
  kInputDoubled,   // "input_doubled": doubles 0.09 % of every input's elements
  kComputedOff,    // "computed_off": computes with inputs that are 1e-6 off, then restores them
  kOutputDoubled,  // "output_doubled": doubles 0.09 % of every output's elements
  kOutputNan,      // "output_nan": sets one element of every output to NaN
  kTopkReversed,   // "topk_reversed": reverses the order of topk's results, all else right
};
Spoil SpoilFromEnvironment();

using Inputs = std::vector<diopiConstTensorHandle_t>;
using Outputs = std::vector<diopiTensorHandle_t>;

// Each returns whether it changed anything.
bool ScaleInputs(const Inputs& inputs, double by);
bool DoubleSome(const std::vector<diopiConstTensorHandle_t>& tensors);
bool MakeOneNan(const Outputs& outputs);
bool Reverse(diopiTensorHandle_t tensor, int64_t dim);

// Copies the inputs' storage, and restores it in the destructor.
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
