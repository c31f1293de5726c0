/* Buffers of numpy arrays, checked once where they come in. */
#include "arrays.h"

int take_array(PyObject *object, Array *out, Py_ssize_t itemsize, int ndim, int writable, int strided)
{
    int flags = strided ? PyBUF_STRIDES : PyBUF_C_CONTIGUOUS;
    if (PyObject_GetBuffer(object, &out->view, writable ? flags | PyBUF_WRITABLE : flags) < 0)
        return -1;
    out->held = 1;
    if (out->view.itemsize != itemsize || out->view.ndim != ndim) {
        PyErr_Format(PyExc_TypeError, "an array of %d dimensions and items of %zd bytes is wanted, not %d and %zd", ndim,
                     itemsize, out->view.ndim, out->view.itemsize);
        release_array(out);
        return -1;
    }
    if ((uintptr_t)out->view.buf % itemsize || out->view.strides[ndim - 1] % itemsize) {
        PyErr_SetString(PyExc_ValueError, "an array whose items are aligned is wanted");
        release_array(out);
        return -1;
    }
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
