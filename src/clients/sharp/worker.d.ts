/** Types of worker.js, as tsc declares them. */
import type { Module } from "./sharp.js";
/** @type {Module} */
declare const sharp: Module;
export default sharp;
