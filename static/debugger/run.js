/* The page of a run: everything about one cursor, wired together. */
import { startBelow } from './below.js';
import { startBreakpoints } from './breakpoints/list.js';
import { startWalk } from './breakpoints/walk.js';
import { startConnection } from './connection.js';
import { again, stage, startCursor } from './cursor.js';
import { startEscape } from './escape.js';
import { startGrains } from './grains.js';
import { startLanes } from './lanes.js';
import { startLive } from './live.js';
import { startMap } from './map.js';
import { startComposer } from './composer.js';
import { startMatrix } from './matrix.js';
import { startPanes } from './panes.js';
import { startPlayer } from './player.js';
import { startScrubber } from './scrubber/scrubber.js';
import { startTabs } from './tabs.js';
import { startWatches } from './watches/panel.js';
import { startPins } from '../review/pins.js';

startConnection();
startCursor();
startTabs();
startPanes();
startLanes();
const scrubber = startScrubber();
startMap();
startMatrix();
startComposer();
startEscape();
startPlayer();
startGrains();
startLive(scrubber);
startBelow();
startWatches(scrubber);
startBreakpoints();
startWalk();
startPins();

// Sizes of large clusters are read beside the first page; the panes are asked for again when they are there.
document.addEventListener('map:ready', () => {
  if ('incomplete' in stage().dataset) again();
});
document.documentElement.dataset.debugger = 'ready';
