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

/// Writes the digests of two messages to `digests`, one after the other.
///
/// Both are computed at the same time, which takes about three quarters of the time of two calls.
void chash_sha256_of_two(const void *const messages[2], const size_t counts[2], void *digests);

#endif
