/* Painting an answer: all of its parts are put in place in one turn of the page, so that none shows another moment than the others. */

/* What scripts drew or fetched into its place stays: the picture of the map, the lines between panes, threads of the same cycle. */
const stays = (old, fresh) =>
  old.matches?.('[data-keep]') || (old.matches?.('.threads-slot') && old.id === fresh.id && old.childElementCount > 0);

const callbacks = { beforeNodeMorphed: (old, fresh) => !stays(old, fresh) };

/** Put each part of the answer (an element with the id that it has on the page) into its place. */
export function paint(body) {
  for (const part of body.querySelectorAll(':scope > [id]')) {
    const place = document.getElementById(part.id);
    if (!place) continue;
    // Whoever types goes on while an answer to the letters before comes in.
    window.Idiomorph.morph(place, part, { morphStyle: 'outerHTML', ignoreActiveValue: true, callbacks });
    window.htmx.process(document.getElementById(part.id));
  }
}

/** Wait until what was painted is on the screen; a page that is not shown does not wait. */
export function shown() {
  if (document.hidden) return Promise.resolve();
  return new Promise((done) => {
    const timer = setTimeout(done, 200);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      // Behind the frame, not before it.
      setTimeout(done, 0);
    });
  });
}
