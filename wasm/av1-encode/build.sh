#!/bin/bash
# Builds av1-encode.wasm: libaom's encoder (8 bits, and 10 of stills; one thread) and our entry points.
#   wasm/av1-encode/build.sh              writes wasm/av1-encode/av1-encode.wasm
#   wasm/av1-encode/build.sh scalar OUT   writes OUT without SIMD, to compare with
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../source.sh"
shopt -s nullglob
variant=${1:-simd}
out=${2:-$here/av1-encode.wasm}

aom=$(debian_source aom 3.14.1-1 28c4dc49ae07e9dd00f09be68844011e49d3645d203a8bc102166ccead229798)
work=$(work_folder "av1-encode-$variant")
mkdir -p "$work/headers/config"
flags=(-I"$work/headers" -I"$here/config" -I"$aom" -Wno-everything)

# Which kernel stands for a function: written by libaom's own script, as for a processor with SSE up to 4.1.
dispatch() {
  local name=$1 definitions=$2
  perl "$aom/cmake/rtcd.pl" --arch=x86_64 --sym="$name" --disable-mmx --disable-sse4_2 --disable-avx --disable-avx2 \
    --disable-avx512 "${scalar[@]}" --config="$here/config/config/aom_config.h" "$definitions" > "$work/headers/config/$name.h"
}
scalar=()
if [ "$variant" = scalar ]; then scalar=(--disable-sse --disable-sse2 --disable-sse3 --disable-ssse3 --disable-sse4_1); fi
dispatch aom_dsp_rtcd "$aom/aom_dsp/aom_dsp_rtcd_defs.pl"
sed 's/\(specialize qw.av1_cnn_convolve_no_maxpool_padding_valid\) avx2/\1 sse4_1/' "$aom/av1/common/av1_rtcd_defs.pl" \
  > "$work/av1_rtcd_defs.pl"
