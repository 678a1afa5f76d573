// Preloaded into a process, it counts the calls on files below a folder. At one of them it makes
// the call fail, makes a write partial, or kills or stops the process; or it records all changes of
// the disk. tools/faulting/preloading.py compiles it and sets its environment:
//   FAULTS_BELOW    the folder, an absolute path without links
//   FAULTS_TRACE    a file that gets a line for each call: its number, class, name and path
//   FAULTS_AT       the number of the call
//   FAULTS_DO       fail, short, torn, kill or stop
//   FAULTS_ERRNO    with fail, the error's number
//   FAULTS_EVER     with fail, also every later call of these classes, as letters
//   FAULTS_JOURNAL  a file that gets what changes the disk, as tools/faulting/disk.py reads it
// Calls go directly to the kernel, so that nothing depends on the order of loading.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(...) syscall(__VA_ARGS__)
#define PATH_BYTES 4096

enum { NOTHING, FAIL, SHORT };

static char below[PATH_BYTES];
static size_t below_length;
static int trace_file = -1, journal_file = -1;
static long fault_at;
static const char *fault_do = "", *fault_ever = "";
static int fault_errno;
static long counted;
static int failing;
static pthread_mutex_t journal_lock = PTHREAD_MUTEX_INITIALIZER;

// A descriptor above all that a program opens, and above its limit.
static int open_high(const char *path) {
  int file = (int)REAL(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  int high = (int)REAL(SYS_fcntl, file, F_DUPFD_CLOEXEC, 200);
  if (high < 0) return file;
  REAL(SYS_close, file);
  return high;
}

__attribute__((constructor)) static void configure(void) {
  const char *value = getenv("FAULTS_BELOW");
  if (!value || strlen(value) >= PATH_BYTES) return;
  if ((value = getenv("FAULTS_TRACE"))) trace_file = open_high(value);
  if ((value = getenv("FAULTS_JOURNAL"))) journal_file = open_high(value);
  if ((value = getenv("FAULTS_DO"))) fault_do = value;
  if ((value = getenv("FAULTS_EVER"))) fault_ever = value;
  if ((value = getenv("FAULTS_ERRNO"))) fault_errno = atoi(value);
  if ((value = getenv("FAULTS_AT"))) fault_at = atol(value);
  strcpy(below, getenv("FAULTS_BELOW"));
  below_length = strlen(below);
}

static int is_below(const char *path) {
  return below_length && strncmp(path, below, below_length) == 0
    && (path[below_length] == '/' || path[below_length] == 0);
}

// Returns the path of an open file; empty if it is not below the folder.
static const char *path_of(int file, char *path) {
  char link[40];
  path[0] = 0;
  if (!below_length || file < 0) return path;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long length = REAL(SYS_readlinkat, AT_FDCWD, link, path, PATH_BYTES - 1);
  path[length > 0 ? length : 0] = 0;
  if (!is_below(path)) path[0] = 0;
  return path;
}

static const char *path_at(int directory, const char *name, char *path) {
  path[0] = 0;
  if (!below_length || !name) return path;
  if (name[0] == '/') {
    snprintf(path, PATH_BYTES, "%s", name);
  } else {
    char folder[PATH_BYTES];
    if (directory == AT_FDCWD) {
      long length = REAL(SYS_getcwd, folder, sizeof folder);
      if (length <= 0) return path;
    } else if (!*path_of(directory, folder)) {
      return path;
    }
    if (strlen(folder) + strlen(name) + 2 > PATH_BYTES) return path;
    strcpy(path, folder);
    strcat(path, "/");
    strcat(path, name);
  }
  if (!is_below(path)) path[0] = 0;
  return path;
}

static void trace(long number, char class, const char *name, const char *path) {
  char line[PATH_BYTES + 80];
  int length = snprintf(
    line, sizeof line, "%ld %c %s %s\n", number, class, name, path + below_length);
  if (length > (int)sizeof line) length = sizeof line;
  REAL(SYS_write, trace_file, line, (size_t)length);
}

static void lock_journal(void);

// Kills the process, but not while another thread is between a call and its record.
static void die(void) {
  if (journal_file >= 0) lock_journal();
  kill(getpid(), SIGKILL);
}

// Counts a call on a path below the folder and returns the fault. Classes: o open, r read, w write,
// s sync, z size, n names, m map, l lock, i inspect.
static int meet(char class, const char *name, const char *path) {
  if (!*path) return NOTHING;
  long number = __atomic_add_fetch(&counted, 1, __ATOMIC_SEQ_CST);
  if (trace_file >= 0) trace(number, class, name, path);
  if (number == fault_at) {
    if (!strcmp(fault_do, "kill")) die();
    if (!strcmp(fault_do, "stop")) raise(SIGSTOP);
    if (!strcmp(fault_do, "short") || !strcmp(fault_do, "torn")) return SHORT;
    if (!strcmp(fault_do, "fail")) {
      if (*fault_ever) __atomic_store_n(&failing, 1, __ATOMIC_SEQ_CST);
      errno = fault_errno;
      return FAIL;
    }
  } else if (__atomic_load_n(&failing, __ATOMIC_SEQ_CST) && strchr(fault_ever, class)) {
    errno = fault_errno;
    return FAIL;
  }
  return NOTHING;
}

// The bytes of a partial write. A write is torn between sectors: neither a disk nor a kill tears
// one of 512 bytes.
static size_t part_of(size_t count) {
  size_t half = (count + 1) / 2;
  return strcmp(fault_do, "torn") ? half : half & ~(size_t)511;
}

// Ends a partial write after its part.
static long after_part(long written) {
  if (!strcmp(fault_do, "torn")) die();
  return written;
}

// The journal: a record has a fixed header, two paths, and bytes.

struct head {
  uint32_t operation, is_synced;
  uint64_t file, offset, length;
  uint32_t path_length, other_length, byte_count, unused;
};

static void append_journal(
  struct head head, const char *path, const char *other, const void *data
) {
  head.path_length = path ? (uint32_t)strlen(path) : 0;
  head.other_length = other ? (uint32_t)strlen(other) : 0;
  head.byte_count = data ? (uint32_t)head.length : 0;
  struct iovec parts[] = {
    {&head, sizeof head}, {(void *)path, head.path_length}, {(void *)other, head.other_length},
    {(void *)data, head.byte_count}};
  REAL(SYS_writev, journal_file, parts, 4);
}

static uint64_t inode_of(int file) {
  struct stat status;
  return REAL(SYS_newfstatat, file, "", &status, AT_EMPTY_PATH) == 0 ? status.st_ino : 0;
}

static uint64_t inode_at(const char *path) {
  struct stat status;
  return REAL(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0
    ? status.st_ino : 0;
}

static int is_recorded(const char *path) { return journal_file >= 0 && *path; }

// The order of the records is that of the calls, also of several processes.
static void lock_journal(void) {
  int problem = errno;
  pthread_mutex_lock(&journal_lock);
  while (REAL(SYS_flock, journal_file, LOCK_EX) != 0 && errno == EINTR) {}
  errno = problem;
}

static void unlock_journal(void) {
  int problem = errno;
  REAL(SYS_flock, journal_file, LOCK_UN);
  pthread_mutex_unlock(&journal_lock);
  errno = problem;
}

static void record_write(int file, const char *path, const void *data, long count, long offset) {
  int flags = (int)REAL(SYS_fcntl, file, F_GETFL);
  int problem = errno;
  append_journal(
    (struct head){.operation = 'w', .is_synced = (flags & (O_DSYNC | O_SYNC)) != 0,
      .file = inode_of(file), .offset = (uint64_t)offset, .length = (uint64_t)count},
    path, NULL, data);
  errno = problem;
}

static void record_name(char operation, const char *path, const char *other, uint64_t file) {
  int problem = errno;
  append_journal(
    (struct head){.operation = (uint32_t)operation, .file = file}, path, other, NULL);
  errno = problem;
}

static void record_size(char operation, int file, const char *path, off_t offset, off_t length) {
  append_journal(
    (struct head){.operation = (uint32_t)operation, .file = inode_of(file),
      .offset = (uint64_t)offset, .length = (uint64_t)length},
    path, NULL, NULL);
}

// Opening.

static int open_at(int directory, const char *name, int flags, mode_t mode, const char *call) {
  char path[PATH_BYTES];
  path_at(directory, name, path);
  if (meet('o', call, path) == FAIL) return -1;
  if (!is_recorded(path)) return (int)REAL(SYS_openat, directory, name, flags, mode);
  lock_journal();
  uint64_t before = inode_at(path);
  int file = (int)REAL(SYS_openat, directory, name, flags, mode);
  if (file >= 0 && !before && (flags & O_CREAT)) record_name('c', path, NULL, inode_of(file));
  if (file >= 0 && before && (flags & O_TRUNC)) record_size('z', file, path, 0, 0);
  unlock_journal();
  return file;
}

#define MODE_OF(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *name, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, name, flags, mode, "open");
}
int open64(const char *name, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, name, flags, mode, "open");
}
int openat(int directory, const char *name, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(directory, name, flags, mode, "openat");
}
int openat64(int directory, const char *name, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(directory, name, flags, mode, "openat");
}
int creat(const char *name, mode_t mode) {
  return open_at(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode, "creat");
}

