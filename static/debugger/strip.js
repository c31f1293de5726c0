/* What every page of a run under the strip of its cycles starts: the cursor with its moves, the strip, and the run's head as it grows. */
import { startWalk } from './breakpoints/walk.js';
import { startConnection } from './connection.js';
import { startCursor } from './cursor.js';
import { startLive } from './live.js';
import { startPlayer } from './player.js';
import { startScrubber } from './scrubber/scrubber.js';
import { startTabs } from './tabs.js';

/** Start them and return the scrubber; `options` are its own. */
export function startStrip(options) {
  startConnection();
  startCursor();
  startTabs();
  const scrubber = startScrubber(options);
  startPlayer();
  startLive(scrubber);
  startWalk();
  return scrubber;
}
