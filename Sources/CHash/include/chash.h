#ifndef CHASH_H
#define CHASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// SHA-256 (FIPS 180-4) by the processor's own instructions: SHA extensions on x86, SHA2 on ARMv8.
// Call the other functions only if chash_is_available returns true.

/// Whether this processor has instructions for SHA-256.
bool chash_is_available(void);

/// Writes the digest of a message, 32 bytes, to `digest`.
void chash_sha256(const void *message, size_t count, void *digest);

/// Messages of the same size, each of which contains the first bytes of the previous digest.
struct chash_chain {
  /// The messages, one after the other.
  void *messages;
  size_t message_count;
  size_t message_size;
  /// The place in each message of a part of the digest before. That of the first is there already.
  size_t part_offset;
  size_t part_size;
  /// The place for the digests, one after the other.
  void *digests;
};

/// A message of any size.
struct chash_message {
  const void *bytes;
  size_t count;
};

/// Writes the digests of two messages to `digests`, one after the other, and those of a chain.
///
/// They are computed at the same time, which takes less time than one after the other: each step of
/// a digest waits for the step before.
void chash_sha256_beside(
    struct chash_message first, struct chash_message second, void *digests,
    struct chash_chain chain);

#endif
