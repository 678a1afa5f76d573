// What the code of each processor provides to the code that all share.
#ifndef CHASH_BLOCKS_H
#define CHASH_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#define CHASH_X86 1
#elif defined(__aarch64__)
#define CHASH_ARM 1
#endif

/// The constants of the 64 rounds: the first 32 bits of the fractional parts of the cube roots of
/// the first 64 primes.
extern const uint32_t chash_constants[64];

/// Whether the processor has the instructions.
bool chash_has_instructions(void);

/// The greatest number of messages that are digested at the same time.
enum { max_lanes = 3 };

/// Adds one block of 64 bytes to a state of 8 words.
void chash_add_block(uint32_t *const states[1], const uint8_t *const blocks[1]);

/// Adds one block to each of two states.
void chash_add_two_blocks(uint32_t *const states[2], const uint8_t *const blocks[2]);

/// Adds one block to each of three states.
void chash_add_three_blocks(uint32_t *const states[3], const uint8_t *const blocks[3]);

#endif
