/* The kernel's type ScoreTable: raw and normalised scores of all plugins on all rows for one pod class, and their totals. */
#include "score_table.h"

/* ScoreTable(raw int64[s, n], norm int16[s, n], totals int16[n], kinds, weights, penalty); no row is feasible yet */
static PyObject *score_table_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *given[6];
    if (!PyArg_ParseTuple(args, "OOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5]))
        return NULL;
    ScoreTable *self = (ScoreTable *)PyType_GenericAlloc(type, 0);
    if (self == NULL)
        return NULL;
    if (!take_score_table(&self->of, given, 6))
        goto failed;
    PyObject *kinds = self->of.kinds, *weights = self->of.weights;
    self->n_lines = LINES(self->of.raw);
    self->n_rows = LENGTH(self->of.raw);
    self->penalty = self->of.penalty;
    if (!PyTuple_Check(kinds) || !PyTuple_Check(weights) || PyTuple_Size(kinds) != self->n_lines ||
        PyTuple_Size(weights) != self->n_lines || self->n_rows > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "tuples with a kind and a weight of each line are wanted");
        self->n_lines = 0;
        goto failed;
    }
    self->feasible = PyMem_Calloc(self->n_rows + 1, 1);
    self->moved = PyMem_Malloc(sizeof(int32_t) * (self->n_rows + 1));
    self->lines = PyMem_Calloc(self->n_lines + 1, sizeof(Line));
    if (self->feasible == NULL || self->moved == NULL || self->lines == NULL) {
        PyErr_NoMemory();
        goto failed;
    }
    for (Py_ssize_t j = 0; j < self->n_lines; j++) {
        self->lines[j].kind = (int)PyLong_AsLong(PyTuple_GetItem(kinds, j));
        self->lines[j].weight = PyLong_AsLongLong(PyTuple_GetItem(weights, j));
        if (PyErr_Occurred())
            goto failed;
        if (self->lines[j].kind < 0 || self->lines[j].kind >= N_KINDS) {
            PyErr_SetString(PyExc_ValueError, "there is no such kind of normaliser");
            goto failed;
        }
        if (self->lines[j].kind != IDENTITY &&
            (self->lines[j].by_raw = PyMem_Malloc(sizeof(int32_t) * WIDEST)) == NULL) {
            PyErr_NoMemory();
            goto failed;
        }
    }
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return NULL;
}

