/* Imports getenv in all the ways in which a library can: as a call, and as an address in its data. */
#include <stdlib.h>

char* (*elf_imports_address)(const char*) = getenv;

char* elf_imports_call(const char* name);
char* elf_imports_call(const char* name) {
  return getenv(name);
}

char* elf_imports_through_address(const char* name);
char* elf_imports_through_address(const char* name) {
  return elf_imports_address(name);
}

/* An import that nobody redirects. */
int elf_imports_other(const char* text);
int elf_imports_other(const char* text) {
  return atoi(text);
}
