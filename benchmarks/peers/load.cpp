#include <cstdio>

#include <dlfcn.h>

#include "peers.h"

namespace actinide::peers {

Table load(const std::string& isa) {
  const std::string path = std::string(ACTINIDE_PEERS_FOLDER) + "/libactinide_peers_" + isa + ".so";
  void* module = dlmopen(LM_ID_NEWLM, path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = module == nullptr ? nullptr : dlsym(module, "actinide_peers");
  if (symbol == nullptr) {
    std::fprintf(stderr, "no peers for %s: %s\n", isa.c_str(), dlerror());
    return {};
  }
  return reinterpret_cast<Table (*)()>(symbol)();
}

}  // namespace actinide::peers
