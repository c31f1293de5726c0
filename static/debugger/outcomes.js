/* The outcomes of a run: rows by key, one crosshair over both charts, and a live run's counts. */
import { startCrosshair } from './outcomes/crosshair.js';
import { startLive } from './outcomes/live.js';
import { startRows } from './outcomes/rows.js';

startRows();
startCrosshair();
startLive();
document.documentElement.dataset.outcomes = 'ready';
