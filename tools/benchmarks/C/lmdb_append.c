// Raw LMDB writing the records that the event log writes: the limit of the row "append".
//
// lmdb_append DIRECTORY EVENTS BATCH PAYLOAD_BYTES
//
// One record is a position of 8 bytes, then 44 bytes (branch, sequence, ID) and the payload. Each
// batch is one durable commit. Prints {"count", "seconds", "cpuSeconds"} of the writes and commits.
#include <lmdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "timing.h"

static void check(int code, const char *what) {
  if (code == 0) return;
  fprintf(stderr, "lmdb_append: %s: %s\n", what, mdb_strerror(code));
  exit(1);
}

static void put_batch(MDB_env *env, MDB_dbi dbi, uint64_t first, uint64_t count, MDB_val *value) {
  MDB_txn *txn;
  check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
  for (uint64_t position = first; position < first + count; position++) {
    uint64_t key_bytes = __builtin_bswap64(position);
    MDB_val key = {sizeof key_bytes, &key_bytes};
    memcpy((char *)value->mv_data + 4, &key_bytes, sizeof key_bytes);
    check(mdb_put(txn, dbi, &key, value, MDB_APPEND), "put");
  }
  check(mdb_txn_commit(txn), "commit");
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  uint64_t events = strtoull(argv[2], NULL, 10), batch = strtoull(argv[3], NULL, 10);
  size_t size = 44 + strtoull(argv[4], NULL, 10);
  MDB_val value = {size, malloc(size)};
  if (value.mv_data == NULL || batch == 0) return 64;
  memset(value.mv_data, 0xA5, size);

  mkdir(argv[1], 0777);
  MDB_env *env;
  MDB_txn *txn;
  MDB_dbi dbi;
  check(mdb_env_create(&env), "create");
  check(mdb_env_set_mapsize(env, (size_t)1 << 33), "set the map's size");
  check(mdb_env_open(env, argv[1], 0, 0666), "open");
  check(mdb_txn_begin(env, NULL, 0, &txn), "begin");
  check(mdb_dbi_open(txn, NULL, 0, &dbi), "open the database");
  check(mdb_txn_commit(txn), "commit");

  struct timing timing = timing_start();
  for (uint64_t done = 0; done < events; done += batch) {
    put_batch(env, dbi, done + 1, events - done < batch ? events - done : batch, &value);
  }
  timing_print(timing, events);
  mdb_env_close(env);
  return 0;
}
