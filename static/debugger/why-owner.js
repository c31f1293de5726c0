/* The page that says why an owner lacks pods: what comes late is filled in, all of it can be copied. */
import { startFills } from './fills.js';
import { startPanes } from './panes.js';
import { startCopying } from './why-copy.js';

startPanes();
startFills();
startCopying();
document.documentElement.dataset.debugger = 'ready';
