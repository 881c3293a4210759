/* elf_odd needs this library, which is on no search path. Its old symbol serves old programs only. */
int elf_dependency_answer(void);
int elf_dependency_answer(void) {
  return 42;
}

int elf_dependency_current(void);
int elf_dependency_current(void) {
  return 2;
}
int elf_dependency_first(void);
int elf_dependency_first(void) {
  return 1;
}
__asm__(".symver elf_dependency_first, elf_dependency_gone@V1");
