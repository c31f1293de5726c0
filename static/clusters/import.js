/* Import: says how far the upload is and how long the reading takes, and enables saving when the choices allow it. */
const form = document.querySelector('[data-import]');
if (form) {
  const words = form.querySelector('[data-progress]');
  const seconds = form.querySelector('[data-seconds]');
  const bar = form.querySelector('progress');
  const reading = words.textContent;
  let timer = 0;

  /** The server reads within one request, so there is no share of it to show: the bar moves, the seconds count. */
  const read = () => {
    if (timer) return;
    const since = performance.now();
    bar.removeAttribute('value');
    words.textContent = reading;
    timer = setInterval(() => { seconds.textContent = `${Math.round((performance.now() - since) / 1000)} s so far`; }, 1000);
  };
  const rest = () => {
    clearInterval(timer);
    timer = 0;
    seconds.textContent = '';
  };
  form.addEventListener('htmx:xhr:progress', (ev) => {
    const { loaded, total } = ev.detail;
    if (!total || loaded >= total) {
      read();
    } else if (!timer) {
      bar.value = loaded / total;
      words.textContent = `Sending, ${Math.floor((100 * loaded) / total)} %`;
    }
  });
  form.addEventListener('htmx:beforeRequest', rest);
  form.addEventListener('htmx:afterRequest', rest);
}

const saving = document.querySelector('[data-saving]');
if (saving) {
  const button = saving.querySelector('[data-save]');
  const into = saving.querySelector('[data-into]');
  const leave = saving.querySelector('[data-leave-out]');
  const name = saving.querySelector('[data-new-name]');
  const show = () => {
    name.hidden = into.value !== '';
    if (leave) button.disabled = !leave.checked;
  };
  saving.addEventListener('change', show);
  saving.addEventListener('submit', () => { saving.querySelector('[data-busy-words]').hidden = false; });
  show();
}
