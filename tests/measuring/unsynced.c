/* A disk that loses unsynced writes, for the kill tests.  It is preloaded into the process that is killed, and keeps a
 * copy, NAME.durable, of what was synced of every file below FORGETS.  After the kill the copy replaces the file, so that
 * everything written and not synced is lost.  It wraps only the functions that SQLite calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 4096
#define RANGES 65536

typedef struct { off_t from, to; } range;
static struct { range *dirty; int count; } files[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether a path is wrapped: the store and its WAL, not the shared memory. */
static int watched(int fd, char *path) {
    char link[64];
    const char *prefix = getenv("FORGETS");
    if (!prefix || fd < 0 || fd >= FILES) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 16);
    if (length <= 0) return 0;
    path[length] = 0;
    return !strncmp(path, prefix, strlen(prefix)) && !strstr(path, "-shm") && !strstr(path, ".lock");
}

static void mark(int fd, off_t from, off_t to) {
    char path[PATH_MAX];
    if (from >= to || !watched(fd, path)) return;
    pthread_mutex_lock(&lock);
    if (!files[fd].dirty) files[fd].dirty = malloc(RANGES * sizeof(range));
    int last = files[fd].count - 1;
    if (last >= 0 && files[fd].dirty[last].to == from) files[fd].dirty[last].to = to;
    else if (files[fd].count < RANGES) files[fd].dirty[files[fd].count++] = (range){from, to};
    else { files[fd].dirty[0] = (range){0, LONG_MAX}; files[fd].count = 1; }
    pthread_mutex_unlock(&lock);
}

static void keep(int fd) {
    static char buffer[1 << 16];
    char path[PATH_MAX];
    struct stat now;
    if (!watched(fd, path) || fstat(fd, &now)) return;
    strcat(path, ".durable");
    pthread_mutex_lock(&lock);
    ssize_t (*put)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
    int copy = open(path, O_WRONLY | O_CREAT, 0600);
    for (int index = 0; index < files[fd].count; index++) {
        off_t at = files[fd].dirty[index].from, to = files[fd].dirty[index].to;
        while (at < to && at < now.st_size) {
            size_t most = to - at < (off_t)sizeof buffer ? (size_t)(to - at) : sizeof buffer;
            ssize_t got = pread(fd, buffer, most, at);
            if (got <= 0) break;
            put(copy, buffer, got, at);
            at += got;
        }
    }
    files[fd].count = 0;
    if (ftruncate(copy, now.st_size)) abort();
    close(copy);
    pthread_mutex_unlock(&lock);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    ssize_t done = real(fd, from, size, at);
    mark(fd, at, at + done);
    return done;
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { return pwrite64(fd, from, size, at); }

int fdatasync(int fd) { keep(fd); return 0; }

int fsync(int fd) { keep(fd); return 0; }
