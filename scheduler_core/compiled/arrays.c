/* Buffers of numpy arrays, checked once where they come in. */
#include "arrays.h"

static int is_one_of(const char *formats, const char *format)
{
    if (format == NULL || format[0] == 0 || format[1] != 0) /* also where the order of bytes is named */
        return 0;
    while (*formats && *formats != *format)
        formats++;
    return *formats != 0;
}

int take_array(PyObject *object, Array *out, const char *formats, int ndim, int writable, int strided)
{
    int flags = (strided ? PyBUF_STRIDES : PyBUF_C_CONTIGUOUS) | PyBUF_FORMAT;
    if (PyObject_GetBuffer(object, &out->view, writable ? flags | PyBUF_WRITABLE : flags) < 0)
        return -1;
    out->held = 1;
    Py_ssize_t itemsize = out->view.itemsize;
    int has_rank = out->view.ndim == ndim && itemsize > 0;
    if (has_rank && ((uintptr_t)out->view.buf % itemsize || out->view.strides[ndim - 1] % itemsize))
        PyErr_SetString(PyExc_ValueError, "an array whose items are aligned is wanted");
    else if (!has_rank || !is_one_of(formats, out->view.format))
        PyErr_Format(PyExc_TypeError, "an array of %d dimensions and items of format %s is wanted, not %d and %s", ndim,
                     formats, out->view.ndim, out->view.format == NULL ? "B" : out->view.format);
    else
        return 0;
    release_array(out);
    return -1;
}

int number_within(Py_ssize_t number, Py_ssize_t n)
{
    if (number >= 0 && number < n)
        return 1;
    PyErr_SetString(PyExc_IndexError, "a number lies outside of the table");
    return 0;
}

int has_length(const Array *array, int axis, Py_ssize_t *length, int or_more)
{
    Py_ssize_t found = array->view.shape[axis];
    if (*length == -1)
        *length = found;
    if (found == *length || (or_more && found > *length))
        return 1;
    PyErr_Format(PyExc_ValueError, "an array of the length %zd is wanted, not %zd", *length, found);
    return 0;
}

void release_array(Array *array)
{
    if (array->held)
        PyBuffer_Release(&array->view);
    array->held = 0;
}

int rows_within(const Array *rows, Py_ssize_t n)
{
    uint64_t highest = 0; /* a negative row is a huge one */
    const uint64_t *row = ITEMS(*rows, uint64_t);
    Py_ssize_t step = rows->view.strides[0] / (Py_ssize_t)sizeof(uint64_t); /* exact: see take_array */
    if (step == 1) /* in a loop of its own, which a compiler can do many at once */
        for (Py_ssize_t k = 0; k < LENGTH(*rows); k++)
            highest = row[k] > highest ? row[k] : highest;
    else
        for (Py_ssize_t k = 0; k < LENGTH(*rows); k++)
            highest = row[k * step] > highest ? row[k * step] : highest;
    if (LENGTH(*rows) && highest >= (uint64_t)n) {
        PyErr_SetString(PyExc_IndexError, "a row lies outside of the table");
        return 0;
    }
    return 1;
}

int has_arguments(const char *name, Py_ssize_t given, Py_ssize_t wanted)
{
    if (given == wanted)
        return 1;
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, wanted, given);
    return 0;
}
