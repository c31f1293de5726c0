/* Groups of rows with the lines that changed there. */
#include "groups.h"

#define MANY_ROWS 64

/* --- rows -------------------------------------------------------------------------------------------------------- */

/* Write row numbers, or the first of them and the steps from each to the next. */
static int write_rows(GroupWriter *self, Call *call, Rows *rows)
{
    if (make_room(&call->written, rows->n * self->row_size) < 0)
        return -1;
    int64_t before = 0;
    for (Py_ssize_t k = 0; k < rows->n; k++) {
        put(call->written.bytes + call->written.n, self->row_size, rows->rows[k] - before);
        call->written.n += self->row_size;
        before = rows->how == STEPS ? rows->rows[k] : 0;
    }
    return 0;
}

/* Remember that rows were written as steps: if they stay as they are, their number stands for them later. */
static int remember(GroupWriter *self, PyObject *rows)
{
    if (self->n_known == self->known_room) {
        Py_ssize_t room = 2 * self->known_room + 8;
        PyObject **known = PyMem_Realloc(self->known, room * sizeof(PyObject *));
        if (known == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->known = known;
        self->known_room = room;
    }
    self->known[self->n_known++] = Py_XNewRef(rows);
    return 0;
}

int tell(GroupWriter *self, Call *call, Rows *rows, PyObject *object)
{
    rows->how = rows->n < MANY_ROWS ? NUMBERS : STEPS;
    for (Py_ssize_t k = 0; rows->how == STEPS && object != NULL && k < self->n_known; k++)
        if (self->known[k] == object) {
            rows->how = KNOWN + (int)k;
            return 0;
        }
    if (rows->how == STEPS && remember(self, object) < 0)
        return -1;
    return write_rows(self, call, rows);
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

/* Where a line is and how it is written; -1 with IndexError set where there is no such line. */
static int line_of(GroupWriter *self, Call *call, LineNumber line, Values *v)
{
    Py_ssize_t n_lines = line.part == DECISIVE ? 1 : line.part == RAW ? self->n_scores : self->n_filters;
    if (line.part < 0 || line.part >= N_PARTS || line.index < 0 || line.index >= n_lines) {
        PyErr_SetString(PyExc_IndexError, "there is no such line");
        return -1;
    }
    const Array *part = &call->parts[line.part];
    v->itemsize = part->view.itemsize;
    v->items = (const char *)part->view.buf + line.index * LENGTH(*part) * v->itemsize;
    v->recorded = line.part == RAW ? self->recorded[line.index] : NULL;
    v->is_signed = line.part == DECISIVE || line.part == RAW;
    v->size = line.part == CODES     ? 1
              : line.part == REASONS ? self->reason_size
              : line.part == RAW     ? self->raw_sizes[line.index]
                                     : self->decisive_size;
    return 0;
}

/* Keep what is recorded of a whole raw line, if all of it fits. */
static int keep(GroupWriter *self, LineNumber line, Values v)
{
    v.rows = NULL;
    v.n = self->n_rows;
    if ((v.recorded = PyMem_Malloc(v.size * (v.n + 1))) == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int failed = record(&v);
    if (failed)
        PyMem_Free(v.recorded);
    else
        self->recorded[line.index] = v.recorded;
    return failed < 0 ? -1 : 0;
}

/* Write one line of a group: 0, 1 where a value does not fit, -1 with an error set. */
static int write_line(GroupWriter *self, Call *call, const Rows *rows, LineNumber line, Outcome *outcome,
                      Py_ssize_t *bits_at)
{
    Values v;
    outcome->n_others = 0;
    outcome->form = PLAIN;
    if (line_of(self, call, line, &v) < 0)
        return -1;
    v.rows = rows->rows;
    v.n = rows->n;
    if (v.rows != NULL && v.n < MANY_ROWS)
        return write_plainly(&v, &call->written);
    int failed = write_shortly(&v, &call->written, outcome, bits_at);
    return failed || line.part != RAW || v.recorded != NULL ? failed : keep(self, line, v);
}

int write_group(GroupWriter *self, Call *call, const Rows *rows, const LineNumber *lines, Py_ssize_t n_lines)
{
    Outcome *outcomes = PyMem_Malloc(sizeof(Outcome) * n_lines);
    PyObject *forms = PyTuple_New(n_lines), *group = NULL;
    Py_ssize_t bits_at = -1;
    int failed = -1;
    if (outcomes == NULL)
        PyErr_NoMemory();
    if (outcomes == NULL || forms == NULL)
        goto done;
    for (Py_ssize_t i = 0; i < n_lines; i++) {
        if ((failed = write_line(self, call, rows, lines[i], &outcomes[i], &bits_at)))
            goto done;
        PyObject *one = Py_BuildValue("(lli)", lines[i].part, lines[i].index, outcomes[i].form);
        if (one == NULL) {
            failed = -1;
            goto done;
        }
        PyTuple_SetItem(forms, i, one);
    }
    group = Py_BuildValue("(niO)", rows->rows == NULL ? (Py_ssize_t)WHOLE : rows->n, rows->how, forms);
    failed = group == NULL ? -1 : PyList_Append(call->told, group);
    for (Py_ssize_t i = 0; !failed && i < n_lines; i++)
        if (outcomes[i].n_others) {
            Rows some = {outcomes[i].others, outcomes[i].n_others, NUMBERS};
            failed = tell(self, call, &some, NULL) < 0 ? -1 : write_group(self, call, &some, &lines[i], 1);
        }
done:
    PyMem_Free(outcomes);
    Py_XDECREF(forms);
    Py_XDECREF(group);
    return failed;
}