dispatch av1_rtcd "$work/av1_rtcd_defs.pl"
dispatch aom_scale_rtcd "$aom/aom_scale/aom_scale_rtcd.pl"
# Types are declared for the kernels of more than 8 bits, whatever a file is compiled for.
sed -i 's/^#if CONFIG_AV1_HIGHBITDEPTH/#if 1/' "$work"/headers/config/*.h

# Kernels read the coefficients of warps as 16 bits, which the header says only of processors by name: without that, pictures
# that are warped come out otherwise in decoders.
mkdir -p "$work/headers/av1/common"
sed 's/typedef int8_t WarpedFilterCoeff/typedef int16_t WarpedFilterCoeff/' "$aom/av1/common/warped_motion.h" \
  > "$work/headers/av1/common/warped_motion.h"

# Room for eight pictures is made for what is written of one, for some may be kept that are not shown. Where none is seen ahead
# there is none of those: room as for stills is enough.
sed 's/kf_cfg.key_freq_max == 0 &&$/kf_cfg.key_freq_max == 0 || ppi->cpi->oxcf.gf_cfg.lag_in_frames == 0) \&\&/
  s/if (ppi->cpi->oxcf.kf_cfg.key_freq_max == 0 ||/if ((ppi->cpi->oxcf.kf_cfg.key_freq_max == 0 ||/' \
  "$aom/av1/av1_cx_iface.c" > "$work/av1_cx_iface.c"
grep -q 'lag_in_frames == 0) &&$' "$work/av1_cx_iface.c"

# Of a block of 8 x 8 whose halves lie side by side, the second took the place of the first where sizes are known (blocks.c).
sed 's/pc_tree->vertical\[bsize > BLOCK_8X8\]/pc_tree->vertical[1]/' "$aom/av1/encoder/partition_search.c" > "$work/partition_search.c"
grep -q 'pc_tree->vertical\[1\], invalid_rdc' "$work/partition_search.c"
cp "$aom"/{av1/encoder/tx_search,av1/common/reconintra,aom_dsp/intrapred,aom_dsp/avg}.c "$work"

kernels=()
wraps=(av1_quantizer_to_qindex av1_set_cost_upd_freq av1_write_intra_coeffs_mb av1_write_coeffs_txb av1_make_default_fullpel_ms_params
  av1_set_speed_features_framesize_{independent,dependent} av1_pack_bitstream av1_create_primary_compressor av1_rd_pick_partition
  av1_set_rtc_reference_structure_one_layer)
if [ "$variant" = simd ]; then
  emscripten=$(debian_source emscripten '3.1.6~dfsg-5' ff6243076ae975467cc80640f6a441cc5a7402fcf6150d398247575e0213e32d)
  mkdir "$work/sse"
  cp "$emscripten"/system/include/compat/?mmintrin.h "$work/sse"
  flags+=(-isystem "$work/sse" -D__SSE__ -D__SSE2__ -D__SSE3__ -D__SSSE3__ -D__SSE4_1__)
  for file in "$aom"/{aom_dsp,aom_dsp/flow_estimation,av1/common,av1/encoder}/x86/*_{sse2,sse3,ssse3,sse4}.c; do
    case $(basename "$file") in
      aom_subpixel_8t_intrin_ssse3.c | variance_ssse3.c) ;;  # wrap kernels in assembly language
      highbd_variance_sse2.c) ;;  # the same
      highbd_convolve* | highbd_jnt* | highbd_warp* | highbd_temporal* | highbd_wiener*) ;;  # predict from other pictures, or restore
      *temporal_denoiser* | cdef_block_ssse3.c) ;;
      *) kernels+=("$file") ;;
    esac
  done
  kernels+=("$here"/kernels/*.c)
  wraps+=(av1_{,highbd_}quantize_fp_facade aom_{,highbd_}quantize_b_helper_c)
  # A function that nothing outside of its file knows is not for the linker: kernels/error.c has it.
  sed -i 's/^static inline int64_t av1_block_error_qm(/int64_t av1_block_error_qm(const tran_low_t *, const tran_low_t *, intptr_t,\
    const qm_val_t *, const int16_t *, int64_t *, int);\nstatic inline int64_t error_one_by_one(/' "$work/tx_search.c"
  grep -q error_one_by_one "$work/tx_search.c"
  # The same for what predicts and transforms samples of 10 bits: kernels/{directions,smooth,filter,hadamard}.c have it.
  for name in av1_highbd_dr_prediction_z{1,2,3}_c aom_highbd_hadamard_8x8_c; do
    sed -i "s/^void $name(/static void unused_$name(/" "$work"/{reconintra,avg}.c
  done
  for name in highbd_{paeth,smooth,smooth_v,smooth_h}_predictor; do
    sed -i "s/^static inline void $name(/void $name(uint16_t *, ptrdiff_t, int, int, const uint16_t *, const uint16_t *, int);\n\
static void unused_$name(/" "$work/intrapred.c"
  done
  sed -i "s/^static void highbd_filter_intra_predictor(/void highbd_filter_intra_predictor(uint16_t *, ptrdiff_t, TX_SIZE,\
    const uint16_t *, const uint16_t *, int, int);\n\
static void unused_filter_predictor(/" "$work/reconintra.c"
  test "$(cat "$work"/{reconintra,avg,intrapred}.c | grep -c '^static void unused_')" = 9
  # Kernels in assembly language are not for this machine: what they would stand for falls back to the next kernel
  # in C, which is known once those are compiled.
  compile "$work/first" "${kernels[@]}" -- "${flags[@]}"
  llvm-nm-19 --defined-only --format=just-symbols "$work"/first/*.o | sort -u > "$work/kernels"
  for header in "$work"/headers/config/*.h; do
    perl -e '
      open(my $list, "<", shift); my %have = map { chomp; $_ => 1 } <$list>; my @lines = <>; my %declared;
      for (@lines) { $declared{$1}{$2} = 1 if /\b(\w+)_(c|sse2|sse3|ssse3|sse4_1)\(/ }
      for (@lines) {
        if (/^#define (\w+) \1_(sse2|sse3|ssse3|sse4_1)$/ && !$have{"$1_$2"}) {
          my ($name) = $1;
          my ($best) = grep { $_ eq "c" || $have{"${name}_$_"} } grep { $declared{$name}{$_} } qw(sse4_1 ssse3 sse3 sse2 c);
          $_ = "#define $name ${name}_$best\n";
        }
      }
      print @lines' "$work/kernels" "$header" > "$work/header"
    mv "$work/header" "$header"
  done
else
  flags+=(-mno-simd128)
fi

# What only moving pictures need, and what runs once a picture, is built small.
files=()
rare=()
for file in "$aom"/{aom/src,aom_dsp,aom_dsp/flow_estimation,aom_mem,aom_scale,aom_scale/generic,aom_util,av1,av1/common,av1/encoder,third_party/fastfeat,third_party/vector}/*.c; do
  case ${file#"$aom/"} in
    av1/av1_dx_iface.c | av1/av1_cx_iface.c | av1/encoder/partition_search.c | av1/encoder/tx_search.c | av1/common/reconintra.c | aom_dsp/intrapred.c | aom_dsp/avg.c | aom_dsp/bitreader.c | aom_dsp/entdec.c | aom_dsp/binary_codes_reader.c) ;;
    *vmaf* | *butteraugli* | *saliency* | *tflite* | *denoiser* | *thirdpass* | *partition_cnn* | *optical_flow* | *model_params* | */blockiness.c | */fastssim.c | */psnrhvs.c | *partition_model* | *_rtcd.c) ;;
    aom/src/* | aom_mem/* | aom_scale/* | aom_util/* | third_party/* | aom_dsp/flow_estimation/* | av1/arg_defs.c) rare+=("$file") ;;
    */variance.c | */sad.c | */sad_av1.c | */reconinter.c | */mcomp.c | */ratectrl.c | */convolve.c | */warped_motion.c | \
      */reconinter_enc.c | */motion_search_facade.c | */interp_search.c | */compound_type.c | */global_motion*.c | \
      */temporal_filter.c | */tpl_model.c | */firstpass.c | */pass2_strategy.c | */resize.c | */mvref_common.c | \
      */svc_layercontext.c | */aq_*.c | */*thread*.c | */encoder/encoder*.c | */speed_features.c | */gop_structure.c | */encode_strategy.c | \
      */level.c | */noise_*.c | */grain_table.c | */superres_scale.c | */aom_convolve.c | */bitstream.c | */deltaq4_model.c | \
      */pyramid.c | */fft.c | */hash*.c | */lookahead.c | */alloccommon.c | */entropy*.c | */scale.c | */wedge_utils.c)
      rare+=("$file") ;;
    *) files+=("$file") ;;
  esac
