// What the native modules share: how functions are exported to the binding, and what they import from it.
#pragma once

// Makes a function callable from the binding under its own name: `int EXPORT(answer)(void)`.
#define EXPORT(name) EXPORT_AS(name, name)
// Makes a function callable from the binding under another name.
#define EXPORT_AS(name, other) __attribute__((used, visibility("default"), export_name(#other))) name
// Declares a function that the binding provides under this name.
#define IMPORT(name) IMPORT_AS(name, name)
// Declares a function that the binding provides under another name.
#define IMPORT_AS(name, other) __attribute__((import_module("env"), import_name(#other))) name

// Arguments are evaluated twice, so they must have no side effects.
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#ifdef __cplusplus
extern "C" {
#endif

// Throws through the frames of the module; the caller restores the stack pointer and closes the handle.
__attribute__((noreturn)) void IMPORT(fail)(const char *text);

#ifdef __cplusplus
}
#endif
