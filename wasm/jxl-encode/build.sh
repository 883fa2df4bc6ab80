#!/bin/bash
# Builds jxl-encode.wasm: the parts of libjxl's encoder that make groups and codes, and our own driver around them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
source "$here/../jxl/source.sh"
work=$(work_folder jxl-encode)

patch_jxl "$work/source" "$here/libjxl.patch"

# Entropy codes and frames are in files of ours that include those of libjxl (entropy.cc, vardct.cc).
parts=(
  ac_strategy ans_common chroma_from_luma coeff_order color_encoding_internal compressed_dc convolve_symmetric5 dec_ans
  enc_ac_strategy enc_adaptive_quantization enc_bit_writer enc_chroma_from_luma enc_cluster enc_coeff_order
  enc_comparator enc_context_map enc_entropy_coder enc_fields enc_gaborish enc_group enc_heuristics enc_huffman
  enc_huffman_tree enc_icc_codec enc_modular enc_progressive_split enc_quant_weights enc_xyb fields frame_header headers
  icc_codec_common image image_bundle image_metadata image_ops jpeg/enc_jpeg_data jpeg/enc_jpeg_data_reader
  jpeg/enc_jpeg_huffman_decode jpeg/jpeg_data loop_filter memory_manager_internal modular/encoding/enc_encoding
  modular/encoding/enc_ma modular/encoding/encoding modular/modular_image modular/transform/enc_palette
  modular/transform/enc_rct modular/transform/enc_squeeze modular/transform/enc_transform modular/transform/palette
  modular/transform/rct modular/transform/squeeze modular/transform/transform quant_weights quantizer simd_util
)
compile "$work/jxl" $(printf "$jxl/lib/jxl/%s.cc\n" "${parts[@]}") -- "${jxl_flags[@]}" -Wno-everything
compile "$work/own" "$here"/*.cc "$here"/*.c "${highway_sources[@]}" "$here/../heap.c" -- "${jxl_flags[@]}"

# What libjxl does with whole pictures, its decoder above all, is not there: calls that are never made trap.
link_module "$here/jxl-encode.wasm" --max-memory=$max_memory_bytes --unresolved-symbols=ignore-all \
  --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "$work"/own/*.o "$work"/jxl/*.o
count_work "$here/jxl-encode.wasm"
