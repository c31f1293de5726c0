/* The kernel's type GroupWriter: what changed of a frame as groups of rows.

   recording/frames/group_writer.py says what everything means. */
#include "groups.h"

static int is_size(Py_ssize_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* GroupWriter(n_rows, n_filters, row_size, reason_size, decisive_size, raw_sizes): sizes in bytes of each row number and
   of each item of the lines */
static PyObject *group_writer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t n_rows, n_filters, row_size, reason_size, decisive_size;
    PyObject *raw_sizes;
    if (!PyArg_ParseTuple(args, "nnnnnO!", &n_rows, &n_filters, &row_size, &reason_size, &decisive_size, &PyTuple_Type,
                          &raw_sizes))
        return NULL;
    GroupWriter *self = (GroupWriter *)PyType_GenericAlloc(type, 0);
    if (self == NULL)
        return NULL;
    self->n_rows = n_rows;
    self->n_filters = n_filters;
    self->n_scores = PyTuple_Size(raw_sizes);
    self->row_size = row_size;
    self->reason_size = reason_size;
    self->decisive_size = decisive_size;
    self->raw_sizes = PyMem_Calloc(self->n_scores + 1, sizeof(Py_ssize_t));
    self->recorded = PyMem_Calloc(self->n_scores + 1, sizeof(char *));
    if (self->raw_sizes == NULL || self->recorded == NULL) {
        PyErr_NoMemory();
        goto failed;
    }
    int are_sizes = n_rows >= 0 && n_filters >= 0 && is_size(row_size) && is_size(reason_size) && is_size(decisive_size);
    for (Py_ssize_t j = 0; j < self->n_scores; j++) {
        self->raw_sizes[j] = PyLong_AsSsize_t(PyTuple_GetItem(raw_sizes, j));
        if (PyErr_Occurred())
            goto failed;
        are_sizes &= is_size(self->raw_sizes[j]);
    }
    if (are_sizes)
        return (PyObject *)self;
    PyErr_SetString(PyExc_ValueError, "sizes of 1, 2, 4 or 8 bytes are wanted");
failed:
    Py_DECREF(self);
    return NULL;
}

static void forget(GroupWriter *self)
{
    for (Py_ssize_t j = 0; self->recorded != NULL && j < self->n_scores; j++) {
        PyMem_Free(self->recorded[j]);
        self->recorded[j] = NULL;
    }
    for (Py_ssize_t k = 0; k < self->n_known; k++)
        Py_CLEAR(self->known[k]);
    self->n_known = 0;
}

static void group_writer_dealloc(PyObject *object)
{
    GroupWriter *self = (GroupWriter *)object;
    PyTypeObject *type = Py_TYPE(object);
    forget(self);
    PyMem_Free(self->known);
    PyMem_Free(self->recorded);
    PyMem_Free(self->raw_sizes);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* begin(): a key was written */
static PyObject *begin(GroupWriter *self, PyObject *ignored)
{
    forget(self);
    Py_RETURN_NONE;
}

/* --- a frame ----------------------------------------------------------------------------------------------------- */

static int take_line_number(PyObject *object, LineNumber *line)
{
    if (!PyTuple_Check(object) || PyTuple_Size(object) != 2) {
        PyErr_SetString(PyExc_TypeError, "a line as (part, index) is wanted");
        return -1;
    }
    line->part = PyLong_AsLong(PyTuple_GetItem(object, 0));
    line->index = PyLong_AsLong(PyTuple_GetItem(object, 1));
    return PyErr_Occurred() ? -1 : 0;
}

/* The rows of an array one behind the other, in `copy` where they do not lie so; NULL with an error set. */
static const int64_t *contiguous(const Array *array, int64_t **copy)
{
    if (array->view.strides[0] == sizeof(int64_t))
        return ITEMS(*array, int64_t);
    *copy = PyMem_Malloc(sizeof(int64_t) * (LENGTH(*array) + 1));
    if (*copy == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t k = 0; *copy != NULL && k < LENGTH(*array); k++)
        (*copy)[k] = AT(*array, int64_t, k);
    return *copy;
}

/* Write one of the frame's groups: (rows, [line, ...]). */
static int write_given(GroupWriter *self, Call *call, PyObject *rows, PyObject *given)
{
    Array array = {0};
    int64_t *copy = NULL;
    LineNumber *lines = NULL;
    int failed = -1;
    if (!PyList_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "a list of lines is wanted");
        return -1;
    }
    Py_ssize_t n_lines = PyList_Size(given);
    if (take_array(rows, &array, "lq", 1, 0, 1) < 0 || !rows_within(&array, self->n_rows))
        goto done;
    if ((lines = PyMem_Malloc(sizeof(LineNumber) * (n_lines + 1))) == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < n_lines; i++)
        if (take_line_number(PyList_GetItem(given, i), &lines[i]) < 0)
            goto done;
    Rows some = {contiguous(&array, &copy), LENGTH(array), NUMBERS};
    if (some.rows != NULL && tell(self, call, &some, array.view.readonly ? rows : NULL) == 0)
        failed = write_group(self, call, &some, lines, n_lines);
done:
    PyMem_Free(lines);
    PyMem_Free(copy);
    release_array(&array);
    return failed;
}

