// Blocks by the SHA2 instructions of ARMv8.
#include "blocks.h"

#ifdef CHASH_ARM

#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

#define INSTRUCTIONS __attribute__((target("sha2")))
/// Inlined with a constant number of lanes, so that the loops over lanes disappear.
#define LANES static inline __attribute__((always_inline)) INSTRUCTIONS

bool chash_has_instructions(void) {
#if defined(__ARM_FEATURE_SHA2)
  return true;
#elif defined(__linux__)
  const unsigned long sha2 = 1 << 6;  // HWCAP_SHA2
  return (getauxval(AT_HWCAP) & sha2) != 0;
#else
  return false;
#endif
}

/// Adds a block to each of some states. The lanes do not depend on each other, so the processor
/// works on one while another waits for its result.
LANES void add(int lanes, uint32_t *const *states, const uint8_t *const *blocks) {
  uint32x4_t abcd[max_lanes], efgh[max_lanes], words[max_lanes][4];
  for (int lane = 0; lane < lanes; lane++) {
    abcd[lane] = vld1q_u32(states[lane]);
    efgh[lane] = vld1q_u32(states[lane] + 4);
    for (int quarter = 0; quarter < 4; quarter++) {
      uint8x16_t bytes = vld1q_u8(blocks[lane] + 16 * quarter);
      words[lane][quarter] = vreinterpretq_u32_u8(vrev32q_u8(bytes));
    }
  }
  // Four rounds at a time; the words of later rounds follow from those of the last sixteen.
#pragma clang loop unroll(full)
  for (int group = 0; group < 16; group++) {
    const uint32x4_t constants = vld1q_u32(chash_constants + 4 * group);
    for (int lane = 0; lane < lanes; lane++) {
      uint32x4_t *w = words[lane];
      if (group >= 4) {
        uint32x4_t sum = vsha256su0q_u32(w[group % 4], w[(group + 1) % 4]);
        w[group % 4] = vsha256su1q_u32(sum, w[(group + 2) % 4], w[(group + 3) % 4]);
      }
      uint32x4_t round = vaddq_u32(w[group % 4], constants), before = abcd[lane];
      abcd[lane] = vsha256hq_u32(before, efgh[lane], round);
      efgh[lane] = vsha256h2q_u32(efgh[lane], before, round);
    }
  }
  for (int lane = 0; lane < lanes; lane++) {
    vst1q_u32(states[lane], vaddq_u32(vld1q_u32(states[lane]), abcd[lane]));
    vst1q_u32(states[lane] + 4, vaddq_u32(vld1q_u32(states[lane] + 4), efgh[lane]));
  }
}

INSTRUCTIONS void chash_add_block(uint32_t *const states[1], const uint8_t *const blocks[1]) {
  add(1, states, blocks);
}

INSTRUCTIONS void chash_add_two_blocks(
    uint32_t *const states[2], const uint8_t *const blocks[2]) {
  add(2, states, blocks);
}

INSTRUCTIONS void chash_add_three_blocks(
    uint32_t *const states[3], const uint8_t *const blocks[3]) {
  add(3, states, blocks);
}

#endif