done
# Pictures that are predicted from others have 8 bits, and so have those that are restored.
with_8_bits=(encoder sad sad_av1 reconinter mcomp convolve warped_motion reconinter_enc motion_search_facade interp_search
  compound_type global_motion global_motion_facade hash_motion temporal_filter tpl_model firstpass resize noise_model superres_scale
  pyramid mv_prec restoration pickrst blend_a64_hmask blend_a64_mask blend_a64_vmask)
compile_aom() {
  local folder=$1 high=() low=()
  shift
  while [ "$1" != -- ]; do
    case " ${with_8_bits[*]} " in *" $(basename "$1" .c) "*) low+=("$1") ;; *) high+=("$1") ;; esac
    shift
  done
  compile "$folder" "${high[@]}" "$@"
  compile "$folder" "${low[@]}" "$@" -DCONFIG_AV1_HIGHBITDEPTH=0
}
compile_aom "$work/aom" "${files[@]}" "$work"/{partition_search,tx_search,reconintra,intrapred,avg}.c -- "${flags[@]}"
compile_aom "$work/rare" "${rare[@]}" "$work/av1_cx_iface.c" -- "${flags[@]}" -Os
if [ ${#kernels[@]} -gt 0 ]; then
  files=()
  for file in "${kernels[@]}"; do
    case $(basename "$file") in
      highbd_* | convolve* | *jnt_convolve* | warp* | masked_* | obmc_* | reconinter* | temporal_filter* | wiener* | \
        resize* | selfguided* | disflow* | corner_match* | pickrst* | av1_convolve* | wedge* | fft*)
        compile "$work/kernels-rare" "$file" -- "${flags[@]}" -Os ;;
      *) files+=("$file") ;;
    esac
  done
  compile "$work/kernels-2" "${files[@]}" -- "${flags[@]}"
fi
compile "$work/own" "$here"/*.c "$here"/../{heap,halved}.c -- "${flags[@]}" -I"$here/.." -mrelaxed-simd -Wall -Wextra

stack_bytes=1048576 link_module "$out" --max-memory=134217728 \
  --wrap=malloc --wrap=calloc --wrap=realloc --wrap=free "${wraps[@]/#/--wrap=}" \
  "$work"/{aom,rare,kernels-2,kernels-rare,own}/*.o
