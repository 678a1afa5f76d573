// Raw SQLite inserting the rows that the event log on SQLite inserts: the limit of the row
// "append-sqlite".
//
// sqlite_append FILE EVENTS BATCH PAYLOAD_BYTES
//
// One row is a position, a branch, a sequence, an ID of 32 bytes, the payload and a NULL. Each
// batch is one durable commit in WAL mode, which also replaces the row of the run and the row of
// the branch. Prints {"count", "seconds", "cpuSeconds"} of the inserts and commits.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

static sqlite3 *db;

static void check(int code, const char *what) {
  if (code == SQLITE_OK || code == SQLITE_DONE) return;
  fprintf(stderr, "sqlite_append: %s: %s\n", what, sqlite3_errmsg(db));
  exit(1);
}

static void run(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL), sql); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), sql);
  return statement;
}

static void step(sqlite3_stmt *statement) {
  check(sqlite3_step(statement), "step");
  sqlite3_reset(statement);
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  uint64_t events = strtoull(argv[2], NULL, 10), batch = strtoull(argv[3], NULL, 10);
  int size = atoi(argv[4]);
  unsigned char id[32], row[76], *payload = malloc(size);
  if (payload == NULL || batch == 0) return 64;
  memset(payload, 0xA5, size);
  memset(id, 0xA5, sizeof id);
  memset(row, 0xA5, sizeof row);

  check(sqlite3_open(argv[1], &db), "open");
  run("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "PRAGMA secure_delete = ON;"
      "CREATE TABLE event(position INTEGER PRIMARY KEY, branch INTEGER NOT NULL,"
      " sequence INTEGER NOT NULL, id BLOB NOT NULL, payload BLOB, erasure BLOB) STRICT;"
      "CREATE TABLE run(branch INTEGER NOT NULL, sequence INTEGER NOT NULL,"
      " position INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (branch, sequence))"
      " STRICT, WITHOUT ROWID;"
      "CREATE TABLE branch(number INTEGER PRIMARY KEY, value BLOB NOT NULL) STRICT");
  sqlite3_stmt *insert = prepare("INSERT INTO event VALUES(?1, 0, ?1, ?2, ?3, NULL)");
  sqlite3_stmt *extend = prepare("REPLACE INTO run VALUES(0, 1, 1, ?1)");
  sqlite3_stmt *head = prepare("REPLACE INTO branch VALUES(0, ?1)");

  struct timing timing = timing_start();
  for (uint64_t done = 0; done < events;) {
    uint64_t end = events - done < batch ? events : done + batch;
    run("BEGIN IMMEDIATE");
    for (; done < end; done++) {
      memcpy(id, &done, sizeof done);
      sqlite3_bind_int64(insert, 1, (sqlite3_int64)(done + 1));
      sqlite3_bind_blob(insert, 2, id, sizeof id, SQLITE_STATIC);
      sqlite3_bind_blob(insert, 3, payload, size, SQLITE_STATIC);
      step(insert);
    }
    sqlite3_bind_int64(extend, 1, (sqlite3_int64)done);
    step(extend);
    sqlite3_bind_blob(head, 1, row, sizeof row, SQLITE_STATIC);
    step(head);
    run("COMMIT");
  }
  timing_print(timing, events);
  return 0;
}
