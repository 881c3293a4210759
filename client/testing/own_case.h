// A user's own case for an operator that has cases already: "add.float32.mine_11".
#ifndef CLIENT_TESTING_OWN_CASE_H_
#define CLIENT_TESTING_OWN_CASE_H_

namespace diopi::testing {

inline constexpr char kOwnAddCase[] = R"(operator: "add" family: "elementwise"
function {
  name: "diopiAdd"
  arg { name: "out" broadcast: ["input", "other"] promote: ["input", "other"] }
  judge { kind: MATH }
}
grid {
  dtypes: [float32]
  point {
    label: "mine_11" reveals: "the size of our model"
    in { name: "input" shape: [11] } in { name: "other" shape: [11] } attr { name: "alpha" i: 3 }
  }
}
)";

}  // namespace diopi::testing

#endif  // CLIENT_TESTING_OWN_CASE_H_
