// Divides messages into blocks and pads them, for every processor.
#include <string.h>

#include "blocks.h"
#include "chash.h"

#if defined(CHASH_X86) || defined(CHASH_ARM)

enum { block_size = 64, digest_size = 32 };

const uint32_t chash_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/// A message as blocks: the complete ones are read in place, and the rest is padded in a copy.
struct blocks {
  const uint8_t *message;
  size_t complete_count;
  size_t count;
  uint8_t end[2 * block_size];
};

/// The end of a message is followed by one bit, then zeros, then the length in bits.
static void divide(struct blocks *blocks, const void *message, size_t count) {
  size_t rest = count % block_size;
  size_t end_size = rest + 1 + 8 <= block_size ? block_size : 2 * block_size;
  uint64_t bit_count = __builtin_bswap64((uint64_t)count * 8);
  blocks->message = message;
  blocks->complete_count = count / block_size;
  blocks->count = blocks->complete_count + end_size / block_size;
  memset(blocks->end, 0, end_size);
  if (rest > 0) memcpy(blocks->end, blocks->message + (count - rest), rest);
  blocks->end[rest] = 0x80;
  memcpy(blocks->end + end_size - sizeof bit_count, &bit_count, sizeof bit_count);
}

static const uint8_t *block(const struct blocks *blocks, size_t index) {
  return index < blocks->complete_count
             ? blocks->message + index * block_size
             : blocks->end + (index - blocks->complete_count) * block_size;
}

/// The first 32 bits of the fractional parts of the square roots of the first 8 primes.
static const uint32_t first_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/// Adds the blocks from `index` on, and writes the digest.
static void finish(uint32_t state[8], const struct blocks *blocks, size_t index, void *digest) {
  for (; index < blocks->count; index++) chash_add_block(state, block(blocks, index));
  for (int word = 0; word < 8; word++) state[word] = __builtin_bswap32(state[word]);
  memcpy(digest, state, digest_size);
}

bool chash_is_available(void) { return chash_has_instructions(); }

void chash_sha256(const void *message, size_t count, void *digest) {
  struct blocks blocks;
  uint32_t state[8];
  divide(&blocks, message, count);
  memcpy(state, first_state, sizeof state);
  finish(state, &blocks, 0, digest);
}

void chash_sha256_of_two(const void *const messages[2], const size_t counts[2], void *digests) {
  struct blocks one, other;
  uint32_t states[2][8];
  divide(&one, messages[0], counts[0]);
  divide(&other, messages[1], counts[1]);
  memcpy(states[0], first_state, sizeof first_state);
  memcpy(states[1], first_state, sizeof first_state);
  size_t shared = one.count < other.count ? one.count : other.count;
  for (size_t index = 0; index < shared; index++) {
    const uint8_t *const next[2] = {block(&one, index), block(&other, index)};
    chash_add_two_blocks(states, next);
  }
  finish(states[0], &one, shared, digests);
  finish(states[1], &other, shared, (uint8_t *)digests + digest_size);
}

#else

bool chash_is_available(void) { return false; }
void chash_sha256(const void *message, size_t count, void *digest) { __builtin_trap(); }
void chash_sha256_of_two(const void *const messages[2], const size_t counts[2], void *digests) {
  __builtin_trap();
}

#endif
