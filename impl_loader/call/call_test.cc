#include "impl_loader/call/call.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <thread>

namespace diopi::loader {
namespace {

// Stand-ins for a library's functions; each has the signature of the ABI function it is called as.
struct Odd {};
diopiError_t Returns1000(diopiContextHandle_t, diopiTensorHandle_t) {
  return diopiDtypeNotSupported;
}
diopiError_t ThrowsRuntime(diopiContextHandle_t, diopiTensorHandle_t) {
  throw std::runtime_error("no int8");
}
diopiError_t ThrowsString(diopiContextHandle_t, diopiTensorHandle_t) {
  throw std::string("as a string");
}
diopiError_t ThrowsText(diopiContextHandle_t, diopiTensorHandle_t) {
  throw "as text";
}
diopiError_t ThrowsInt(diopiContextHandle_t, diopiTensorHandle_t) {
  throw 7;
}
diopiError_t ThrowsOdd(diopiContextHandle_t, diopiTensorHandle_t) {
  throw Odd();
}

using ReluInp = diopiError_t (*)(diopiContextHandle_t, diopiTensorHandle_t);

absl::StatusOr<CallResult> CallReluInp(ReluInp function) {
  int something = 0;
  return CallFunction(reinterpret_cast<void*>(function), *abi::FindFunction("diopiReluInp"), nullptr,
                      {static_cast<void*>(&something)});
}

TEST(CallTest, ReturnsTheErrorCode) {
  const auto result = CallReluInp(&Returns1000);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->kind, CallResult::Kind::kReturned);
  EXPECT_EQ(result->error_code, 1000);
}

TEST(CallTest, ReportsExceptions) {
  struct Row {
    ReluInp function;
    const char* text;
  };
  for (const Row& row : {Row{&ThrowsRuntime, "std::runtime_error: no int8"}, Row{&ThrowsInt, "int"},
                         Row{&ThrowsText, "char const*: as text"},
                         Row{&ThrowsOdd, "diopi::loader::(anonymous namespace)::Odd"}}) {
    const auto result = CallReluInp(row.function);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->kind, CallResult::Kind::kException);
    EXPECT_EQ(result->exception, row.text);
  }
  const auto string = CallReluInp(&ThrowsString);
  ASSERT_TRUE(string.ok());
  EXPECT_NE(string->exception.find("basic_string"), std::string::npos) << string->exception;
  EXPECT_NE(string->exception.find(": as a string"), std::string::npos) << string->exception;
}

diopiError_t NeverCalled() {
  ADD_FAILURE() << "called in spite of a bad argument";
  return diopiSuccess;
}

// One function with one parameter of the kind under test; the fitting and the unfitting values.
struct Row {
  const char* what;
  abi::Kind kind;
  bool nullable;
  ArgValue value;
  const char* error;  // null: fits
};

diopiError_t Accepts(diopiContextHandle_t) {
  return diopiSuccess;
}

