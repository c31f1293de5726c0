/* The page of a run: everything about one cursor, wired together. */
import { go, isBusy, stage, startCursor } from './cursor.js';
import { startEscape } from './escape.js';
import { startLive } from './live.js';
import { startMap } from './map.js';
import { startMatrix } from './matrix.js';
import { startPlayer } from './player.js';
import { startScrubber } from './scrubber.js';

startCursor();
const scrubber = startScrubber();
startMap();
startMatrix();
startEscape();
startPlayer();
startLive(scrubber);

// Sizes of large clusters are read beside the first page; when the map has them, the other panes get them as well.
document.addEventListener('map:ready', () => {
  if ('incomplete' in stage().dataset && !isBusy()) go(location.href, { replace: true });
});
document.documentElement.dataset.debugger = 'ready';
