/* A part that came may fill another place of the page: <template data-fills="id"> in it holds what stands there from now on.

   What htmx calls out of band would look for that place also where the part came too late, for a page that shows another moment by now. */

function fill(ev) {
  for (const template of ev.target.querySelectorAll?.('template[data-fills]') ?? []) {
    const content = template.content.firstElementChild;
    if (content) document.getElementById(template.dataset.fills)?.replaceWith(content.cloneNode(true));
  }
}

/** Have parts fill their places from now on. */
export const startFills = () => document.addEventListener('htmx:afterSwap', fill);
