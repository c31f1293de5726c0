/* What the parts of the kernel share: arrays handed in by numpy as buffers, and the parts themselves. */
#ifndef SCHEDSCOPE_ARRAYS_H
#define SCHEDSCOPE_ARRAYS_H

#include "python_abi.h"

/* A borrowed buffer of one or two dimensions. Zeroed before use, so that release_array() may always be called. */
typedef struct {
    Py_buffer view;
    int held;
} Array;

/* Take the buffer of an array whose items are of one of the formats (one letter each, as in Python's struct module) and
   aligned; its last axis is contiguous unless `strided`. Returns -1 with TypeError or ValueError set where it is another
   kind of array. */
int take_array(PyObject *object, Array *out, const char *formats, int ndim, int writable, int strided);
void release_array(Array *array);

/* The greatest score after normalising, and how many topologies, or pieces of rows, one call takes. */
#define HIGHEST 100
#define MOST_TOPOLOGIES 16

#define ITEMS(array, type) ((type *)(array).view.buf)
#define LENGTH(array) ((array).view.shape[(array).view.ndim - 1])
#define LINES(array) ((array).view.shape[0])

/* Value k of a one-dimensional array that may have any stride, 0 included. */
#define AT(array, type, k) (*(const type *)((const char *)(array).view.buf + (k) * (array).view.strides[0]))

/* Whether all rows lie in 0..n-1; sets IndexError where they do not. */
int rows_within(const Array *rows, Py_ssize_t n);

/* Whether a number is one of 0..n-1; sets IndexError where it is not. */
int number_within(Py_ssize_t number, Py_ssize_t n);

/* Whether an axis of the array has the length (or more, with `or_more`); a length of -1 takes that of the axis. Sets
   ValueError where it has another one. */
int has_length(const Array *array, int axis, Py_ssize_t *length, int or_more);

/* Whether the number of arguments is the one wanted; sets TypeError where it is not. */
int has_arguments(const char *name, Py_ssize_t given, Py_ssize_t wanted);

extern PyType_Spec score_table_spec;
extern PyType_Spec verdict_table_spec;
extern PyType_Spec group_writer_spec;
extern PyMethodDef resource_functions[];
extern PyMethodDef row_functions[];
extern PyMethodDef domain_functions[];

#endif
