/* The entry of pages with things that have threads, other than the debugger. */
import { startPins } from './pins.js';

startPins();
