/* The limit of a fan-out: send() in a loop.
 *
 * sender COUNT SIZE JOINED: prints the port it listens on, takes COUNT connections, then for each line "N" on stdin sends
 * N times JOINED messages of SIZE bytes in one write to each, and prints the nanoseconds of its own CPU that it took. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int count = atoi(argv[1]), size = atoi(argv[2]), joined = atoi(argv[3]), one = 1;
    int listening = socket(AF_INET, SOCK_STREAM, 0), *fds = calloc(count, sizeof *fds);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    if (bind(listening, (struct sockaddr *)&at, sizeof at) || listen(listening, 1024)) return 1;
    getsockname(listening, (struct sockaddr *)&at, &length);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    for (int i = 0; i < count; i++) {
        fds[i] = accept(listening, NULL, NULL);
        setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    char *message = malloc((size_t)(size + 4) * joined), line[100];
    for (int i = 0; i < joined; i++) {  /* text frames of a length that two bytes hold */
        unsigned char *head = (unsigned char *)message + (size_t)(size + 4) * i;
        head[0] = 0x81;
        head[1] = 126;
        head[2] = size >> 8;
        head[3] = size & 0xff;
        memset(head + 4, 'x', size);
    }
    while (fgets(line, sizeof line, stdin)) {
        struct timespec from, to;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
        for (int n = atoi(line); n > 0; n--)
            for (int i = 0; i < count; i++)
                if (send(fds[i], message, (size_t)(size + 4) * joined, MSG_NOSIGNAL) < 0) return 1;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
        printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
        fflush(stdout);
    }
}
