/* A stopwatch for a with statement: sum, count and histogram of the time spent. The twin of framework/durations.py. */
#include "arrays.h"

#include <time.h>

#define MOST_BOUNDS 32

typedef struct {
    PyObject_HEAD
    long long count;
    double seconds, started, bounds[MOST_BOUNDS];
    long long buckets[MOST_BOUNDS + 1];
    Py_ssize_t n_bounds;
} Stopwatch;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Stopwatch(bounds): upper bounds of the buckets in seconds, ascending; one more bucket is for the rest */
static PyObject *stopwatch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *bounds;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &bounds))
        return NULL;
    if (PyTuple_GET_SIZE(bounds) > MOST_BOUNDS) {
        PyErr_SetString(PyExc_ValueError, "there are too many bounds");
        return NULL;
    }
    Stopwatch *self = (Stopwatch *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->n_bounds = PyTuple_GET_SIZE(bounds);
    for (Py_ssize_t i = 0; i < self->n_bounds; i++)
        self->bounds[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(bounds, i));
    if (PyErr_Occurred())
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void stopwatch_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *stopwatch_enter(Stopwatch *self, PyObject *ignored)
{
    self->started = now();
    Py_RETURN_NONE;
}

static PyObject *stopwatch_exit(Stopwatch *self, PyObject *const *args, Py_ssize_t n_args)
{
    double spent = now() - self->started;
    Py_ssize_t at = 0;
    while (at < self->n_bounds && self->bounds[at] < spent)
        at++;
    self->count++;
    self->seconds += spent;
    self->buckets[at]++;
    Py_RETURN_NONE;
}

static PyObject *stopwatch_count(Stopwatch *self, void *ignored)
{
    return PyLong_FromLongLong(self->count);
}

static PyObject *stopwatch_seconds(Stopwatch *self, void *ignored)
{
    return PyFloat_FromDouble(self->seconds);
}

static PyObject *stopwatch_buckets(Stopwatch *self, void *ignored)
{
    PyObject *list = PyList_New(self->n_bounds + 1);
    for (Py_ssize_t i = 0; list != NULL && i <= self->n_bounds; i++) {
        PyObject *one = PyLong_FromLongLong(self->buckets[i]);
        if (one == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, one);
    }
    return list;
}

static PyMethodDef stopwatch_methods[] = {
    {"__enter__", (PyCFunction)stopwatch_enter, METH_NOARGS, "Start."},
    {"__exit__", (PyCFunction)(void (*)(void))stopwatch_exit, METH_FASTCALL, "Stop and add."},
    {NULL},
};

static PyGetSetDef stopwatch_values[] = {
    {"count", (getter)stopwatch_count, NULL, "How often it was stopped.", NULL},
    {"seconds", (getter)stopwatch_seconds, NULL, "The time spent in all.", NULL},
    {"buckets", (getter)stopwatch_buckets, NULL, "How often by time spent.", NULL},
    {NULL},
};

static PyType_Slot stopwatch_slots[] = {
    {Py_tp_new, stopwatch_new},
    {Py_tp_dealloc, stopwatch_dealloc},
    {Py_tp_methods, stopwatch_methods},
    {Py_tp_getset, stopwatch_values},
    {Py_tp_doc, "See framework/durations.py."},
    {0, NULL},
};

PyType_Spec stopwatch_spec = {
    "scheduler_core.compiled._kernel.Stopwatch", sizeof(Stopwatch), 0, Py_TPFLAGS_DEFAULT, stopwatch_slots,
};
