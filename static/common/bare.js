/* The entry of pages without bars: sign-in and invitations. */
import { startInvalid } from './invalid.js';

startInvalid();
