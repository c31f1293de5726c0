/* What differs between two dicts of the same order. */
#include "arrays.h"

/* Whether a key is there and is the other one: -1 with TypeError set where one of them is no str. */
static int is_same_key(PyObject *key, PyObject *other)
{
    if (key == other || other == NULL)
        return other != NULL;
    if (!PyUnicode_Check(key) || !PyUnicode_Check(other)) {
        PyErr_SetString(PyExc_TypeError, "keys that are str are wanted");
        return -1;
    }
    int order = PyUnicode_Compare(key, other);
    return order == -1 && PyErr_Occurred() ? -1 : order == 0;
}

static int walk(PyObject *now, PyObject *start, PyObject *others, PyObject *gone)
{
    Py_ssize_t at_now = 0, at_start = 0;
    PyObject *key, *value, *current = NULL, *current_value = NULL;
    int is_left = PyDict_Next(now, &at_now, &current, &current_value);
    while (PyDict_Next(start, &at_start, &key, &value)) {
        int is_same = is_same_key(key, is_left ? current : NULL);
        if (is_same < 0 || (!is_same && PyList_Append(gone, key) < 0))
            return -1;
        if (!is_same)
            continue;
        if (value != current_value && PyDict_SetItem(others, current, current_value) < 0)
            return -1;
        is_left = PyDict_Next(now, &at_now, &current, &current_value);
    }
    for (; is_left; is_left = PyDict_Next(now, &at_now, &current, &current_value))
        if (PyDict_SetItem(others, current, current_value) < 0)
            return -1;
    return 0;
}

/* since_start(now, start) -> (what is not the same object at the same place in the order, keys that are no more); keys
   are str */
static PyObject *since_start(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    if (!has_arguments("since_start", n_args, 2))
        return NULL;
    if (!PyDict_Check(args[0]) || !PyDict_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "two dicts are wanted");
        return NULL;
    }
    PyObject *others = PyDict_New(), *gone = PyList_New(0), *found = NULL;
    if (others != NULL && gone != NULL && walk(args[0], args[1], others, gone) == 0)
        found = PyTuple_Pack(2, others, gone);
    Py_XDECREF(others);
    Py_XDECREF(gone);
    return found;
}

PyMethodDef mapping_functions[] = {
    {"since_start", (PyCFunction)(void (*)(void))since_start, METH_FASTCALL, "What differs between two dicts."},
    {NULL},
};
