"""What JPEG loses of luma: blocks of cosines, in steps of libjpeg's qualities."""
import numpy as np

# Steps at quality 50 (ITU-T T.81, table K.1).
TABLE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)
COSINES = np.cos(np.outer(np.arange(8), 2 * np.arange(8) + 1) * np.pi / 16) / 2
COSINES[0] /= np.sqrt(2)


def compressed(plane, quality):
    """What JPEG makes of a plane of whole blocks."""
    percent = 5000 / quality if quality < 50 else 200 - 2 * quality
    table = np.clip((TABLE * percent + 50) // 100, 1, 255)
    height, width = plane.shape
    blocks = plane.reshape(height // 8, 8, width // 8, 8).transpose(0, 2, 1, 3)
    blocks = np.rint(COSINES @ (blocks - 128) @ COSINES.T / table) * table
    blocks = COSINES.T @ blocks @ COSINES + 128
    return np.clip(np.rint(blocks), 0, 255).transpose(0, 2, 1, 3).reshape(height, width)
