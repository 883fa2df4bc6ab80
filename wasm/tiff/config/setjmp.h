// wasi-libc has no setjmp. What libtiff leaves by a long jump, an error of libjpeg, leaves through env.fail instead.
#pragma once
typedef int jmp_buf[1];
__attribute__((import_module("env"), import_name("fail"))) _Noreturn void tiff_fail(const char *text);
#define setjmp(buffer) 0
#define longjmp(buffer, value) tiff_fail("damaged JPEG data")
