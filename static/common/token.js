/* A name that nobody else has. Pages over plain HTTP have no crypto.randomUUID. */
export const newToken = () => crypto.getRandomValues(new Uint32Array(3)).join('-');
