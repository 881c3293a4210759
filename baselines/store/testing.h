// For the tests of this folder: a folder that goes away, and baselines with every dtype and odd shape.
#ifndef BASELINES_STORE_TESTING_H_
#define BASELINES_STORE_TESTING_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "baselines/store/store.h"
#include "cases/base/tensor.h"
#include "cases/base/test_folder.h"

namespace diopi::baselines {

inline std::string ReadFileText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The file after a fuzzer's edits: triples of a place (two bytes) and the bits to flip there; if one or two
// bytes are left over, the first of them cuts the file.
inline std::string Edited(std::string file, const uint8_t* edits, size_t size) {
  for (; size >= 3; edits += 3, size -= 3) file[(edits[0] * 256u + edits[1]) % file.size()] ^= edits[2];
  if (size > 0) file.resize(file.size() * edits[0] / 256);
  return file;
}

inline void WriteFileText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A tensor whose bytes follow from `seed`; bool holds only 0 and 1.
inline HostTensor SomeTensor(Dtype dtype, std::vector<int64_t> shape, int seed) {
  HostTensor tensor{dtype, std::move(shape), {}};
  const int64_t bytes = NumElements(tensor.shape) * ElementSize(dtype);
  for (int64_t i = 0; i < bytes; ++i) {
    const auto byte = static_cast<char>((i * 31 + int64_t{seed} * 17) % 251);
    tensor.data.push_back(dtype == v1::Dtype::bool_ ? static_cast<char>(byte & 1) : byte);
  }
  return tensor;
}

inline Baseline SomeBaseline(const std::string& id, int seed) {
  Baseline b;
  b.c.set_id(id);
  b.c.set_hash("0123456789abcdef0123456789abcde" + std::to_string(seed % 10));
  b.c.set_function("diopiAdd");
  b.c.set_operator_("add");
  b.c.set_dtype(v1::Dtype::float32);
  b.c.set_label("small");
  b.c.set_reveals("a tail of a vector loop");
  auto* argument = b.c.add_args();
  argument->set_name("input");
  auto* values = argument->mutable_tensor()->mutable_fill()->mutable_values();
  for (const double v : {-0.0, 0.1, 1e-300, std::numeric_limits<double>::infinity(), 5e-324}) {
    values->add_values(v);
  }
  argument->mutable_tensor()->add_shape(5);
  auto* judge = b.c.add_judges();
  judge->set_output("out");
  judge->set_kind(v1::Judge::MATH);
  judge->set_kf(3);
  b.inputs["input"] = SomeTensor(v1::Dtype::float32, {2, 3}, seed);
  b.inputs["tensors.0"] = SomeTensor(v1::Dtype::bfloat16, {5}, seed + 1);
  b.inputs["mask"] = SomeTensor(v1::Dtype::bool_, {4, 2}, seed + 2);
  b.inputs["empty"] = SomeTensor(v1::Dtype::int64, {3, 0}, seed);
  b.inputs["scalar"] = SomeTensor(v1::Dtype::float16, {}, seed + 3);
  b.references["out"] = SomeTensor(v1::Dtype::float64, {2, 3}, seed + 4);
  b.references["out.sigma"] = SomeTensor(v1::Dtype::float32, {2, 3}, seed + 5);
  return b;
}

inline bool SameTensors(const TensorMap& a, const TensorMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype == y.second.dtype && x.second.shape == y.second.shape &&
           x.second.data == y.second.data;
  });
}

}  // namespace diopi::baselines

#endif  // BASELINES_STORE_TESTING_H_
