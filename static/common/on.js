/* Listeners on the document, for elements that come and go. */

/** Call `act(element, ev)` at each event of a type inside of an element that the selector matches. */
export function on(type, selector, act, options) {
  document.addEventListener(
    type,
    (ev) => {
      const element = ev.target.closest?.(selector);
      if (element) act(element, ev);
    },
    options,
  );
}

/** Return whether a click is to be taken for its link: by the first button, without keys that open it elsewhere. */
export function isPlainClick(ev) {
  return !(ev.defaultPrevented || ev.button || ev.ctrlKey || ev.metaKey || ev.shiftKey || ev.altKey);
}
