/* All filters' verdicts on all rows for one pod class, and the first refusal of each row.

   framework/incremental/verdict_table.py says what everything means. */
#include "arrays.h"

#include "arguments.h"

#define PASSED (-1)
#define CODE_BITS 3
#define MOST_MOVES 64

typedef struct {
    PyObject_HEAD
    VerdictTableArguments of;
    Py_ssize_t n_plugins, n_rows, n_touched;
    int32_t *touched;
    uint8_t *is_touched, *refuses; /* by row; by plugin: whether it ever did */
    Py_ssize_t *refusing;          /* those that did, while rows are settled */
} VerdictTable;

static PyObject *verdict_table_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *given[5];
    if (!PyArg_ParseTuple(args, "OOOOO", &given[0], &given[1], &given[2], &given[3], &given[4]))
        return NULL;
    VerdictTable *self = (VerdictTable *)PyType_GenericAlloc(type, 0);
    if (self == NULL)
        return NULL;
    if (!take_verdict_table(&self->of, given, 5))
        goto failed;
    self->n_plugins = LINES(self->of.codes);
    self->n_rows = LENGTH(self->of.codes);
    if (self->n_rows > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "fewer rows are wanted");
        goto failed;
    }
    self->touched = PyMem_Malloc(sizeof(int32_t) * (self->n_rows + 1));
    self->is_touched = PyMem_Calloc(self->n_rows + 1, 1);
    self->refuses = PyMem_Calloc(self->n_plugins + 1, 1);
    self->refusing = PyMem_Calloc(self->n_plugins + 1, sizeof(Py_ssize_t));
    if (self->touched != NULL && self->is_touched != NULL && self->refuses != NULL && self->refusing != NULL)
        return (PyObject *)self;
    PyErr_NoMemory();
failed:
    Py_DECREF(self);
    return NULL;
}