static void score_table_dealloc(PyObject *object)
{
    ScoreTable *self = (ScoreTable *)object;
    PyTypeObject *type = Py_TYPE(object);
    release_score_table(&self->of);
    for (Py_ssize_t j = 0; self->lines != NULL && j < self->n_lines; j++)
        PyMem_Free(self->lines[j].by_raw);
    PyMem_Free(self->feasible);
    PyMem_Free(self->moved);
    PyMem_Free(self->lines);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* Find the rows that are feasible, 0 or 1, in one of the two only. */
static void find_flipped(ScoreTable *self, const uint8_t *after)
{
    const uint8_t *before = self->feasible;
    Py_ssize_t n_moved = 0;
    for (Py_ssize_t block = 0; block < self->n_rows; block += 8) {
        Py_ssize_t end = block + 8 < self->n_rows ? block + 8 : self->n_rows;
        if (end == block + 8 && !memcmp(after + block, before + block, 8))
            continue; /* mostly nothing changed */
        for (Py_ssize_t row = block; row < end; row++) { /* without a branch, as zones follow no order */
            self->moved[n_moved] = (int32_t)row;
            n_moved += after[row] != before[row];
        }
    }
    self->n_moved = n_moved;
}

/* take_feasible(feasible bool[n]): these rows count from now on, others no more */
static PyObject *take_feasible(ScoreTable *self, PyObject *argument)
{
    ScoreTakeFeasibleArguments a;
    if (!take_score_take_feasible(&a, &argument, 1, self->n_rows))
        return NULL;
    const uint8_t *after = ITEMS(a.feasible, uint8_t);
    int64_t n_more = 0;
    int failed = 0;
    find_flipped(self, after);
    for (Py_ssize_t k = 0; k < self->n_moved; k++) {
        int32_t row = self->moved[k];
        n_more += after[row] - self->feasible[row];
        ITEMS(self->of.totals, int16_t)[row] += (int16_t)((self->feasible[row] - after[row]) * self->penalty);
        self->feasible[row] = after[row];
    }
    for (Py_ssize_t j = 0; self->n_moved && j < self->n_lines; j++)
        failed |= flip_line(self, j, n_more);
    release_score_take_feasible(&a);
    if (failed) {
        out_of_range();
        return NULL;
    }
    Py_RETURN_NONE;
}

/* n feasible rows went from one raw score to another. */
static void count_move(Line *line, int64_t before, int64_t after, int64_t n)
{
    if (!n || line->kind == IDENTITY)
        return;
    count_raw(line, after, n);
    count_raw(line, before, -n);
}

/* take(j, rows, scores) -> (number of rows whose raw score is another, whether the parameters are) */
static PyObject *take(ScoreTable *self, PyObject *const *args, Py_ssize_t n_args)
{
    ScoreTakeArguments a;
    PyObject *found = NULL;
    if (!take_score_take(&a, args, n_args, self->n_lines, self->n_rows))
        return NULL;
    Py_ssize_t n = LENGTH(a.rows), j = a.j;
    if (n > self->n_rows) {
        PyErr_SetString(PyExc_ValueError, "each row once is wanted");
        goto done;
    }
    Line *line = &self->lines[j];
    int64_t *raw = ITEMS(self->of.raw, int64_t) + j * self->n_rows;
    int32_t *moved = self->moved;
    const uint8_t *feasible = self->feasible;
    Py_ssize_t n_moved = 0;
    int64_t last_before = 0, last_after = 0, n_alike = 0; /* neighbours mostly move alike, and are counted at once */
    for (Py_ssize_t k = 0; k < n; k++) {
        int64_t row = AT(a.rows, int64_t, k), before = raw[row], after = AT(a.scores, int64_t, k);
        if (before == after)
            continue;
        raw[row] = after;
        moved[n_moved++] = (int32_t)row;
        if (before != last_before || after != last_after) {
            count_move(line, last_before, last_after, n_alike);
            last_before = before;
            last_after = after;
            n_alike = 0;
        }
        n_alike += feasible[row];
    }
    count_move(line, last_before, last_after, n_alike);
    line->is_uniform = n == self->n_rows ? is_uniform(raw, n) : line->is_uniform && !n_moved;
    self->n_moved = n_moved;
    int renewed = settle_line(self, j);
    if (renewed >= 0)
        found = Py_BuildValue("(ni)", self->n_moved, renewed);
done:
    release_score_take(&a);
    return found;
}

/* settle(j) -> whether the parameters are others, after rows became feasible or ceased to be */
static PyObject *settle(ScoreTable *self, PyObject *argument)
{
    ScoreSettleArguments a;
    if (!take_score_settle(&a, &argument, 1, self->n_lines))
        return NULL;
    self->n_moved = 0;
    int renewed = settle_line(self, a.j);
    return renewed < 0 ? NULL : PyBool_FromLong(renewed);
}

/* params(j) -> (first, second) of the line's normaliser */
static PyObject *params(ScoreTable *self, PyObject *argument)
{
    ScoreParamsArguments a;
    if (!take_score_params(&a, &argument, 1, self->n_lines))
        return NULL;
    return Py_BuildValue("(LL)", (long long)self->lines[a.j].params[0], (long long)self->lines[a.j].params[1]);
}

/* moved(rows): write the rows that the last take moved */
static PyObject *moved(ScoreTable *self, PyObject *argument)
{
    ScoreMovedArguments a;
    if (!take_score_moved(&a, &argument, 1, self->n_moved))
        return NULL;
    for (Py_ssize_t k = 0; k < self->n_moved; k++)
        ITEMS(a.rows, int64_t)[k] = self->moved[k];
    release_score_moved(&a);
    Py_RETURN_NONE;
}

/* sums() -> [(j, lowest, highest, sum)] of the normalised scores of feasible rows, for lines where they changed since */
static PyObject *sums(ScoreTable *self, PyObject *ignored)
{
    PyObject *list = PyList_New(0);
    for (Py_ssize_t j = 0; list != NULL && j < self->n_lines; j++) {
        Line *line = &self->lines[j];
        if (line->is_summed)
            continue;
        int low = 0, high = HIGHEST;
        while (low < HIGHEST && !line->counts[low])
            low++;
        while (high > 0 && !line->counts[high])
            high--;
        line->lowest = low;
        line->highest = high;
        PyObject *one = Py_BuildValue("(niiL)", j, low, high, (long long)line->sum);
        if (one == NULL || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
        line->is_summed = 1;
    }
    return list;
}

/* compare(row, second or -1) -> [(raw and normalised score of the row, of the second or -1, whether the line decided)] */
static PyObject *compare(ScoreTable *self, PyObject *const *args, Py_ssize_t n_args)
{
    ScoreCompareArguments a;
    if (!take_score_compare(&a, args, n_args, self->n_rows))
        return NULL;
    Py_ssize_t row = a.row, second = a.second;
    if (second >= 0 && !number_within(second, self->n_rows))
        return NULL;
    PyObject *list = PyList_New(self->n_lines);
    for (Py_ssize_t j = 0; list != NULL && j < self->n_lines; j++) {
        const int64_t *raw = ITEMS(self->of.raw, int64_t) + j * self->n_rows;
        const int16_t *norm = ITEMS(self->of.norm, int16_t) + j * self->n_rows;
        PyObject *one = Py_BuildValue("(LiLiO)", (long long)raw[row], (int)norm[row], second < 0 ? -1LL : (long long)raw[second],
                                      second < 0 ? -1 : (int)norm[second],
                                      decided(self, j, row, second) ? Py_True : Py_False);
        if (one == NULL)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, j, one);
    }
    return list;
}

static PyMethodDef score_table_methods[] = {
    {"compare", (PyCFunction)(void (*)(void))compare, METH_FASTCALL, "What the lines gave two rows."},
    {"take_feasible", (PyCFunction)take_feasible, METH_O, "Take which rows are feasible."},
    {"take", (PyCFunction)(void (*)(void))take, METH_FASTCALL, "Take raw scores of some rows; normalise."},
    {"settle", (PyCFunction)settle, METH_O, "Normalise where feasibility changed."},
    {"params", (PyCFunction)params, METH_O, "Parameters of a line's normaliser."},
    {"moved", (PyCFunction)moved, METH_O, "Write the rows that were moved last."},
    {"sums", (PyCFunction)sums, METH_NOARGS, "What the lines come to that changed."},
    {NULL},
};

static PyType_Slot score_table_slots[] = {
    {Py_tp_new, score_table_new},
    {Py_tp_dealloc, score_table_dealloc},
    {Py_tp_methods, score_table_methods},
    {Py_tp_doc, "Scores by plugin and row; see framework/incremental/score_cache.py."},
    {0, NULL},
};

PyType_Spec score_table_spec = {
    "scheduler_core.compiled._kernel.ScoreTable",
    sizeof(ScoreTable),
    0,
    Py_TPFLAGS_DEFAULT,
    score_table_slots,
};
