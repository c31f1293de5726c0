/* The words beside the pointer over a canvas. */

const AWAY = 14;

/** Return an element with a text. */
export function words(text, className = '', tag = 'span') {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

export class Tip {
  /** Of the class that it is styled by. */
  constructor(className) {
    this.element = Object.assign(document.createElement('div'), { className, hidden: true });
  }

  /** Show these elements beside a point of the window, or those that it has. */
  show(point, parts = null) {
    if (!this.element.isConnected) document.body.append(this.element);
    if (parts) this.element.replaceChildren(...parts);
    this.element.hidden = false;
    this.place(point);
  }

  /* Right of the pointer and below it, or on the other side where the window ends, so that it never lies under the pointer. */
  place({ clientX, clientY }) {
    const { offsetWidth, offsetHeight } = this.element;
    const x = clientX + AWAY + offsetWidth > innerWidth - 4 ? clientX - AWAY - offsetWidth : clientX + AWAY;
    const y = clientY + AWAY + offsetHeight > innerHeight - 4 ? clientY - AWAY - offsetHeight : clientY + AWAY;
    this.element.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  }

  hide() {
    this.element.hidden = true;
  }
}
