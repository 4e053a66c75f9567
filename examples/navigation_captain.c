/* A captain for Battle Navigation that knows no rules: the host simulates for it (protocol 2).
 *
 *     cc -O2 -o captain examples/navigation_captain.c
 *     trireme arena navigation random 'captain=process:cmd="./captain"'
 *
 * It finds a good plan against some random plans of the enemy, then the enemy's best reply, and
 * plays the plan that is best against all of these. For the usual plans: four phases, no limit of
 * shots in a turn. */
#define _POSIX_C_SOURCE 200809L /* for getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 24, GUESSES = 7 };
static char *line, pool[2][GUESSES + 2][9] = {{"--------"}, {"--------"}}; /* plans by seat */
static size_t room;
static unsigned seed;

static int below(int n) { return (int)((seed = seed * 1664525u + 1013904223u) >> 16) % n; }

static void draw(char *plan, int chance) { /* draw each phase anew with 1 in `chance` */
    for (int k = 0; k < 8; k += 2)
        if (!below(chance)) plan[k] = "FLR-"[below(4)], plan[k + 1] = "psgh-"[below(5)];
}

static double number(char **at, const char *key) { /* the one that follows the next `key` */
    if (!(*at = strstr(*at, key))) exit(1);
    return strtod(*at += strlen(key), NULL);
}

static double value(char **at, int seat) { /* of an outcome: result, hit points, distance */
    double lead = 1000 * number(at, "\"returns\":["), x = number(at, "\"x\":");
    double y = number(at, "\"y\":"), hp = number(at, "\"hp\":"), dx = x - number(at, "\"x\":");
    double dy = y - number(at, "\"y\":"), far = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
    lead += 10 * (hp - number(at, "\"hp\":"));
    return (seat ? -lead : lead) - 3 * (far < 2 ? 2 - far : far - 2);
}

static double improve(int seat, int own, int others) { /* pool[seat][own], against `others` */
    char plans[TRIES][9], *at;
    double best = -1e9, sum;
    for (int i = 0; i < TRIES; i++) {
        draw(strcpy(plans[i], pool[seat][own > 1]), i % 2 + 1); /* half of them vary the last */
        for (int j = 0; j < others; j++)
            printf("%s{\"actions\":{\"%d\":\"%s\",\"%d\":\"%s\"}}", i + j ? "," : "{\"simulate\":[",
                   seat, plans[i], !seat, pool[!seat][j]);
    }
    puts("]}");
    if (fflush(stdout) || getline(&line, &room, stdin) < 0) exit(1);
    at = line;
    for (int i = 0; i < TRIES; i++) {
        sum = 0;
        for (int j = 0; j < others; j++) sum += value(&at, seat) / others;
        if (sum > best) best = sum, strcpy(pool[seat][own], plans[i]);
    }
    return best;
}

int main(void) {
    for (; getline(&line, &room, stdin) > 0 && !strstr(line, "\"type\":\"bye\""); fflush(stdout)) {
        char *at = line;
        if (!strstr(line, "\"type\":\"turn\"")) {
            puts("{\"ready\":true,\"protocol\":2}");
            continue;
        }
        int seat = (int)number(&at, "\"seat\":");
        seed = (unsigned)number(&at, "\"random\":");
        for (int i = 1; i <= GUESSES; i++) draw(strcpy(pool[!seat][i], pool[!seat][0]), 1);
        improve(seat, 1, GUESSES + 1);
        improve(!seat, GUESSES + 1, 2);
        double best = improve(seat, 2, GUESSES + 2);
        printf("{\"action\":\"%s\",\"note\":\"worth %.1f\"}\n", pool[seat][2], best);
    }
}
