/* From domains of a topology to rows and back: counts that follow the change log, and what rows get from domains. */
#include "arrays.h"

#include "arguments.h"

/* follow(rows, classes, signs, weights, counted_at) -> [(domain, amount)] for the entries of the change log whose class has
   a weight and whose row counts for a domain (counted_at is below 0 where it does not) */
static PyObject *follow(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    FollowArguments a;
    if (!take_follow(&a, args, n_args))
        return NULL;
    PyObject *list = PyList_New(0);
    for (Py_ssize_t k = 0; list != NULL && k < LENGTH(a.rows); k++) {
        int64_t weight = AT(a.weights, int64_t, AT(a.classes, int64_t, k));
        int64_t domain = AT(a.counted_at, int64_t, AT(a.rows, int64_t, k));
        if (!weight || domain < 0)
            continue;
        PyObject *one = Py_BuildValue("(LL)", (long long)domain, (long long)(weight * AT(a.signs, int64_t, k)));
        if (one == NULL || PyList_Append(list, one) < 0)
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    release_follow(&a);
    return list;
}

/* tally(rows, classes, signs, weights, counts) -> sum of what was added: the weight of its class, with its sign, is added to the
   count of the row of each entry of the change log */
static PyObject *tally(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    TallyArguments a;
    int64_t total = 0;
    if (!take_tally(&a, args, n_args))
        return NULL;
    for (Py_ssize_t k = 0; k < LENGTH(a.rows); k++) {
        int64_t weight = ITEMS(a.weights, int64_t)[ITEMS(a.classes, int64_t)[k]];
        if (!weight)
            continue;
        weight *= ITEMS(a.signs, int64_t)[k];
        ITEMS(a.counts, int64_t)[ITEMS(a.rows, int64_t)[k]] += weight;
        total += weight;
    }
    release_tally(&a);
    return PyLong_FromLongLong(total);
}

/* Values by domain with the domain of each row, for several topologies. */
typedef struct {
    Array values[MOST_TOPOLOGIES], index[MOST_TOPOLOGIES];
    Py_ssize_t n;
} Gather;

static void release_gather(Gather *gather)
{
    for (Py_ssize_t s = 0; s < MOST_TOPOLOGIES; s++) {
        release_array(&gather->values[s]);
        release_array(&gather->index[s]);
    }
}

/* Take (values, index) pairs, where each index has an item for each of the rows; -1 with an error set where they do not
   fit. */
static int take_gather(Gather *gather, PyObject *pairs, const Array *rows, const char *formats)
{
    memset(gather, 0, sizeof(*gather));
    if (!PyTuple_Check(pairs) || PyTuple_Size(pairs) > MOST_TOPOLOGIES) {
        PyErr_SetString(PyExc_ValueError, "a tuple of up to 16 pairs is wanted");
        return -1;
    }
    gather->n = PyTuple_Size(pairs);
    for (Py_ssize_t s = 0; s < gather->n; s++) {
        PyObject *values, *index;
        PyObject *pair = PyTuple_GetItem(pairs, s);
        if (!PyTuple_Check(pair)) {
            PyErr_SetString(PyExc_TypeError, "a pair of values and index is wanted");
            return -1;
        }
        if (!PyArg_ParseTuple(pair, "OO", &values, &index) ||
            take_array(values, &gather->values[s], formats, 1, 0, 0) < 0 ||
            take_array(index, &gather->index[s], "lq", 1, 0, 0) < 0 ||
            !rows_within(rows, LENGTH(gather->index[s])))
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

/* sum_terms(((terms float64, index), ...), rows, row_mask bool or None, ignored, out): the rounded sum of the terms of each
   row's domains, `ignored` where the mask is 0. Halves round up, as in pod_topology_spread/scoring.py. */
static PyObject *sum_terms(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    SumTermsArguments a;
    Gather gather;
    PyObject *found = NULL;
    if (!take_sum_terms(&a, args, n_args))
        return NULL;
    if (take_gather(&gather, a.terms, &a.rows, "d") < 0 ||
        (a.row_mask.held && !rows_within(&a.rows, LENGTH(a.row_mask))))
        goto done;
    for (Py_ssize_t k = 0; k < LENGTH(a.rows); k++) {
        int64_t row = AT(a.rows, int64_t, k);
        double total = 0.0;
        for (Py_ssize_t s = 0; s < gather.n; s++) {
            int64_t domain = ITEMS(gather.index[s], int64_t)[row];
            if (!has_domain(&gather, s, domain))
                goto done;
            total += ITEMS(gather.values[s], double)[domain];
        }
        int is_taken = !a.row_mask.held || ITEMS(a.row_mask, uint8_t)[row];
        ITEMS(a.out, int64_t)[k] = is_taken ? (int64_t)(total + 0.5) : a.ignored;
    }
    found = Py_NewRef(Py_None);
done:
    release_gather(&gather);
    release_sum_terms(&a);
    return found;
}

/* first_codes(((codes uint8, index), ...), rows, out) -> whether any is above 0: for each row the first code above 0 of its
   domains */
static PyObject *first_codes(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    FirstCodesArguments a;
    Gather gather;
    PyObject *found = NULL;
    int any = 0;
    if (!take_first_codes(&a, args, n_args))
        return NULL;
    if (take_gather(&gather, a.codes, &a.rows, "B?") < 0)
        goto done;
    for (Py_ssize_t k = 0; k < LENGTH(a.rows); k++) {
        int64_t row = AT(a.rows, int64_t, k);
        uint8_t code = 0;
        for (Py_ssize_t s = 0; s < gather.n && !code; s++) {
            int64_t domain = ITEMS(gather.index[s], int64_t)[row];
            if (!has_domain(&gather, s, domain))
                goto done;
            code = ITEMS(gather.values[s], uint8_t)[domain];
        }
        ITEMS(a.out, uint8_t)[k] = code;
        any |= code;
    }
    found = PyBool_FromLong(any);
done:
    release_gather(&gather);
    release_first_codes(&a);
    return found;
}

PyMethodDef domain_functions[] = {
    {"follow", (PyCFunction)(void (*)(void))follow, METH_FASTCALL, "What the change log means to domains."},
    {"tally", (PyCFunction)(void (*)(void))tally, METH_FASTCALL, "What the change log means to counts by row."},
    {"sum_terms", (PyCFunction)(void (*)(void))sum_terms, METH_FASTCALL, "Raw scores from terms by domain."},
    {"first_codes", (PyCFunction)(void (*)(void))first_codes, METH_FASTCALL, "Verdicts from codes by domain."},
    {NULL},
};
