/** Whether a result keeps what makes its original a picture of high dynamic range. */

export const HDR_OPTIONS = ["drop", "keep"] as const;
