#include "proto/abi/abi.h"

#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "proto/abi/abi_data.h"

namespace diopi::abi {
namespace {

struct Tables {
  Abi abi;
  std::vector<const Function*> functions, runtime, device, meta;
  std::unordered_map<std::string_view, const Function*> by_name;  // operators
  std::unordered_map<std::string_view, std::string_view> header_of;
};

void AddHeader(const Header& header, std::vector<const Function*>* list, Tables* tables) {
  for (const Function& function : header.function()) {
    list->push_back(&function);
    tables->header_of[function.name()] = header.file();
  }
}

const Tables* MakeTables() {
  auto* tables = new Tables;
  if (!tables->abi.ParseFromArray(kAbiData, static_cast<int>(kAbiDataSize))) {
    std::fputs("diopi: the embedded ABI cannot be parsed; the build is broken\n", stderr);
    std::abort();
  }
  for (const Header& header : tables->abi.operators()) AddHeader(header, &tables->functions, tables);
  AddHeader(tables->abi.runtime(), &tables->runtime, tables);
  AddHeader(tables->abi.device(), &tables->device, tables);
  AddHeader(tables->abi.meta(), &tables->meta, tables);
  for (const Function* function : tables->functions) tables->by_name[function->name()] = function;
  return tables;
}

// Never destroyed: other statics may still read it at exit.
const Tables& GetTables() {
  static const Tables* const tables = MakeTables();
  return *tables;
}

}  // namespace

const std::vector<const Function*>& Functions() {
  return GetTables().functions;
}

const Function* FindFunction(std::string_view name) {
  const auto it = GetTables().by_name.find(name);
  return it == GetTables().by_name.end() ? nullptr : it->second;
}

const std::vector<const Function*>& RuntimeFunctions() {
  return GetTables().runtime;
}
const std::vector<const Function*>& DeviceFunctions() {
  return GetTables().device;
}
const std::vector<const Function*>& MetaFunctions() {
  return GetTables().meta;
}

std::string_view HeaderOf(std::string_view function) {
  const auto it = GetTables().header_of.find(function);
  return it == GetTables().header_of.end() ? std::string_view() : it->second;
}

const Param* FindParam(const Function& function, std::string_view name) {
  for (const Param& param : function.param()) {
    if (param.name() == name) return &param;
  }
  return nullptr;
}

}  // namespace diopi::abi
