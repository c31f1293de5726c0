/* The best row, and sets of rows. */
#include "arrays.h"

#include "arguments.h"

#define BLOCK 64

/* union_of(pieces, out) -> (the piece that has each row once or -1, number of rows): out gets each row once, those of the
   longest piece first, in order of first appearance */
static PyObject *union_of(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    UnionOfArguments a;
    Array pieces[MOST_TOPOLOGIES];
    PyObject *found = NULL;
    uint8_t *seen = NULL;
    Py_ssize_t n = 0, largest = 0, n_all = 0, n_found = 0;
    int64_t highest = 0;
    if (!take_union_of(&a, args, n_args))
        return NULL;
    memset(pieces, 0, sizeof(pieces));
    if (!PyTuple_Check(a.pieces) || PyTuple_Size(a.pieces) > MOST_TOPOLOGIES || !(n = PyTuple_Size(a.pieces))) {
        release_union_of(&a);
        PyErr_SetString(PyExc_ValueError, "a tuple of 1 to 16 pieces is wanted");
        return NULL;
    }
    for (Py_ssize_t p = 0; p < n; p++) {
        if (take_array(PyTuple_GetItem(a.pieces, p), &pieces[p], "lq", 1, 0, 1) < 0 || !rows_within(&pieces[p], PY_SSIZE_T_MAX))
            goto done;
        for (Py_ssize_t k = 0; k < LENGTH(pieces[p]); k++)
            highest = AT(pieces[p], int64_t, k) > highest ? AT(pieces[p], int64_t, k) : highest;
        largest = LENGTH(pieces[p]) > LENGTH(pieces[largest]) ? p : largest;
        n_all += LENGTH(pieces[p]);
    }
    if (LENGTH(a.out) < n_all) {
        PyErr_SetString(PyExc_ValueError, "there is too little room");
        goto done;
    }
    if ((seen = PyMem_Calloc(highest + 1, 1)) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < n; i++) { /* the largest one first */
        const Array *piece = &pieces[i == 0 ? largest : i == largest ? 0 : i];
        for (Py_ssize_t k = 0; k < LENGTH(*piece); k++) {
            int64_t row = AT(*piece, int64_t, k);
            ITEMS(a.out, int64_t)[n_found] = row;
            n_found += !seen[row];
            seen[row] = 1;
        }
    }
    found = Py_BuildValue("(nn)", n_found == LENGTH(pieces[largest]) ? largest : -1, n_found);
done:
    PyMem_Free(seen);
    for (Py_ssize_t p = 0; p < n; p++)
        release_array(&pieces[p]);
    release_union_of(&a);
    return found;
}

static int16_t highest_of(const int16_t *totals, Py_ssize_t n, int16_t highest)
{
    for (Py_ssize_t row = 0; row < n; row++)
        highest = totals[row] > highest ? totals[row] : highest;
    return highest;
}

/* Whether one of a block's totals is the one wanted: without a way out, so that it can be done many at once. */
static inline int is_among(const int16_t *totals, int16_t wanted)
{
    int16_t any = 0;
    for (int k = 0; k < BLOCK; k++)
        any |= totals[k] == wanted;
    return any;
}

static Py_ssize_t first_of(const int16_t *totals, Py_ssize_t n, int16_t wanted)
{
    Py_ssize_t row = 0;
    while (row + BLOCK <= n && !is_among(totals + row, wanted))
        row += BLOCK;
    while (row < n && totals[row] != wanted)
        row++;
    return row;
}

/* best(totals int16) -> (first row with the greatest total, this total, number of rows with it, first row with the
   greatest total besides that row or -1, its total); a total below 0 is that of no feasible row */
