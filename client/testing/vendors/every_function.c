/* Every function of the ABI, each with the same answer and without an effect. What a function is handed does
   not matter to one that looks at nothing, so the signatures are left out. */
#define EACH(name) \
  int name(void);  \
  int name(void) { \
    return ANSWER; \
  }
#include "abi_functions.inc"
