/* From domains of a topology to rows and back: counts that follow the change log, and what rows get from domains. */
#include "arrays.h"

/* follow(rows, classes, signs, weights, counted_at) -> [(domain, amount)] for the entries of the change log whose class has
   a weight and whose row counts for a domain (counted_at is below 0 where it does not) */
static PyObject *follow(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Array arrays[5];
    PyObject *list = NULL;
    if (!has_arguments("follow", n_args, 5))
        return NULL;
    memset(arrays, 0, sizeof(arrays));
    for (int a = 0; a < 5; a++)
        if (take_array(args[a], &arrays[a], 8, 1, 0, 1) < 0)
            goto done;
    Py_ssize_t n = LENGTH(arrays[0]);
    if (LENGTH(arrays[1]) != n || LENGTH(arrays[2]) != n) {
        PyErr_SetString(PyExc_ValueError, "arrays of one length are wanted");
        goto done;
    }
    if (!rows_within(&arrays[0], LENGTH(arrays[4])) || !rows_within(&arrays[1], LENGTH(arrays[3])) ||
        (list = PyList_New(0)) == NULL)
        goto done;
    for (Py_ssize_t k = 0; k < n; k++) {
        int64_t weight = AT(arrays[3], int64_t, AT(arrays[1], int64_t, k));
        int64_t domain = AT(arrays[4], int64_t, AT(arrays[0], int64_t, k));
        if (!weight || domain < 0)
            continue;
        PyObject *one = Py_BuildValue("(LL)", (long long)domain, (long long)(weight * AT(arrays[2], int64_t, k)));
        if (one == NULL || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
        if (list == NULL)
            break;
    }
done:
    for (int a = 0; a < 5; a++)
        release_array(&arrays[a]);
    return list;
}

/* tally(rows, classes, signs, weights, counts) -> sum of what was added: the weight of its class, with its sign, is added to the
   count of the row of each entry of the change log */
static PyObject *tally(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Array arrays[5];
    PyObject *found = NULL;
    int64_t total = 0;
    if (!has_arguments("tally", n_args, 5))
        return NULL;
    memset(arrays, 0, sizeof(arrays));
    for (int a = 0; a < 5; a++)
        if (take_array(args[a], &arrays[a], 8, 1, a == 4, 0) < 0)
            goto done;
    Py_ssize_t n = LENGTH(arrays[0]);
    if (LENGTH(arrays[1]) != n || LENGTH(arrays[2]) != n) {
        PyErr_SetString(PyExc_ValueError, "arrays of one length are wanted");
        goto done;
    }
    if (!rows_within(&arrays[0], LENGTH(arrays[4])) || !rows_within(&arrays[1], LENGTH(arrays[3])))
        goto done;
    for (Py_ssize_t k = 0; k < n; k++) {
        int64_t weight = ITEMS(arrays[3], int64_t)[ITEMS(arrays[1], int64_t)[k]];
        if (!weight)
            continue;
        weight *= ITEMS(arrays[2], int64_t)[k];
        ITEMS(arrays[4], int64_t)[ITEMS(arrays[0], int64_t)[k]] += weight;
        total += weight;
    }
    found = PyLong_FromLongLong(total);
done:
    for (int a = 0; a < 5; a++)
        release_array(&arrays[a]);
    return found;
}

/* Values by domain with the domain of each row, for several topologies. */
typedef struct {
    Array values[MOST_TOPOLOGIES], index[MOST_TOPOLOGIES], rows, out;
    Py_ssize_t n;
} Gather;

static void release_gather(Gather *gather)
{
    for (Py_ssize_t s = 0; s < MOST_TOPOLOGIES; s++) {
        release_array(&gather->values[s]);
        release_array(&gather->index[s]);
    }
    release_array(&gather->rows);
    release_array(&gather->out);
}

/* Take (values, index) pairs, rows and the array to fill; -1 with an error set where they do not fit. */
static int take_gather(Gather *gather, PyObject *pairs, PyObject *rows, PyObject *out, Py_ssize_t size, Py_ssize_t out_size)
{
    if (!PyTuple_Check(pairs) || PyTuple_Size(pairs) > MOST_TOPOLOGIES) {
        PyErr_SetString(PyExc_ValueError, "a tuple of up to 16 pairs is wanted");
        return -1;
    }
    gather->n = PyTuple_Size(pairs);
    if (take_array(rows, &gather->rows, 8, 1, 0, 1) < 0 || take_array(out, &gather->out, out_size, 1, 1, 0) < 0)
        return -1;
    if (LENGTH(gather->out) != LENGTH(gather->rows)) {
        PyErr_SetString(PyExc_ValueError, "there is another number of rows");
        return -1;
    }
    for (Py_ssize_t s = 0; s < gather->n; s++) {
        PyObject *values, *index;
        PyObject *pair = PyTuple_GetItem(pairs, s);
        if (!PyTuple_Check(pair)) {
            PyErr_SetString(PyExc_TypeError, "a pair of values and index is wanted");
            return -1;
        }
        if (!PyArg_ParseTuple(pair, "OO", &values, &index) ||
            take_array(values, &gather->values[s], size, 1, 0, 0) < 0 ||
            take_array(index, &gather->index[s], 8, 1, 0, 0) < 0 ||
            !rows_within(&gather->rows, LENGTH(gather->index[s])))
            return -1;
    }
    return 0;
}

/* Whether the domain is one of the values; sets IndexError where it is not. */
static inline int has_domain(const Gather *gather, Py_ssize_t s, int64_t domain)
{
    if (domain >= 0 && domain < LENGTH(gather->values[s]))
        return 1;
    PyErr_SetString(PyExc_IndexError, "there is no such domain");
    return 0;
}

/* sum_terms(((terms float64, index), ...), rows, kept bool or None, ignored, out): the rounded sum of the terms of each
   row's domains, `ignored` where the row is not kept. Halves round up, as in pod_topology_spread/scoring.py. */
static PyObject *sum_terms(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Gather gather;
    Array kept = {0};
    PyObject *found = NULL;
    if (!has_arguments("sum_terms", n_args, 5))
        return NULL;
    memset(&gather, 0, sizeof(gather));
    long long ignored = PyLong_AsLongLong(args[3]);
    if (ignored == -1 && PyErr_Occurred())
        return NULL;
    if (take_gather(&gather, args[0], args[1], args[4], 8, 8) < 0 ||
        (args[2] != Py_None && take_array(args[2], &kept, 1, 1, 0, 0) < 0) ||
        (kept.held && !rows_within(&gather.rows, LENGTH(kept))))
        goto done;
    for (Py_ssize_t k = 0; k < LENGTH(gather.rows); k++) {
        int64_t row = AT(gather.rows, int64_t, k);
        double total = 0.0;
        for (Py_ssize_t s = 0; s < gather.n; s++) {
            int64_t domain = ITEMS(gather.index[s], int64_t)[row];
            if (!has_domain(&gather, s, domain))
                goto done;
            total += ITEMS(gather.values[s], double)[domain];
        }
        int is_kept = !kept.held || ITEMS(kept, uint8_t)[row];
        ITEMS(gather.out, int64_t)[k] = is_kept ? (int64_t)(total + 0.5) : ignored;
    }
    found = Py_NewRef(Py_None);
done:
    release_gather(&gather);
    release_array(&kept);
    return found;
}

/* first_codes(((codes uint8, index), ...), rows, out) -> whether any is above 0: for each row the first code above 0 of its
   domains */
static PyObject *first_codes(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Gather gather;
    PyObject *found = NULL;
    int any = 0;
    if (!has_arguments("first_codes", n_args, 3))
        return NULL;
    memset(&gather, 0, sizeof(gather));
    if (take_gather(&gather, args[0], args[1], args[2], 1, 1) < 0)
        goto done;
    for (Py_ssize_t k = 0; k < LENGTH(gather.rows); k++) {
        int64_t row = AT(gather.rows, int64_t, k);
        uint8_t code = 0;
        for (Py_ssize_t s = 0; s < gather.n && !code; s++) {
            int64_t domain = ITEMS(gather.index[s], int64_t)[row];
            if (!has_domain(&gather, s, domain))
                goto done;
            code = ITEMS(gather.values[s], uint8_t)[domain];
        }
        ITEMS(gather.out, uint8_t)[k] = code;
        any |= code;
    }
    found = PyBool_FromLong(any);
done:
    release_gather(&gather);
    return found;
}

PyMethodDef domain_functions[] = {
    {"follow", (PyCFunction)(void (*)(void))follow, METH_FASTCALL, "What the change log means to domains."},
    {"tally", (PyCFunction)(void (*)(void))tally, METH_FASTCALL, "What the change log means to counts by row."},
    {"sum_terms", (PyCFunction)(void (*)(void))sum_terms, METH_FASTCALL, "Raw scores from terms by domain."},
    {"first_codes", (PyCFunction)(void (*)(void))first_codes, METH_FASTCALL, "Verdicts from codes by domain."},
    {NULL},
};
