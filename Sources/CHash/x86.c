// Blocks by the SHA extensions of x86.
#include "blocks.h"

#ifdef CHASH_X86

#include <cpuid.h>
#include <immintrin.h>

#define INSTRUCTIONS __attribute__((target("sha,sse4.1,ssse3")))
/// Inlined with a constant number of lanes, so that the loops over lanes disappear.
#define LANES static inline __attribute__((always_inline)) INSTRUCTIONS

bool chash_has_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/// Adds a block to each of some states. The lanes do not depend on each other, so the processor
/// works on one while another waits for its result.
LANES void add(int lanes, uint32_t *const *states, const uint8_t *const *blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  // The instructions keep the state's words in two registers: A B E F and C D G H.
  __m128i abef[max_lanes], cdgh[max_lanes], words[max_lanes][4];
  for (int lane = 0; lane < lanes; lane++) {
    const __m128i *state = (const __m128i *)states[lane];
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(state), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(state + 1), 0x1b);
    abef[lane] = _mm_alignr_epi8(badc, hgfe, 8);
    cdgh[lane] = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (int quarter = 0; quarter < 4; quarter++) {
      const __m128i *block = (const __m128i *)blocks[lane];
      words[lane][quarter] = _mm_shuffle_epi8(_mm_loadu_si128(block + quarter), big_endian);
    }
  }
  __m128i abef_before[max_lanes], cdgh_before[max_lanes];
  for (int lane = 0; lane < lanes; lane++) {
    abef_before[lane] = abef[lane];
    cdgh_before[lane] = cdgh[lane];
  }
  // Four rounds at a time; the words of later rounds follow from those of the last sixteen.
#pragma clang loop unroll(full)
  for (int group = 0; group < 16; group++) {
    const __m128i constants = _mm_loadu_si128((const __m128i *)(chash_constants + 4 * group));
    for (int lane = 0; lane < lanes; lane++) {
      __m128i *w = words[lane];
      if (group >= 4) {
        __m128i oldest = w[group % 4], second = w[(group + 1) % 4];
        __m128i third = w[(group + 2) % 4], newest = w[(group + 3) % 4];
        __m128i sum = _mm_add_epi32(
            _mm_sha256msg1_epu32(oldest, second), _mm_alignr_epi8(newest, third, 4));
        w[group % 4] = _mm_sha256msg2_epu32(sum, newest);
      }
      __m128i round = _mm_add_epi32(w[group % 4], constants);
      cdgh[lane] = _mm_sha256rnds2_epu32(cdgh[lane], abef[lane], round);
      round = _mm_shuffle_epi32(round, 0x0e);
      abef[lane] = _mm_sha256rnds2_epu32(abef[lane], cdgh[lane], round);
    }
  }
  for (int lane = 0; lane < lanes; lane++) {
    __m128i *state = (__m128i *)states[lane];
    __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef[lane], abef_before[lane]), 0x1b);
    __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh[lane], cdgh_before[lane]), 0xb1);
    _mm_storeu_si128(state, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128(state + 1, _mm_alignr_epi8(dchg, feba, 8));
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
