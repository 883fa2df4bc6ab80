// Weights that whoever looks brings: a deployment may do without them.
#include "faces.h"

static uint8_t *weights[BROUGHT];

int EXPORT(weights_known)(int network) { return weights[network] != NULL; }

// Room for the weights of a network, once; NULL when memory ran out.
void *EXPORT(weights_room)(int network, size_t bytes) { return weights[network] = malloc(bytes); }

const uint8_t *weights_of(int network) { return weights[network]; }
