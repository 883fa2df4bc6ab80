// wasi-libc has no setjmp: an error inside libaom leaves the module through env.fail, and the instance is given up.
#pragma once
typedef int jmp_buf[1];
#define setjmp(buffer) ((void)(buffer), 0)
_Noreturn void longjmp(jmp_buf buffer, int value);
