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

/// A message that is being digested.
struct lane {
  struct blocks blocks;
  size_t index;
  uint32_t state[8];
};

static void start(struct lane *lane, const void *message, size_t count) {
  divide(&lane->blocks, message, count);
  lane->index = 0;
  memcpy(lane->state, first_state, sizeof first_state);
}

static bool is_running(const struct lane *lane) { return lane->index < lane->blocks.count; }

static void write_digest(struct lane *lane, void *digest) {
  for (int word = 0; word < 8; word++) lane->state[word] = __builtin_bswap32(lane->state[word]);
  memcpy(digest, lane->state, digest_size);
}

/// Adds a block to each lane that is running, and returns whether any was.
static bool step(struct lane *lanes) {
  uint32_t *states[max_lanes];
  const uint8_t *blocks[max_lanes];
  int count = 0;
  for (struct lane *lane = lanes; lane < lanes + max_lanes; lane++) {
    if (!is_running(lane)) continue;
    states[count] = lane->state;
    blocks[count++] = block(&lane->blocks, lane->index++);
  }
  if (count == 1) chash_add_block(states, blocks);
  if (count == 2) chash_add_two_blocks(states, blocks);
  if (count == 3) chash_add_three_blocks(states, blocks);
  return count > 0;
}

bool chash_is_available(void) { return chash_has_instructions(); }

void chash_sha256(const void *message, size_t count, void *digest) {
  struct lane lane;
  uint32_t *const state = lane.state;
  start(&lane, message, count);
  while (is_running(&lane)) {
    const uint8_t *const next = block(&lane.blocks, lane.index++);
    chash_add_block(&state, &next);
  }
  write_digest(&lane, digest);
}

void chash_sha256_beside(
    struct chash_message first, struct chash_message second, void *digests,
    struct chash_chain chain) {
  struct lane lanes[max_lanes], *const link = &lanes[2];
  start(&lanes[0], first.bytes, first.count);
  start(&lanes[1], second.bytes, second.count);
  link->index = link->blocks.count = 0;
  uint8_t *message = chain.messages, *digest = chain.digests;
  uint8_t *const end = message + chain.message_count * chain.message_size;
  if (message < end) start(link, message, chain.message_size);
  while (step(lanes)) {
    if (message == end || is_running(link)) continue;
    write_digest(link, digest);
    message += chain.message_size;
    if (message == end) continue;
    memcpy(message + chain.part_offset, digest, chain.part_size);
    start(link, message, chain.message_size);
    digest += digest_size;
  }
  write_digest(&lanes[0], digests);
  write_digest(&lanes[1], (uint8_t *)digests + digest_size);
}

#else

bool chash_is_available(void) { return false; }
void chash_sha256(const void *message, size_t count, void *digest) { __builtin_trap(); }
void chash_sha256_beside(
    struct chash_message first, struct chash_message second, void *digests,
    struct chash_chain chain) {
  __builtin_trap();
}

#endif
