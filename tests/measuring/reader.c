/* Many clients of one WebSocket server that use little CPU: they count messages and read only headers.
 *
 * reader PORT COUNT STALLED PATH OFFER LOOK_US
 *
 * They read every LOOK_US microseconds, or as soon as bytes arrive if that is 0.  Waking a process for each message costs
 * the sender on the same machine more than the sending; clients on other machines cost it nothing.
 *
 * The first STALLED sockets read nothing until the command "read".  With an empty PATH there is no handshake.  OFFER is
 * the value of Sec-WebSocket-Extensions, or empty.  Lines on stdin:
 *   expect K   "armed", then "done BYTES P50 P99 LAST GAPS" once every reading socket has had K more text messages;
 *              the three are times of the monotonic clock in nanoseconds
 *   upto P     the same once every reading socket has had the frame with position P
 *   read       the stalled sockets begin to read: "reading"
 * BYTES are those received since the line before.  GAPS counts frames whose position does not follow the one before. */

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MARK "{\"kind\":\"frame\",\"position\":"
#define PREFIX 64

struct client {
    int fd, reading, have_header;
    unsigned char header[10];
    int header_size;
    uint64_t left;
    char prefix[PREFIX];
    int prefix_size;
    long messages, position, target;
    uint64_t reached;
};

static struct client *clients;
static int count, waiting, by_position;
static long gaps;
static uint64_t bytes;
static long wanted;
static char buffer[1 << 18];

static uint64_t now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + at.tv_nsec;
}

static void say(const char *text) {
    if (write(1, text, strlen(text)) < 0) exit(1);
}

static void reach(struct client *c) {
    if (!c->reached && c->target && (by_position ? c->position : c->messages) >= c->target) {
        c->reached = now();
        waiting--;
    }
}

static void message(struct client *c) {
    c->messages++;
    c->prefix[c->prefix_size < PREFIX ? c->prefix_size : PREFIX - 1] = 0;
    if (!strncmp(c->prefix, MARK, sizeof MARK - 1)) {
        long position = atol(c->prefix + sizeof MARK - 1);
        if (c->position && position != c->position + 1) gaps++;
        c->position = position;
    } else if (!strncmp(c->prefix, "{\"kind\":\"snapshot\",\"position\":", 30)) {
        c->position = atol(c->prefix + 30);
    }
    reach(c);
}

static void feed(struct client *c, const char *at, size_t size) {
    while (size) {
        if (!c->have_header) {
            c->header[c->header_size++] = *at++;
            size--;
            int need = 2;
            if (c->header_size >= 2) need += c->header[1] == 126 ? 2 : c->header[1] == 127 ? 8 : 0;
            if (c->header_size < need) continue;
            c->left = c->header[1];
            if (need > 2) {
                c->left = 0;
                for (int i = 2; i < need; i++) c->left = c->left << 8 | c->header[i];
            }
            c->have_header = 1;
            c->prefix_size = 0;
        } else {
            size_t part = size < c->left ? size : c->left;
            int keep = PREFIX - c->prefix_size;
            if (keep > 0) {
                if ((size_t)keep > part) keep = part;
                memcpy(c->prefix + c->prefix_size, at, keep);
                c->prefix_size += keep;
            }
            at += part;
            size -= part;
            c->left -= part;
        }
        if (c->have_header && !c->left) {
            if ((c->header[0] & 0x0f) == 1) message(c);
            if ((c->header[0] & 0x0f) == 9 && write(c->fd, "\x8a\x80\0\0\0", 6) != 6) exit(1);
            if ((c->header[0] & 0x0f) == 8) { fprintf(stderr, "a socket was closed\n"); exit(1); }
            c->have_header = c->header_size = 0;
        }
    }
}

