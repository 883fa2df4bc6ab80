/** Whether a result keeps what makes its original a picture of high dynamic range. */

export const HDR_WISHES = ["drop", "keep"] as const;

export type HdrWish = (typeof HDR_WISHES)[number];