int mkstemp(char *template) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  size_t length = strlen(template);
  if (length < 6) return errno = EINVAL, -1;
  for (int attempt = 0; attempt < 100; attempt++) {
    unsigned char random[6];
    if (REAL(SYS_getrandom, random, sizeof random, 0) < 0) return -1;
    for (int index = 0; index < 6; index++)
      template[length - 6 + index] = letters[random[index] % 36];
    int file = open_at(AT_FDCWD, template, O_RDWR | O_CREAT | O_EXCL, 0600, "mkstemp");
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

DIR *opendir(const char *name) {
  static DIR *(*next)(const char *);
  char path[PATH_BYTES];
  if (meet('o', "opendir", path_at(AT_FDCWD, name, path)) == FAIL) return NULL;
  if (!next) next = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
  return next(name);
}

// Reading.

ssize_t read(int file, void *buffer, size_t count) {
  char path[PATH_BYTES];
  switch (meet('r', "read", path_of(file, path))) {
    case FAIL: return -1;
    case SHORT: return after_part(REAL(SYS_read, file, buffer, (count + 1) / 2));
    default: return REAL(SYS_read, file, buffer, count);
  }
}
ssize_t pread(int file, void *buffer, size_t count, off_t offset) {
  char path[PATH_BYTES];
  switch (meet('r', "pread", path_of(file, path))) {
    case FAIL: return -1;
    case SHORT: return after_part(REAL(SYS_pread64, file, buffer, (count + 1) / 2, offset));
    default: return REAL(SYS_pread64, file, buffer, count, offset);
  }
}
ssize_t pread64(int file, void *buffer, size_t count, off_t offset) {
  return pread(file, buffer, count, offset);
}

// Writing.

static long put(int file, const void *data, size_t count, off_t offset, int is_placed) {
  return is_placed ? REAL(SYS_pwrite64, file, data, count, offset)
                   : REAL(SYS_write, file, data, count);
}

static long put_recorded(
  int file, const char *path, const void *data, size_t count, off_t offset, int is_placed
) {
  if (!is_recorded(path)) return put(file, data, count, offset, is_placed);
  lock_journal();
  if (!is_placed) {
    int appends = REAL(SYS_fcntl, file, F_GETFL) & O_APPEND;
    struct stat status;
    offset = REAL(SYS_lseek, file, 0, SEEK_CUR);
    if (appends && REAL(SYS_newfstatat, file, "", &status, AT_EMPTY_PATH) == 0)
      offset = status.st_size;
  }
  long written = put(file, data, count, offset, is_placed);
  if (written > 0) record_write(file, path, data, written, offset);
  unlock_journal();
  return written;
}

static ssize_t write_any(
  int file, const void *data, size_t count, off_t offset, int is_placed, const char *name
) {
  char path[PATH_BYTES];
  path_of(file, path);
  switch (meet('w', name, path)) {
    case FAIL: return -1;
    case SHORT:
      return after_part(put_recorded(file, path, data, part_of(count), offset, is_placed));
    default: return put_recorded(file, path, data, count, offset, is_placed);
  }
}

ssize_t write(int file, const void *data, size_t count) {
  return write_any(file, data, count, 0, 0, "write");
}
ssize_t pwrite(int file, const void *data, size_t count, off_t offset) {
  return write_any(file, data, count, offset, 1, "pwrite");
}
ssize_t pwrite64(int file, const void *data, size_t count, off_t offset) {
  return write_any(file, data, count, offset, 1, "pwrite");
}

// Several parts are joined, so that one record and one partial write suffice.
static ssize_t write_parts(
  int file, const struct iovec *parts, int count, off_t offset, int is_placed, const char *name
) {
  char path[PATH_BYTES];
  if (!*path_of(file, path)) {
    // The high half of the offset is for 32-bit processes.
    return is_placed ? REAL(SYS_pwritev, file, parts, count, offset, 0)
                     : REAL(SYS_writev, file, parts, count);
  }
  size_t total = 0;
  for (int index = 0; index < count; index++) total += parts[index].iov_len;
  char *joined = malloc(total ? total : 1), *end = joined;
  if (!joined) return errno = ENOMEM, -1;
  for (int index = 0; index < count; index++)
    end = (char *)memcpy(end, parts[index].iov_base, parts[index].iov_len) + parts[index].iov_len;
  ssize_t written = write_any(file, joined, total, offset, is_placed, name);
  int problem = errno;
  free(joined);
  errno = problem;
  return written;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  return write_parts(file, parts, count, 0, 0, "writev");
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  return write_parts(file, parts, count, offset, 1, "pwritev");
}
ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t offset) {
  return write_parts(file, parts, count, offset, 1, "pwritev");
}