static int by_time(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void tell(void) {
    uint64_t *times = malloc(sizeof *times * count);
    char line[200];
    int n = 0;
    for (int i = 0; i < count; i++)
        if (clients[i].reading) times[n++] = clients[i].reached;
    qsort(times, n, sizeof *times, by_time);
    snprintf(line, sizeof line, "done %llu %llu %llu %llu %ld\n", (unsigned long long)bytes,
             (unsigned long long)times[n / 2], (unsigned long long)times[n - 1 - n / 100],
             (unsigned long long)times[n - 1], gaps);
    say(line);
    bytes = 0;
    wanted = 0;
    free(times);
}

static void arm(long k, int position) {
    by_position = position;
    wanted = k;
    waiting = 0;
    for (int i = 0; i < count; i++) {
        struct client *c = &clients[i];
        c->reached = 0;
        c->target = 0;
        if (!c->reading) continue;
        c->target = position ? k : c->messages + k;
        waiting++;
        reach(c);
    }
}

static void start(int poll, struct client *c) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    c->reading = 1;
    epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &event);
}

static void command(int poll, char *line) {
    if (!strncmp(line, "expect ", 7)) {
        arm(atol(line + 7), 0);
        say("armed\n");
    } else if (!strncmp(line, "upto ", 5)) {
        arm(atol(line + 5), 1);
        say("armed\n");
    } else if (!strncmp(line, "read", 4)) {
        for (int i = 0; i < count; i++)
            if (!clients[i].reading) start(poll, &clients[i]);
        say("reading\n");
    }
}

static int dial(int port, int stalled, const char *path, const char *offer) {
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, few = 4096;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (stalled) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) { perror("connect"); exit(1); }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (*path) {
        char asked[1000], got[4] = "";
        int size = snprintf(asked, sizeof asked,
            "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            "%s%s%s\r\n", path, port, *offer ? "Sec-WebSocket-Extensions: " : "", offer, *offer ? "\r\n" : "");
        if (write(fd, asked, size) != size) exit(1);
        while (memcmp(got, "\r\n\r\n", 4)) {  /* byte by byte: frames may follow at once */
            memmove(got, got + 1, 3);
            if (read(fd, got + 3, 1) != 1) { fprintf(stderr, "no handshake\n"); exit(1); }
        }
    }
    return fd;
}

static int poll_fd, had;
static char line[1000];

static void turn(int timeout) {
    struct epoll_event events[512];
    int n = epoll_wait(poll_fd, events, 512, timeout);
    if (n < 0 && errno != EINTR) exit(1);
    for (int i = 0; i < n; i++) {
        struct client *c = events[i].data.ptr;
        if (!c) {
            int got = read(0, line + had, sizeof line - 1 - had);
            if (got <= 0) exit(0);
            line[had += got] = 0;
            for (char *end; (end = strchr(line, '\n'));) {
                *end = 0;
                command(poll_fd, line);
                memmove(line, end + 1, had -= end + 1 - line);
                line[had] = 0;
            }
            continue;
        }
        ssize_t size = recv(c->fd, buffer, sizeof buffer, 0);
        if (size <= 0) { fprintf(stderr, "the server closed a socket\n"); exit(1); }
        bytes += size;
        feed(c, buffer, size);
    }
    if (wanted && !waiting) tell();
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    int port = atoi(argv[1]), stalled = atoi(argv[3]), look_us = atoi(argv[6]);
    struct epoll_event input = {.events = EPOLLIN, .data.ptr = NULL};
    count = atoi(argv[2]);
    poll_fd = epoll_create1(0);
    clients = calloc(count, sizeof *clients);
    for (int i = 0; i < count; i++) {
        clients[i].fd = dial(port, i < stalled, argv[4], argv[5]);
        if (i >= stalled) start(poll_fd, &clients[i]);
        if (i % 100 == 99) turn(0);  /* answer pings of the first sockets while the others connect */
    }
    epoll_ctl(poll_fd, EPOLL_CTL_ADD, 0, &input);
    say("ready\n");
    for (;;) {
        if (look_us) usleep(look_us);
        turn(-1);
    }
}
