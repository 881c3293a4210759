// Comparisons, logical and bitwise functions of two operands, maximum and minimum, remainder.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::both {
namespace {

struct Equal {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x == y;
  }
};
struct NotEqual {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x != y;
  }
};
struct AtLeast {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x >= y;
  }
};
struct Above {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x > y;
  }
};
struct AtMost {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x <= y;
  }
};
struct Below {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x < y;
  }
};
struct Both {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x != C(0) && y != C(0);
  }
};
struct Either {
  template <typename C>
  DIOPI_HD bool operator()(const C& x, const C& y) const {
    return x != C(0) || y != C(0);
  }
};

// A predicate's truth as a number.
template <typename Result, typename F>
struct As {
  F holds;
  template <typename C>
  DIOPI_HD Result operator()(const C& x, const C& y) const {
    return Result(holds(x, y) ? 1 : 0);
  }
};

// out = f(input, other) as a bool, in place as a number of the tensor's type.
template <typename F, typename Args>
void Compare(const Args& a) {
  const Tensor out(OutOf(a));
  const Operand x(a.input), y(a.other);
  const Shape shape = BroadcastShapes(x.shape(), y.shape());
  CheckShape(out, shape, "out");
  DispatchAny(ResultType(x.tensor, x, y), [&]<typename C>() {
    const In<C> left = OperandAt<C>(x, shape), right = OperandAt<C>(y, shape);
    if constexpr (requires { a.out; }) {
      Check(IsBool(out.dtype()), "out must be bool, got ", DtypeName(out.dtype()));
      Map(Queue(a.ctx), out.numel(), Out<int64_t>(out), As<int64_t, F>(), left, right);
    } else {
      Map(Queue(a.ctx), out.numel(), Out<C>(out), As<C, F>(), left, right);
    }
  });
}

struct And {
  DIOPI_HD int64_t operator()(int64_t x, int64_t y) const { return x & y; }
};
struct Or {
  DIOPI_HD int64_t operator()(int64_t x, int64_t y) const { return x | y; }
};
template <typename F, typename Args>
void Bitwise(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.other);
  Check(!IsFloating(dtype), "operands must be integers or bool, got ", DtypeName(dtype));
  CheckStorable(dtype, out);
  MapOperands<int64_t>(Queue(a.ctx), out, F(), a.input, a.other);
}

// The result is one of the operands, without the noise that the oracle gives inputs.
struct Larger {
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    if (x != x) return AsGiven(x);
    return AsGiven(y != y || y > x ? y : x);
  }
};
struct Smaller {
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    if (x != x) return AsGiven(x);
    return AsGiven(y != y || y < x ? y : x);
  }
};

struct RemainderOf {
  static constexpr bool kMayFail = true;  // for integers
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    if constexpr (kIsInteger<C>) {
      if (y == 0) return IntegerDividedByZero();
      const C rest = y == -1 ? 0 : x % y;
      return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
    } else {
      using std::fmod;
      const C rest = fmod(AsGiven(x), AsGiven(y));
      return rest != C(0) && (rest < C(0)) != (y < C(0)) ? rest + AsGiven(y) : rest;
    }
  }
};

template <typename F, typename Args>
void Binary(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.other);
  CheckStorable(dtype, out);
  DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(Queue(a.ctx), out, F(), a.input, a.other); });
}

// Also takes truth values, where 1 is the larger one.
template <typename F, typename Args>
void Extreme(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.other);
  CheckStorable(dtype, out);
  DispatchAny(dtype, [&]<typename C>() { MapOperands<C>(Queue(a.ctx), out, F(), a.input, a.other); });
}

}  // namespace

DIOPI_FORMS(Compare<Equal>, diopiEq, diopiEqInp, diopiEqScalar, diopiEqInpScalar)
DIOPI_FORMS(Compare<NotEqual>, diopiNe, diopiNeInp, diopiNeScalar, diopiNeInpScalar)
DIOPI_FORMS(Compare<AtLeast>, diopiGe, diopiGeInp, diopiGeScalar, diopiGeInpScalar)
DIOPI_FORMS(Compare<Above>, diopiGt, diopiGtInp, diopiGtScalar, diopiGtInpScalar)
DIOPI_FORMS(Compare<AtMost>, diopiLe, diopiLeInp, diopiLeScalar, diopiLeInpScalar)
DIOPI_FORMS(Compare<Below>, diopiLt, diopiLtInp, diopiLtScalar, diopiLtInpScalar)
DIOPI_FORMS(Compare<Both>, diopiLogicalAnd, diopiLogicalAndInp)
DIOPI_FORMS(Compare<Either>, diopiLogicalOr, diopiLogicalOrInp)
DIOPI_FORMS(Bitwise<And>, diopiBitwiseAnd, diopiBitwiseAndInp, diopiBitwiseAndScalar,
            diopiBitwiseAndInpScalar)
DIOPI_FORMS(Bitwise<Or>, diopiBitwiseOr, diopiBitwiseOrInp, diopiBitwiseOrScalar, diopiBitwiseOrInpScalar)
DIOPI_FORMS(Extreme<Larger>, diopiMaximum)
DIOPI_FORMS(Extreme<Smaller>, diopiMinimum)
DIOPI_FORMS(Binary<RemainderOf>, diopiRemainderTensor, diopiRemainderScalar, diopiRemainder)

}  // namespace diopi::ops::both