// Copies by the kernel are replaced by writes, so that they are counted and recorded.
ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
  char path[PATH_BYTES];
  if (!*path_of(to, path)) return REAL(SYS_sendfile, to, from, offset, count);
  char part[16384];
  if (count > sizeof part) count = sizeof part;
  long taken = offset ? REAL(SYS_pread64, from, part, count, *offset)
                      : REAL(SYS_read, from, part, count);
  if (taken <= 0) return taken;
  ssize_t written = write(to, part, (size_t)taken);
  if (offset && written > 0) *offset += written;
  return written;
}

// Syncing and sizes.

static int sync_file(int file, long number, char operation, const char *name) {
  char path[PATH_BYTES];
  path_of(file, path);
  if (meet('s', name, path) == FAIL) return -1;
  if (!is_recorded(path)) return (int)REAL(number, file);
  lock_journal();
  int result = (int)REAL(number, file);
  if (result == 0) record_name(operation, path, NULL, inode_of(file));
  unlock_journal();
  return result;
}
int fsync(int file) { return sync_file(file, SYS_fsync, 's', "fsync"); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync, 'd', "fdatasync"); }

int ftruncate(int file, off_t length) {
  char path[PATH_BYTES];
  path_of(file, path);
  if (meet('z', "ftruncate", path) == FAIL) return -1;
  if (!is_recorded(path)) return (int)REAL(SYS_ftruncate, file, length);
  lock_journal();
  int result = (int)REAL(SYS_ftruncate, file, length);
  if (result == 0) record_size('z', file, path, 0, length);
  unlock_journal();
  return result;
}
int ftruncate64(int file, off_t length) { return ftruncate(file, length); }