TEST(CallTest, ChecksArguments) {
  static int64_t three[] = {1, 2, 3};
  void* const pointer = three;
  const int64_t big = int64_t{1} << 31;
  const double infinity = std::numeric_limits<double>::infinity();
  const Row rows[] = {
      {"int at its end", abi::INT, false, big - 1, nullptr},
      {"int past its end", abi::INT, false, big, "2147483648 is outside"},
      {"int before its start", abi::INT32, false, -big - 1, "-2147483649 is outside"},
      {"int64 takes all", abi::INT64, false, std::numeric_limits<int64_t>::min(), nullptr},
      {"a double is no integer", abi::INT64, false, 1.0, "takes an integer, not a floating number"},
      {"a bool is no integer", abi::INT64, false, true, "takes an integer, not a bool"},
      {"null is no integer", abi::INT64, false, ArgNull{}, "takes an integer, not null"},
      {"bool", abi::BOOL, false, true, nullptr},
      {"bool as integer", abi::BOOL, false, int64_t{1}, nullptr},
      {"bool out of range", abi::BOOL, false, int64_t{2}, "2 is outside 0 to 1"},
      {"reduction", abi::REDUCTION, false, int64_t{2}, nullptr},
      {"reduction out of range", abi::REDUCTION, false, int64_t{3}, "3 is outside 0 to 2"},
      {"round mode out of range", abi::ROUND_MODE, false, int64_t{-1}, "-1 is outside 0 to 2"},
      {"memory format", abi::MEMORY_FORMAT, false, int64_t{4}, nullptr},
      {"memory format out of range", abi::MEMORY_FORMAT, false, int64_t{5}, "5 is outside 0 to 4"},
      {"float", abi::FLOAT, false, 1e-300, nullptr},
      {"float infinity", abi::FLOAT, false, infinity, nullptr},
      {"float overflow", abi::FLOAT, false, 1e300, "1e+300 does not fit a float"},
      {"an integer is no float", abi::FLOAT, false, int64_t{1}, "takes a floating number, not an integer"},
      {"double", abi::DOUBLE, false, 1e300, nullptr},
      {"tensor", abi::TENSOR, false, pointer, nullptr},
      {"null tensor", abi::TENSOR, false, ArgNull{}, "may not be null"},
      {"null pointer", abi::TENSOR, false, static_cast<void*>(nullptr), "may not be null"},
      {"nullable tensor", abi::CONST_TENSOR, true, ArgNull{}, nullptr},
      {"an integer is no tensor", abi::TENSOR, true, int64_t{1}, "takes a thing, not an integer"},
      {"a size is no pointer", abi::SIZE_POINTER, true, diopiSize_t{three, 3},
       "takes a thing, not a size list"},
      {"null string", abi::STRING, false, ArgNull{}, "may not be null"},
      {"size", abi::SIZE, false, diopiSize_t{three, 3}, nullptr},
      {"empty size", abi::SIZE, false, diopiSize_t{nullptr, 0}, nullptr},
      {"size without data", abi::SIZE, false, diopiSize_t{nullptr, 2}, "length 2 has no data"},
      {"negative size", abi::SIZE, false, diopiSize_t{three, -1}, "length -1 has no data"},
      {"a pointer is no size", abi::SIZE, false, pointer, "takes a size list, not a pointer"},
      {"other kinds", abi::OTHER, false, pointer, "cannot be passed"},
      {"a second context", abi::CONTEXT, false, pointer, "cannot be passed"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    abi::Function function;
    function.set_name("diopiX");
    function.add_param()->set_kind(abi::CONTEXT);
    abi::Param* param = function.add_param();
    param->set_name("p");
    param->set_kind(row.kind);
    param->set_nullable(row.nullable);
    param->set_c_type("thing");
    void* symbol =
        row.error == nullptr ? reinterpret_cast<void*>(&Accepts) : reinterpret_cast<void*>(&NeverCalled);
    const auto result = CallFunction(symbol, function, nullptr, {row.value});
    if (row.error == nullptr) {
      EXPECT_TRUE(result.ok()) << result.status();
      continue;
    }
    ASSERT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(result.status().message()).find(row.error), std::string::npos) << result.status();
    EXPECT_EQ(std::string(result.status().message()).rfind("diopiX.p: ", 0), 0u) << result.status();
  }
}

TEST(CallTest, RefusesWhatIsNoCall) {
  const abi::Function& relu = *abi::FindFunction("diopiReluInp");
  void* symbol = reinterpret_cast<void*>(&NeverCalled);
  EXPECT_FALSE(CallFunction(nullptr, relu, nullptr, {ArgNull{}}).ok());
  EXPECT_EQ(CallFunction(symbol, relu, nullptr, {}).status().message(),
            "diopiReluInp takes 1 arguments after the context, not 0");
  EXPECT_FALSE(CallFunction(symbol, *abi::MetaFunctions().front(), nullptr, {}).ok());
  const abi::Function& cat = *abi::FindFunction("diopiCat");
  int64_t handle = 0;
  void* p = &handle;
  EXPECT_EQ(CallFunction(symbol, cat, nullptr, {p, p, int64_t{-1}, int64_t{0}}).status().message(),
            "diopiCat.tensors: its count 'num_inputs' is -1");
}

diopiError_t ReturnsDims(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t,
                         diopiSize_t dims) {
  return static_cast<diopiError_t>(dims.data[dims.len - 1]);
}

TEST(CallTest, IsThreadSafe) {
  const abi::Function& permute = *abi::FindFunction("diopiPermute");
  const auto work = [&](int64_t base) {
    for (int64_t i = 0; i < 2000; ++i) {
      const int64_t data[] = {0, base + i % 500};
      int64_t tensor = 0;
      void* p = &tensor;
      const auto result =
          CallFunction(reinterpret_cast<void*>(&ReturnsDims), permute, nullptr, {p, p, diopiSize_t{data, 2}});
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_EQ(result->error_code, base + i % 500);
    }
  };
  std::thread other(work, 500);
  work(0);
  other.join();
}

}  // namespace
}  // namespace diopi::loader
