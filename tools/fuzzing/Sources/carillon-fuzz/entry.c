#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls. Both are written in Swift, in FuzzTargets. */
void carillon_fuzz_begin(void);
void carillon_fuzz_input(const uint8_t *bytes, size_t count);

int LLVMFuzzerInitialize(int *argumentCount, char ***arguments) {
  (void)argumentCount;
  (void)arguments;
  carillon_fuzz_begin();
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  carillon_fuzz_input(bytes, count);
  return 0;
}