static PyObject *best(PyObject *module, PyObject *argument)
{
    BestArguments a;
    if (!take_best(&a, &argument, 1))
        return NULL;
    Py_ssize_t n = LENGTH(a.totals), n_best = 0;
    const int16_t *totals = ITEMS(a.totals, int16_t);
    if (n == 0) {
        release_best(&a);
        PyErr_SetString(PyExc_ValueError, "there is no row");
        return NULL;
    }
    int16_t total = highest_of(totals, n, INT16_MIN), second_total = INT16_MIN;
    Py_ssize_t row = first_of(totals, n, total), second = -1;
    for (Py_ssize_t k = row; k < n; k++)
        n_best += totals[k] == total;
    second_total = n_best > 1 ? total : highest_of(totals + row + 1, n - row - 1, highest_of(totals, row, INT16_MIN));
    if (second_total >= 0) {
        second = first_of(totals, row, second_total);
        if (second == row)
            second = row + 1 + first_of(totals + row + 1, n - row - 1, second_total);
    }
    release_best(&a);
    return Py_BuildValue("(ninni)", row, (int)total, n_best, second, second < 0 ? -1 : (int)second_total);
}

/* Set the bits of the rows with this total, the first row in the highest bit of a byte; how many there are. */
static Py_ssize_t mark(const int16_t *totals, Py_ssize_t n, int16_t wanted, uint8_t *bits)
{
    Py_ssize_t n_found = 0, n_whole = n & ~(Py_ssize_t)7;
    for (Py_ssize_t row = 0; row < n; row++)
        n_found += totals[row] == wanted;
    for (Py_ssize_t row = 0; row < n_whole; row += 8) { /* without a branch, as ties follow no order */
        unsigned byte = 0;
        for (int k = 0; k < 8; k++)
            byte |= (unsigned)(totals[row + k] == wanted) << (7 - k);
        bits[row / 8] = (uint8_t)byte;
    }
    if (n_whole < n)
        bits[n_whole / 8] = 0;
    for (Py_ssize_t row = n_whole; row < n; row++)
        bits[row / 8] |= (uint8_t)((totals[row] == wanted) << (7 - row % 8));
    return n_found;
}

static inline int bits_in(unsigned byte)
{
    byte -= byte >> 1 & 0x55;
    byte = (byte & 0x33) + (byte >> 2 & 0x33);
    return (int)((byte + (byte >> 4)) & 0x0f);
}

/* The row of the n-th set bit, counted from 0; there is such a bit. */
static Py_ssize_t row_of_bit(const uint8_t *bits, Py_ssize_t before)
{
    Py_ssize_t row = 0;
    for (int n; (n = bits_in(bits[row / 8])) <= before; before -= n)
        row += 8;
    for (;; row++)
        if (bits[row / 8] >> (7 - row % 8) & 1 && !before--)
            return row;
}

/* tied(totals int16, wanted, n, drawn) -> (the n-th row with this total, counted from 0; the first of them,
   or the second where that is the first; all of them as bits by row, the first row in the highest bit); n, at least 2, is
   how many there are */
static PyObject *tied(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    TiedArguments a;
    PyObject *bits = NULL, *found = NULL;
    if (!take_tied(&a, args, n_args))
        return NULL;
    Py_ssize_t n_rows = LENGTH(a.totals);
    if ((bits = PyBytes_FromStringAndSize(NULL, (n_rows + 7) / 8)) == NULL)
        goto done;
    uint8_t *bit = (uint8_t *)PyBytes_AsString(bits);
    int has_them = mark(ITEMS(a.totals, int16_t), n_rows, (int16_t)a.total, bit) == a.count;
    if (!has_them || a.count < 2 || a.drawn < 0 || a.drawn >= a.count)
        PyErr_SetString(PyExc_ValueError, "another number of rows has this total");
    else
        found = Py_BuildValue("(nnO)", row_of_bit(bit, a.drawn), row_of_bit(bit, !a.drawn), bits);
done:
    Py_XDECREF(bits);
    release_tied(&a);
    return found;
}

PyMethodDef row_functions[] = {
    {"union_of", (PyCFunction)(void (*)(void))union_of, METH_FASTCALL, "Rows of several pieces, each once."},
    {"best", (PyCFunction)best, METH_O, "The best row and the one behind it."},
    {"tied", (PyCFunction)(void (*)(void))tied, METH_FASTCALL, "The rows that have a total, and one of them."},
    {NULL},
};