int fallocate(int file, int mode, off_t offset, off_t length) {
  char path[PATH_BYTES];
  path_of(file, path);
  if (meet('z', "fallocate", path) == FAIL) return -1;
  if (!is_recorded(path)) return (int)REAL(SYS_fallocate, file, mode, offset, length);
  lock_journal();
  int result = (int)REAL(SYS_fallocate, file, mode, offset, length);
  if (result == 0 && mode == 0) record_size('a', file, path, offset, length);
  unlock_journal();
  return result;
}
int fallocate64(int file, int mode, off_t offset, off_t length) {
  return fallocate(file, mode, offset, length);
}
int posix_fallocate(int file, off_t offset, off_t length) {
  int before = errno, result = fallocate(file, 0, offset, length) == 0 ? 0 : errno;
  errno = before;
  return result;
}
int posix_fallocate64(int file, off_t offset, off_t length) {
  return posix_fallocate(file, offset, length);
}

// Names.

static int rename_at(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  char path[PATH_BYTES], other[PATH_BYTES];
  path_at(from_folder, from, path);
  path_at(to_folder, to, other);
  if (meet('n', "rename", *path ? path : other) == FAIL) return -1;
  if (!is_recorded(path) || !*other)
    return (int)REAL(SYS_renameat2, from_folder, from, to_folder, to, flags);
  lock_journal();
  uint64_t file = inode_at(path);
  int result = (int)REAL(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (result == 0) record_name('r', path, other, file);
  unlock_journal();
  return result;
}
int rename(const char *from, const char *to) { return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int folder, const char *from, int other, const char *to) {
  return rename_at(folder, from, other, to, 0);
}
int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  return rename_at(folder, from, other, to, (int)flags);
}

