/** What an isolate holds, how long its work may take, and how requests wait for it. */
import { MAX_JSON_BYTES, MAX_SOURCE_BYTES } from "../limits.ts";

/**
 * What one job may hold in memory, alone in its isolate: photographs of 24 megapixels in every format take up to 91 MiB, and
 * files of JPEG XL of 12 whose groups begin in the middle 99.
 */
export const ISOLATE_BUDGET_BYTES = 100 * 1024 * 1024;
/**
 * What everything that is declared may hold: a job that runs alone, and all originals. The platform gives 128 MB for
 * everything: these are 109 of them. The bundle and its heap take 10, and up to 18 in a crowd.
 */
export const ISOLATE_BYTES = 104 * 1024 * 1024;
/**
 * What jobs that run beside each other and large originals may hold, small originals left out: with them and the heap of a
 * crowd, of which the engine gives nothing back while it is busy, it is 110 MB.
 */
export const SHARED_BYTES = 70 * 1024 * 1024;
/**
 * What a job leaves of that where others are there, if what it would have more saves nothing but time: room for a large
 * original to be read meanwhile, or for a small job.
 */
export const COMPANY_BYTES = 16 * 1024 * 1024;
/**
 * What idle native modules may fill, with those in use and all originals. Less than what jobs may share, for they grow
 * beside it until their stretch ends, and what is given up then is collected late. Enough for what the next job mostly
 * comes for: decoders, encoders and the score of photographs, or the encoder of an animation.
 */
export const FILLED_BYTES = 56 * 1024 * 1024;
/**
 * Of SHARED_BYTES and FILLED_BYTES an isolate takes so much in which the platform has ended work in its midst, mostly for its
 * memory: for an hour after the last such end, unless it is replaced before. Work that needs more still runs, alone.
 */
export const CAREFUL_SHARE = 0.8;
export const CAREFUL_MS = 3_600_000;
/** What one original may hold of SHARED_BYTES: one of the largest, with its options. */
export const MAX_ORIGINALS_BYTES = MAX_SOURCE_BYTES + MAX_JSON_BYTES;
/**
 * What several originals may hold of it: two of 10 MB, or six of 4. More of them would wait with their bytes for work that
 * mostly goes on one at a time, and have it wait in turn.
 */
export const SEVERAL_ORIGINALS_BYTES = 24 * 1024 * 1024;
/** What is taken of it at a time, as bytes arrive: who sends slowly holds no more than this beyond what it has sent. */
export const ORIGINAL_STEP_BYTES = 4 * 1024 * 1024;
/** Originals up to this size have a part of their own besides, so that large ones that come slowly keep nobody out. */
export const SMALL_ORIGINAL_BYTES = 4 * 1024 * 1024;
export const SMALL_ORIGINALS_BYTES = 8 * 1024 * 1024;
/** Icons, drawings and JSON have a part of that alone, so that they do not wait behind small photographs either. */
export const TINY_ORIGINAL_BYTES = 16 * 1024;
export const TINY_ORIGINALS_BYTES = 256 * 1024;
/**
 * How long work that is alone waits for memory to be collected that was given up, where there is not room for both. The
 * engine may take longer: it does not know that anybody waits.
 */
export const MAX_COLLECTION_MS = 900;
/**
 * Bytes of answers that slow readers may keep in memory, all together: dozens of usual pictures, of which most are read at
 * once. It comes out of what the heap of a crowd may have.
 */
export const MAX_LENT_BYTES = 4 * 1024 * 1024;
/**
 * How long a request waits for its turn (setting): less than the 30 seconds after which most clients give up. Where more
 * than that is declared before it, it is refused at once.
 */
export const MAX_WAIT_SECONDS = 25;
export const MAX_WAIT_MS = MAX_WAIT_SECONDS * 1_000;
/**
 * Declared time before a request after which it goes to an object of the pool, where there is one (setting): a few usual
 * pictures. The way to the object and an isolate that may have to start take less.
 */
export const MAKER_LINE_MS = 4_000;
/** Objects of the pool: as many requests a second as a thousand isolates do, each at most a few. */
export const MAX_MAKERS = 1_000;
/** How long all who hold originals may wait for each other, before the last of them is told to come back. */
export const MAX_BLOCKED_MS = 3_000;
/**
 * How often a job that needs nearly all there is may be passed by others, whose originals stand in its way, before
 * originals for which there is no room beside it wait until it has begun: a few seconds, mostly.
 */
export const MAX_PASSES = 8;
/** How often any job may be passed by smaller ones that have room beside it, before they wait behind it. */
export const MAX_PASSES_BESIDE = 32;
/**
 * How often little work may do so while work goes on beside which the passed job has no room: it waits for that in any
 * case. Files of some kilobytes for half a minute, the time of an animation as AVIF.
 */
export const MAX_PASSES_OF_LITTLE = 512;
/**
 * Work of at most so many bytes waits for memory that was given up no longer than work that is alone: icons, thumbnails of
 * them, a look at a header.
 */
export const SMALL_WORK_BYTES = 4 * 1024 * 1024;
/**
 * Work of at most so many bytes waits half a second for work that is large, unless everything together is more than an isolate
 * has: the search for a drawing of 800 by 600 pixels in PNG, whose compressor alone takes 10 MiB.
 */
export const LITTLE_WORK_BYTES = 28 * 1024 * 1024;
/** An ICC profile, unpacked; the largest in use (of presses) have 2 MB. What is larger is taken for none. */
export const MAX_UNPACKED_PROFILE_BYTES = 4 * 1024 * 1024;
/** What files whose work has not begun may hold beside their bytes, all together: two of the largest profiles. */
export const MAX_HEADERS_BYTES = 8 * 1024 * 1024;
/**
 * Declared processor time of one request, on the reference machine. An invocation may take three times that
 * (wrangler.toml): work whose estimate is half of the truth, or that runs on a slower machine, still comes to its end.
 */
export const DEFAULT_JOB_MS = 20_000;
/**
 * A search ends that takes so many times its estimate, and a moment more: its job goes on with what it found. The job itself ends
 * at so many times what one may take. Estimates lie within a factor of two of what is measured.
 */
export const OVERRUN_FACTOR = 3;
export const OVERRUN_GRACE_MS = 1_000;
export const OVERRUN_OF_BOUND = 2;
/**
 * Processor time of failed requests that an account is not charged for, in a window: then its images wait. Damaged files
 * fail early; 1,000 that are refused after 100 ms each are within it.
 */
export const DEFAULT_FAILED_MS = 120_000;
/** What a client that found the isolate full is told to wait: as long as is declared, between these bounds. */
export const BUSY_RETRY_SECONDS = 2;
export const MAX_RETRY_SECONDS = 120;