static void verdict_table_dealloc(PyObject *object)
{
    VerdictTable *self = (VerdictTable *)object;
    PyTypeObject *type = Py_TYPE(object);
    release_verdict_table(&self->of);
    PyMem_Free(self->touched);
    PyMem_Free(self->is_touched);
    PyMem_Free(self->refuses);
    PyMem_Free(self->refusing);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* judge(i, rows, codes | None, reasons | None, differing) -> how many rows got another verdict, written to differing */
static PyObject *judge(VerdictTable *self, PyObject *const *args, Py_ssize_t n_args)
{
    VerdictJudgeArguments a;
    if (!take_verdict_judge(&a, args, n_args, self->n_plugins, self->n_rows))
        return NULL;
    int all_pass = !a.codes.held;
    if (all_pass != !a.reasons.held) {
        release_verdict_judge(&a);
        PyErr_SetString(PyExc_TypeError, "codes and reasons are wanted, or neither");
        return NULL;
    }
    Py_ssize_t n = LENGTH(a.rows), n_differing = 0, i = a.i;
    uint8_t *known_codes = ITEMS(self->of.codes, uint8_t) + i * self->n_rows;
    int32_t *known_reasons = ITEMS(self->of.reasons, int32_t) + i * self->n_rows;
    int64_t *written = ITEMS(a.differing, int64_t);
    int32_t *touched = self->touched;
    Py_ssize_t n_touched = self->n_touched;
    uint8_t *is_touched = self->is_touched, codes_met = 0;
    for (Py_ssize_t k = 0; k < n; k++) {
        int64_t row = AT(a.rows, int64_t, k);
        uint8_t code = all_pass ? 0 : AT(a.codes, uint8_t, k);
        int32_t reason = all_pass ? 0 : AT(a.reasons, int32_t, k);
        if (known_codes[row] == code && known_reasons[row] == reason)
            continue;
        known_codes[row] = code;
        known_reasons[row] = reason;
        codes_met |= code;
        written[n_differing++] = row;
        touched[n_touched] = (int32_t)row;
        n_touched += !is_touched[row];
        is_touched[row] = 1;
    }
    self->n_touched = n_touched;
    self->refuses[i] |= codes_met;
    release_verdict_judge(&a);
    return PyLong_FromSsize_t(n_differing);
}

/* Rows that went from one way of being refused to another, counted. */
typedef struct {
    int64_t before, after, n;
} Move;

static int add_moves(PyObject *list, const Move *moves, int n_moves)
{
    for (int m = 0; m < n_moves; m++) {
        PyObject *one = Py_BuildValue("(LLL)", (long long)moves[m].before, (long long)moves[m].after, (long long)moves[m].n);
        if (one == NULL || PyList_Append(list, one) < 0) {
            Py_XDECREF(one);
            return -1;
        }
        Py_DECREF(one);
    }
    return 0;
}

static int note_move(PyObject *list, Move *moves, int *n_moves, int64_t before, int64_t after)
{
    for (int m = *n_moves - 1; m >= 0; m--)
        if (moves[m].before == before && moves[m].after == after) {
            moves[m].n++;
            return 0;
        }
    if (*n_moves == MOST_MOVES) {
        if (add_moves(list, moves, *n_moves) < 0)
            return -1;
        *n_moves = 0;
    }
    moves[(*n_moves)++] = (Move){before, after, 1};
    return 0;
}

/* settle(blocked | None, changed) -> (number of rows whose first refusal is another plugin's, written to changed;
   whether other rows are feasible; [(key before, key after, number of rows)]) */
static PyObject *settle(VerdictTable *self, PyObject *const *args, Py_ssize_t n_args)
{
    VerdictSettleArguments a;
    Move moves[MOST_MOVES] = {{0, 0, 0}};
    int n_moves = 0, flipped = 0;
    Py_ssize_t n_changed = 0;
    PyObject *found = NULL, *list = NULL;
    if (!take_verdict_settle(&a, args, n_args, self->n_rows, self->n_touched))
        return NULL;
    if ((list = PyList_New(0)) == NULL)
        goto done;
    const uint8_t *codes = ITEMS(self->of.codes, uint8_t);
    int16_t *decisive = ITEMS(self->of.decisive, int16_t);
    uint8_t *feasible = ITEMS(self->of.feasible, uint8_t);
    int64_t *keys = ITEMS(self->of.keys, int64_t), *written = ITEMS(a.changed, int64_t);
    const int32_t *reasons = ITEMS(self->of.reasons, int32_t);
    Py_ssize_t n_touched = self->n_touched, n_plugins = self->n_plugins, n_rows = self->n_rows, n_refusing = 0;
    for (Py_ssize_t i = 0; i < n_plugins; i++) /* few of them ever do */
        if (self->refuses[i])
            self->refusing[n_refusing++] = i;
    for (Py_ssize_t k = 0; k < n_touched; k++) {
        int64_t row = self->touched[k], key = 0;
        int16_t first = PASSED;
        for (Py_ssize_t r = 0; r < n_refusing; r++) {
            Py_ssize_t i = self->refusing[r];
            uint8_t code = codes[i * n_rows + row];
            if (code) {
                key = ((int64_t)reasons[i * n_rows + row] << CODE_BITS | code) * n_plugins + i + 1;
                first = (int16_t)i;
                break;
            }
        }
        if (keys[row] != key && note_move(list, moves, &n_moves, keys[row], key) < 0)
            goto done;
        keys[row] = key;
        if (decisive[row] != first) {
            decisive[row] = first;
            written[n_changed++] = row;
        }
        uint8_t fits = !key && !(a.blocked.held && ITEMS(a.blocked, uint8_t)[row]);
        flipped |= feasible[row] != fits;
        feasible[row] = fits;
        self->is_touched[row] = 0;
    }
    self->n_touched = 0;
    if (add_moves(list, moves, n_moves) == 0)
        found = Py_BuildValue("(nOO)", n_changed, flipped ? Py_True : Py_False, list);
done:
    Py_XDECREF(list);
    release_verdict_settle(&a);
    return found;
}

static PyMethodDef verdict_table_methods[] = {
    {"judge", (PyCFunction)(void (*)(void))judge, METH_FASTCALL, "Take one plugin's verdicts on some rows."},
    {"settle", (PyCFunction)(void (*)(void))settle, METH_FASTCALL, "Find the first refusal of the rows judged since."},
    {NULL},
};

static PyType_Slot verdict_table_slots[] = {
    {Py_tp_new, verdict_table_new},
    {Py_tp_dealloc, verdict_table_dealloc},
    {Py_tp_methods, verdict_table_methods},
    {Py_tp_doc, "Verdicts by plugin and row; see framework/incremental/verdict_table.py."},
    {0, NULL},
};

PyType_Spec verdict_table_spec = {
    "scheduler_core.compiled._kernel.VerdictTable",
    sizeof(VerdictTable),
    0,
    Py_TPFLAGS_DEFAULT,
    verdict_table_slots,
};
