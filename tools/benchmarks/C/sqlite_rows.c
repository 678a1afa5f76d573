// Raw SQLite writing rows in one transaction: the limits of the rows "rebuild".
//
// sqlite_rows FILE ROWS BATCH
//
// A row resembles that of an entry: 16 bytes of habit, a day, 16 bytes of entry, a value, 32 bytes
// of event ID. Rows are made in the order of days, as a log contains them. Each BATCH of them is
// sorted by key before it is inserted; a batch of 1 keeps the order of the log. As in a rebuild,
// the file is not protected against crashes until it is complete; then it is synced. Prints
// {"count", "seconds", "cpuSeconds"} of everything except opening the file.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timing.h"

static const uint64_t habit_count = 1000;

static void check(int code, sqlite3 *database, const char *what) {
  if (code == SQLITE_OK || code == SQLITE_DONE) return;
  fprintf(stderr, "sqlite_rows: %s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

// Expands a number into bytes that look random (splitmix64).
static uint64_t spread(uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

struct row {
  unsigned char habit[16];
  sqlite3_int64 day;
  uint64_t entry[2];
  uint64_t event[4];
};

static struct row make(uint64_t number) {
  struct row row = {
      .day = (sqlite3_int64)(number / habit_count),
      .entry = {spread(number), 2},
      .event = {__builtin_bswap64(number), spread(number + 3), 3, 4},
  };
  uint64_t habit[2] = {spread(number % habit_count), 1};
  memcpy(row.habit, habit, sizeof habit);
  return row;
}

static int compare(const void *left, const void *right) {
  const struct row *a = left, *b = right;
  int order = memcmp(a->habit, b->habit, sizeof a->habit);
  return order != 0 ? order : (a->day > b->day) - (a->day < b->day);
}

static void insert(sqlite3 *database, sqlite3_stmt *statement, const struct row *row) {
  sqlite3_bind_blob(statement, 1, row->habit, sizeof row->habit, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 2, row->day);
  sqlite3_bind_blob(statement, 3, row->entry, sizeof row->entry, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 4, 1000);
  sqlite3_bind_blob(statement, 5, row->event, sizeof row->event, SQLITE_STATIC);
  check(sqlite3_step(statement), database, "step");
  sqlite3_reset(statement);
}

static void insert_batch(sqlite3 *database, sqlite3_stmt *statement, struct row *batch,
                         uint64_t first, uint64_t count) {
  for (uint64_t index = 0; index < count; index++) batch[index] = make(first + index);
  if (count > 1) qsort(batch, count, sizeof *batch, compare);
  for (uint64_t index = 0; index < count; index++) insert(database, statement, &batch[index]);
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  uint64_t rows = strtoull(argv[2], NULL, 10), batch_rows = strtoull(argv[3], NULL, 10);
  struct row *batch = malloc(batch_rows * sizeof *batch);
  if (batch == NULL || batch_rows == 0) return 64;
  sqlite3 *database;
  sqlite3_stmt *statement;
  check(sqlite3_open(argv[1], &database), database, "open");
  check(sqlite3_exec(database,
                     "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                     "PRAGMA cache_size = -65536;"
                     "CREATE TABLE entry (habit BLOB NOT NULL, day INTEGER NOT NULL,"
                     " entry BLOB NOT NULL, value INTEGER NOT NULL, event BLOB NOT NULL,"
                     " PRIMARY KEY (habit, day, entry)) STRICT, WITHOUT ROWID;",
                     NULL, NULL, NULL),
        database, "set up");

  struct timing timing = timing_start();
  check(sqlite3_exec(database, "BEGIN", NULL, NULL, NULL), database, "begin");
  check(sqlite3_prepare_v2(database, "INSERT INTO entry VALUES (?, ?, ?, ?, ?)", -1, &statement,
                           NULL),
        database, "prepare");
  for (uint64_t first = 0; first < rows; first += batch_rows) {
    uint64_t rest = rows - first;
    insert_batch(database, statement, batch, first, rest < batch_rows ? rest : batch_rows);
  }
  sqlite3_finalize(statement);
  check(sqlite3_exec(database, "COMMIT", NULL, NULL, NULL), database, "commit");
  int file = open(argv[1], O_RDONLY);
  if (file < 0 || fsync(file) != 0) return 74;
  timing_print(timing, rows);
  close(file);
  sqlite3_close(database);
  free(batch);
  return 0;
}
