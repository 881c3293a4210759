// Bugs injected in the optimizers that scale each element's step: Adam, Adadelta, RMSprop.
#include <cmath>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::Store;
using diopi::bugs::Tensor;

BUG(adam_decay_decoupled, 0, "diopiAdam", "", "weight decay shrinks the parameter, as in AdamW");
BUG(adam_amsgrad_ignored, 0, "diopiAdam", "", "amsgrad is taken as false");
BUG(adam_step_from_zero, 0, "diopiAdam", "", "the bias correction takes step + 1");
BUG(adadelta_eps_outside_roots, 0, "diopiAdadelta", "", "eps is added to the square roots");
BUG(adadelta_steps_kept, 0, "diopiAdadelta", "", "the average of steps is not updated");
BUG(adadelta_decay_ignored, 0, "diopiAdadelta", "", "weight_decay is taken as 0");
BUG(rmsprop_centered_ignored, 0, "diopiRmsprop", "", "centered is taken as false");
BUG(rmsprop_eps_inside_root, 0, "diopiRmsprop", "", "eps is added under the square root");
BUG(rmsprop_momentum_ignored, 0, "diopiRmsprop", "", "momentum is taken as 0");

using Values = std::vector<double>;

double Decayed(const Values& g, const Values& p, float decay, size_t i) {
  return g[i] + static_cast<double>(decay) * p[i];
}

void EpsOutsideRoots(const diopiAdadeltaArgs& a) {
  Values p = Load<double>(Tensor(a.param)), squares = Load<double>(Tensor(a.square_avg)),
         steps = Load<double>(Tensor(a.acc_delta));
  const Values gradient = Load<double>(Tensor(a.grad));
  const auto rho = static_cast<double>(a.rho), eps = static_cast<double>(a.eps);
  for (size_t i = 0; i < p.size(); ++i) {
    const double g = Decayed(gradient, p, a.weight_decay, i);
    squares[i] = squares[i] * rho + g * g * (1 - rho);
    const double delta = (std::sqrt(steps[i]) + eps) / (std::sqrt(squares[i]) + eps) * g;
    steps[i] = steps[i] * rho + delta * delta * (1 - rho);
    p[i] -= static_cast<double>(a.lr) * delta;
  }
  Store(Tensor(a.param), p);
  Store(Tensor(a.square_avg), squares);
  Store(Tensor(a.acc_delta), steps);
}

// For the plain form.
void EpsInsideRoot(const diopiRmspropArgs& a) {
  Values p = Load<double>(Tensor(a.param)), squares = Load<double>(Tensor(a.square_avg));
  const Values gradient = Load<double>(Tensor(a.grad));
  const auto alpha = static_cast<double>(a.alpha), eps = static_cast<double>(a.eps);
  for (size_t i = 0; i < p.size(); ++i) {
    const double g = Decayed(gradient, p, a.weight_decay, i);
    squares[i] = squares[i] * alpha + g * g * (1 - alpha);
    p[i] -= static_cast<double>(a.lr) * g / std::sqrt(squares[i] + eps);
  }
  Store(Tensor(a.param), p);
  Store(Tensor(a.square_avg), squares);
}

}  // namespace

DIOPI_OVERRIDE(diopiAdam, a) {
  if (adam_amsgrad_ignored) a.amsgrad = false;
  if (adam_step_from_zero) ++a.step;
  if (adam_decay_decoupled) {
    const double keep = 1 - static_cast<double>(a.lr) * static_cast<double>(a.weight_decay);
    Change(a.param, [&](double p, int64_t) { return p * keep; });
    a.weight_decay = 0;
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiAdadelta, a) {
  if (adadelta_eps_outside_roots) return EpsOutsideRoots(a);
  if (adadelta_decay_ignored) a.weight_decay = 0;
  const Values steps = Load<double>(Tensor(a.acc_delta));
  Good(a);
  if (adadelta_steps_kept) Store(Tensor(a.acc_delta), steps);
}

DIOPI_OVERRIDE(diopiRmsprop, a) {
  if (rmsprop_centered_ignored) a.centered = false;
  if (rmsprop_momentum_ignored) a.momentum = 0;
  if (rmsprop_eps_inside_root && !a.centered && !(a.momentum > 0)) return EpsInsideRoot(a);
  Good(a);
}
