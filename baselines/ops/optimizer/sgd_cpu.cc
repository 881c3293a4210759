// One step of stochastic gradient descent on one parameter, in place:
//   g <- grad + weight_decay * param
//   buf <- momentum * buf + (1 - dampening) * g      when momentum is not 0 and there is a buffer
//   g <- nesterov ? g + momentum * buf : buf
//   param <- param - lr * g
#include "baselines/ops/support/tensor.h"

extern "C" diopiError_t diopiSgd(diopiContextHandle_t, diopiTensorHandle_t param, diopiTensorHandle_t grad,
                                 diopiTensorHandle_t buf, double lr, double momentum, double dampening,
                                 double weight_decay, bool nesterov) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor parameter(param), gradient(static_cast<diopiConstTensorHandle_t>(grad)), buffer(buf);
    CheckShape(gradient, parameter.shape(), "grad");
    const bool with_momentum = buffer && momentum != 0;
    if (with_momentum) CheckShape(buffer, parameter.shape(), "buf");
    DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
      std::vector<C> p = Load<C>(parameter);
      const std::vector<C> gradients = Load<C>(gradient);
      std::vector<C> b = with_momentum ? Load<C>(buffer) : std::vector<C>();
      const C rate = Rounded<C>(lr), decay = Rounded<C>(weight_decay), mu = Rounded<C>(momentum);
      const C keep = Rounded<C>(1.0 - dampening);
      for (size_t i = 0; i < p.size(); ++i) {
        C g = gradients[i];
        if (weight_decay != 0) g = g + decay * p[i];
        if (with_momentum) {
          b[i] = mu * b[i] + keep * g;
          g = nesterov ? g + mu * b[i] : b[i];
        }
        p[i] = p[i] - rate * g;
      }
      Store(parameter, p);
      if (with_momentum) Store(buffer, b);
    });
  });
}
