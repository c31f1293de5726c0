/* The entry of every page: starts the small parts. Each part may also be imported by a feature's own module. */
import { startTheme } from './theme.js';
import { startToasts } from './toast.js';
import { startTimes } from './times.js';
import { startKeyboard } from './keyboard.js';
import { startSearch } from '../search/palette.js';
import { startMenus } from './menu.js';
import { startForms } from './forms.js';
import { startCopying } from './copying.js';
import { startInvalid } from './invalid.js';
import { startHtmx } from './htmx-setup.js';
import { startFeed } from '../live/feed.js';
import { startPresence } from '../live/presence.js';
import { startThreads } from '../review/threads.js';

startHtmx();
startTheme();
startToasts();
startTimes();
startMenus();
startForms();
startCopying();
startInvalid();
startKeyboard();
startSearch();
startFeed();
startPresence();
startThreads();
