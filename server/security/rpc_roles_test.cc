#include "server/security/rpc_roles.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "diopi/v1/service.pb.h"

namespace diopi::server {
namespace {

// A new RPC fails here until it has a role.
TEST(RpcRolesTest, EveryRpcHasARoleAndANameOfItsOwn) {
  const google::protobuf::FileDescriptor* file = v1::GetRunRequest::descriptor()->file();
  std::set<std::string> names;
  for (int s = 0; s < file->service_count(); ++s) {
    for (int m = 0; m < file->service(s)->method_count(); ++m) {
      const std::string& name = file->service(s)->method(m)->name();
      EXPECT_TRUE(RoleOfRpc(name).ok()) << name;
      EXPECT_TRUE(names.insert(name).second) << name << " is in two services, but the table has only names";
    }
  }
  EXPECT_GE(names.size(), 7u);
}

TEST(RpcRolesTest, WhatIsNotInTheTableIsRefused) {
  for (const char* name : {"", "lease", "Lease ", "DropEverything", "diopi.v1.Conformance/Lease"}) {
    EXPECT_EQ(RoleOfRpc(name).status().code(), absl::StatusCode::kPermissionDenied) << name;
  }
}

TEST(RpcRolesTest, LookingIsForReadersAndDoingIsNot) {
  for (const char* name : {"GetServerInfo", "GetRun", "ListRuns", "ReadVerdicts"}) {
    EXPECT_EQ(*RoleOfRpc(name), Role::kRead);
  }
  for (const char* name : {"CreateRun", "Lease", "Report", "FinishRun"})
    EXPECT_EQ(*RoleOfRpc(name), Role::kRun);
}

}  // namespace
}  // namespace diopi::server