static int unlink_at(int folder, const char *name, int flags, const char *call) {
  char path[PATH_BYTES];
  path_at(folder, name, path);
  if (meet('n', call, path) == FAIL) return -1;
  if (!is_recorded(path)) return (int)REAL(SYS_unlinkat, folder, name, flags);
  lock_journal();
  int result = (int)REAL(SYS_unlinkat, folder, name, flags);
  if (result == 0) record_name('u', path, NULL, 0);
  unlock_journal();
  return result;
}
int unlink(const char *name) { return unlink_at(AT_FDCWD, name, 0, "unlink"); }
int unlinkat(int folder, const char *name, int flags) {
  return unlink_at(folder, name, flags, "unlinkat");
}
int rmdir(const char *name) { return unlink_at(AT_FDCWD, name, AT_REMOVEDIR, "rmdir"); }

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  char path[PATH_BYTES], other[PATH_BYTES];
  path_at(from_folder, from, path);
  path_at(to_folder, to, other);
  if (meet('n', "link", other) == FAIL) return -1;
  if (!is_recorded(other)) return (int)REAL(SYS_linkat, from_folder, from, to_folder, to, flags);
  lock_journal();
  int result = (int)REAL(SYS_linkat, from_folder, from, to_folder, to, flags);
  if (result == 0) record_name('c', other, NULL, inode_at(other));
  unlock_journal();
  return result;
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int mkdirat(int folder, const char *name, mode_t mode) {
  char path[PATH_BYTES];
  path_at(folder, name, path);
  if (meet('n', "mkdir", path) == FAIL) return -1;
  if (!is_recorded(path)) return (int)REAL(SYS_mkdirat, folder, name, mode);
  lock_journal();
  int result = (int)REAL(SYS_mkdirat, folder, name, mode);
  if (result == 0) record_name('k', path, NULL, inode_at(path));
  unlock_journal();
  return result;
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int fchmod(int file, mode_t mode) {
  char path[PATH_BYTES];
  if (meet('n', "fchmod", path_of(file, path)) == FAIL) return -1;
  return (int)REAL(SYS_fchmod, file, mode);
}
int chmod(const char *name, mode_t mode) {
  char path[PATH_BYTES];
  if (meet('n', "chmod", path_at(AT_FDCWD, name, path)) == FAIL) return -1;
  return (int)REAL(SYS_fchmodat, AT_FDCWD, name, mode);
}

// Maps and locks.

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  char path[PATH_BYTES];
  if (file >= 0 && meet('m', "mmap", path_of(file, path)) == FAIL) return MAP_FAILED;
  return (void *)REAL(SYS_mmap, address, length, protection, flags, file, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  return mmap(address, length, protection, flags, file, offset);
}

int flock(int file, int operation) {
  char path[PATH_BYTES];
  if (!(operation & LOCK_UN) && meet('l', "flock", path_of(file, path)) == FAIL) return -1;
  return (int)REAL(SYS_flock, file, operation);
}

static int control(int file, int command, void *argument) {
  char path[PATH_BYTES];
  int takes = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK
    || command == F_OFD_SETLKW;
  if (takes && ((struct flock *)argument)->l_type != F_UNLCK
      && meet('l', "fcntl", path_of(file, path)) == FAIL)
    return -1;
  return (int)REAL(SYS_fcntl, file, command, argument);
}
int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  return control(file, command, argument);
}

// Inspecting.

static int look(int folder, const char *name, struct stat *status, int flags) {
  char path[PATH_BYTES];
  if (name && *name) path_at(folder, name, path); else path_of(folder, path);
  if (meet('i', "stat", path) == FAIL) return -1;
  return (int)REAL(SYS_newfstatat, folder, name, status, flags);
}
int stat(const char *name, struct stat *status) { return look(AT_FDCWD, name, status, 0); }
int lstat(const char *name, struct stat *status) {
  return look(AT_FDCWD, name, status, AT_SYMLINK_NOFOLLOW);
}
int fstat(int file, struct stat *status) { return look(file, "", status, AT_EMPTY_PATH); }
int fstatat(int folder, const char *name, struct stat *status, int flags) {
  return look(folder, name, status, flags);
}
int stat64(const char *name, struct stat64 *status) { return stat(name, (struct stat *)status); }
int lstat64(const char *name, struct stat64 *status) { return lstat(name, (struct stat *)status); }
int fstat64(int file, struct stat64 *status) { return fstat(file, (struct stat *)status); }
int __fxstat(int version, int file, struct stat *status) {
  (void)version;
  return fstat(file, status);
}
int access(const char *name, int mode) {
  char path[PATH_BYTES];
  if (meet('i', "access", path_at(AT_FDCWD, name, path)) == FAIL) return -1;
  return (int)REAL(SYS_faccessat, AT_FDCWD, name, mode);
}