static int write_all(GroupWriter *self, Call *call, PyObject *groups, PyObject *whole)
{
    PyObject *line, *ignored;
    Py_ssize_t position = 0;
    int failed = 0;
    for (Py_ssize_t g = 0; !failed && g < PyList_Size(groups); g++) {
        PyObject *group = PyList_GetItem(groups, g);
        if (!PyTuple_Check(group) || PyTuple_Size(group) != 2) {
            PyErr_SetString(PyExc_TypeError, "groups as (rows, lines) are wanted");
            return -1;
        }
        failed = write_given(self, call, PyTuple_GetItem(group, 0), PyTuple_GetItem(group, 1));
    }
    while (!failed && PyDict_Next(whole, &position, &line, &ignored)) {
        LineNumber number;
        Rows all = {NULL, self->n_rows, NUMBERS};
        failed = take_line_number(line, &number) < 0 ? -1 : write_group(self, call, &all, &number, 1);
    }
    return failed;
}

static int take_parts(GroupWriter *self, Call *call, PyObject *matrix)
{
    static const struct {
        const char *formats;
        int ndim;
    } kinds[N_PARTS] = {{"B?", 2}, {"i", 2}, {"h", 1}, {"lq", 2}};
    Py_ssize_t n_lines[N_PARTS] = {self->n_filters, self->n_filters, 1, self->n_scores};
    for (int part = 0; part < N_PARTS; part++) {
        if (take_array(PyTuple_GetItem(matrix, part), &call->parts[part], kinds[part].formats, kinds[part].ndim, 0, 0) < 0)
            return -1;
        const Array *array = &call->parts[part];
        if (LENGTH(*array) < self->n_rows || (array->view.ndim == 2 && LINES(*array) != n_lines[part])) {
            PyErr_SetString(PyExc_ValueError, "arrays of the layout's shape are wanted");
            return -1;
        }
    }
    return 0;
}

/* write(groups, whole, (codes uint8[p, n], reasons int32[p, n], decisive int16[n], raw int64[s, n])) -> (groups as told,
   body), None where a value needs more bytes */
static PyObject *write_frame(GroupWriter *self, PyObject *const *args, Py_ssize_t n_args)
{
    Call call;
    PyObject *found = NULL;
    if (!has_arguments("write", n_args, 3))
        return NULL;
    if (!PyList_Check(args[0]) || !PyDict_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "a list of groups and a dict of lines are wanted");
        return NULL;
    }
    if (!PyTuple_Check(args[2]) || PyTuple_Size(args[2]) != N_PARTS) {
        PyErr_SetString(PyExc_TypeError, "a tuple of codes, reasons, decisive and raw lines is wanted");
        return NULL;
    }
    memset(&call, 0, sizeof(call));
    if (take_parts(self, &call, args[2]) == 0 && (call.told = PyList_New(0)) != NULL) {
        int failed = write_all(self, &call, args[0], args[1]);
        PyObject *told = failed ? NULL : PyList_AsTuple(call.told);
        if (failed > 0)
            found = Py_NewRef(Py_None);
        else if (told != NULL)
            found = Py_BuildValue("(NN)", told, PyBytes_FromStringAndSize(call.written.bytes, call.written.n));
    }
    for (int part = 0; part < N_PARTS; part++)
        release_array(&call.parts[part]);
    PyMem_Free(call.written.bytes);
    Py_XDECREF(call.told);
    return found;
}

static PyMethodDef group_writer_methods[] = {
    {"begin", (PyCFunction)(void (*)(void))begin, METH_NOARGS, "A key was written."},
    {"write", (PyCFunction)(void (*)(void))write_frame, METH_FASTCALL, "What changed of a frame."},
    {NULL},
};

static PyType_Slot group_writer_slots[] = {
    {Py_tp_new, group_writer_new},
    {Py_tp_dealloc, group_writer_dealloc},
    {Py_tp_methods, group_writer_methods},
    {Py_tp_doc, "Writes what changed of frames; see recording/frames/group_writer.py."},
    {0, NULL},
};

PyType_Spec group_writer_spec = {
    "scheduler_core.compiled._kernel.GroupWriter",
    sizeof(GroupWriter),
    0,
    Py_TPFLAGS_DEFAULT,
    group_writer_slots,
};
