// How fast the work of libaom is declared while it pauses.
#pragma once

// What the search of what a pixel is coded as takes, in the cells that follow.
void breathe_by(int nanoseconds);
