// wasi-libc has no setjmp; nothing here uses it (errors leave through env.fail).
typedef int jmp_buf[1];
