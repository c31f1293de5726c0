/* The arithmetic of the plugins about node resources on some rows of the matrix of amounts (columns/row_block.py).

   Twins of filter and score in plugins/node_resources, which say what everything means. Compiled with -fwrapv and
   without contraction of floats, so that results are those of numpy to the last bit. */
#include "arrays.h"

#define MOST_NEEDS 12
#define UNSCHEDULABLE 2

enum { POD_COUNT, ALLOWED_PODS }; /* lines of the matrix */
enum { LEAST_ALLOCATED, MOST_ALLOCATED, BALANCED };

/* Arrays of one call: amounts int64[lines, capacity], rows, lines of amounts and what belongs to each. */
typedef struct {
    Array amounts, rows, available, used, requests, weights, out;
} Call;

static void release_call(Call *call)
{
    release_array(&call->amounts);
    release_array(&call->rows);
    release_array(&call->available);
    release_array(&call->used);
    release_array(&call->requests);
    release_array(&call->weights);
    release_array(&call->out);
}

static int lines_within(const Array *lines, const Array *amounts, int behind)
{
    for (Py_ssize_t r = 0; r < LENGTH(*lines); r++) {
        int64_t line = ITEMS(*lines, int64_t)[r];
        if (line < 0 || line + behind >= LINES(*amounts)) {
            PyErr_SetString(PyExc_IndexError, "there is no such line of amounts");
            return 0;
        }
    }
    return 1;
}

/* short_of(amounts, rows, allocatable lines, wanted, reason of each pattern int32 or -1, patterns int64, codes uint8,
   reasons int32) -> all patterns together, -1 where the reason of one is not known.

   Bit 0 of a pattern: too many pods, bit i: the i-th need. A code is 0, UNSCHEDULABLE or
   UNSCHEDULABLE_AND_UNRESOLVABLE, where the empty node would be too small. */
static PyObject *short_of(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Call call = {0};
    Array known = {0}, codes = {0}, reasons = {0};
    PyObject *found = NULL;
    if (!has_arguments("short_of", n_args, 8))
        return NULL;
    if (take_array(args[0], &call.amounts, 8, 2, 0, 0) < 0 || take_array(args[1], &call.rows, 8, 1, 0, 1) < 0 ||
        take_array(args[2], &call.available, 8, 1, 0, 0) < 0 || take_array(args[3], &call.requests, 8, 1, 0, 0) < 0 ||
        take_array(args[4], &known, 4, 1, 0, 0) < 0 || take_array(args[5], &call.out, 8, 1, 1, 0) < 0 ||
        take_array(args[6], &codes, 1, 1, 1, 0) < 0 || take_array(args[7], &reasons, 4, 1, 1, 0) < 0)
        goto done;
    Py_ssize_t n = LENGTH(call.rows), capacity = LENGTH(call.amounts), n_needs = LENGTH(call.available);
    if (LENGTH(call.requests) != n_needs || LENGTH(call.out) != n || LENGTH(codes) != n || LENGTH(reasons) != n ||
        n_needs > MOST_NEEDS || LENGTH(known) != (Py_ssize_t)2 << n_needs || LINES(call.amounts) <= ALLOWED_PODS) {
        PyErr_SetString(PyExc_ValueError, "arrays of one length are wanted");
        goto done;
    }
    if (!rows_within(&call.rows, capacity) || !lines_within(&call.available, &call.amounts, 1))
        goto done;
    const int64_t *amounts = ITEMS(call.amounts, int64_t), *wanted = ITEMS(call.requests, int64_t);
    const int64_t *lines = ITEMS(call.available, int64_t);
    int64_t all = 0;
    for (Py_ssize_t k = 0; k < n; k++) {
        int64_t row = AT(call.rows, int64_t, k);
        int64_t pattern = amounts[POD_COUNT * capacity + row] >= amounts[ALLOWED_PODS * capacity + row];
        int too_small = 0;
        for (Py_ssize_t r = 0; r < n_needs; r++) {
            int64_t has = amounts[lines[r] * capacity + row], requested = amounts[(lines[r] + 1) * capacity + row];
            if (has - requested < wanted[r]) {
                pattern |= (int64_t)1 << (r + 1);
                too_small |= has < wanted[r];
            }
        }
        ITEMS(call.out, int64_t)[k] = pattern;
        ITEMS(codes, uint8_t)[k] = pattern ? UNSCHEDULABLE + too_small : 0;
        ITEMS(reasons, int32_t)[k] = pattern ? ITEMS(known, int32_t)[pattern] : 0;
        all |= pattern && ITEMS(known, int32_t)[pattern] < 0 ? -1 : pattern;
    }
    found = PyLong_FromLongLong(all);
done:
    release_call(&call);
    release_array(&known);
    release_array(&codes);
    release_array(&reasons);
    return found;
}

static inline int64_t amount(const Call *call, const Array *lines, Py_ssize_t r, int64_t row)
{
    return ITEMS(call->amounts, int64_t)[ITEMS(*lines, int64_t)[r] * LENGTH(call->amounts) + row];
}

static inline int64_t available(const Call *call, Py_ssize_t r, int64_t row)
{
    return amount(call, &call->available, r, row);
}

/* What would be in use with the pod, INT64_MAX where it would be more: both are 0 or more. */
static inline int64_t used_then(const Call *call, Py_ssize_t r, int64_t row)
{
    int64_t used = amount(call, &call->used, r, row), request = ITEMS(call->requests, int64_t)[r];
    return used > INT64_MAX - request ? INT64_MAX : used + request;
}

/* The weighted mean of what is free (or taken, for MOST_ALLOCATED) in whole percent. */
static int64_t allocation(const Call *call, int kind, int64_t row)
{
    int64_t total = 0, weights = 0;
    for (Py_ssize_t r = 0; r < LENGTH(call->available); r++) {
        int64_t has = available(call, r, row), used = used_then(call, r, row);
        if (has <= 0)
            continue;
        int64_t part = kind == LEAST_ALLOCATED ? (used > has ? 0 : has - used) : (used > has ? has : used);
        total += part * HIGHEST / has * ITEMS(call->weights, int64_t)[r];
        weights += ITEMS(call->weights, int64_t)[r];
    }
    return weights ? total / weights : 0;
}

static double fraction(const Call *call, Py_ssize_t r, int64_t row)
{
    int64_t has = available(call, r, row), used = used_then(call, r, row);
    if (has <= 0)
        return -1.0;
    double found = (double)used / (double)has;
    return found < 1.0 ? found : 1.0;
}

/* 100 less the standard deviation of two fractions in percent. */
static int64_t balance(const Call *call, int64_t row)
{
    double first = fraction(call, 0, row), second = fraction(call, 1, row), half = 0.0;
    if (first >= 0.0 && second >= 0.0) {
        half = (first - second) / 2;
        half = half < 0 ? -half : half;
    }
    return (int64_t)((1.0 - half) * (double)HIGHEST);
}

/* score_resources(kind, amounts, rows, allocatable lines, used lines, requests, weights, out) */
static PyObject *score_resources(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Call call = {0};
    PyObject *found = NULL;
    if (!has_arguments("score_resources", n_args, 8))
        return NULL;
    long kind = PyLong_AsLong(args[0]);
    if (kind == -1 && PyErr_Occurred())
        return NULL;
    if (take_array(args[1], &call.amounts, 8, 2, 0, 0) < 0 || take_array(args[2], &call.rows, 8, 1, 0, 1) < 0 ||
        take_array(args[3], &call.available, 8, 1, 0, 0) < 0 || take_array(args[4], &call.used, 8, 1, 0, 0) < 0 ||
        take_array(args[5], &call.requests, 8, 1, 0, 0) < 0 || take_array(args[6], &call.weights, 8, 1, 0, 0) < 0 ||
        take_array(args[7], &call.out, 8, 1, 1, 0) < 0)
        goto done;
    Py_ssize_t n = LENGTH(call.rows), n_resources = LENGTH(call.available);
    if (LENGTH(call.used) != n_resources || LENGTH(call.requests) != n_resources || LENGTH(call.weights) != n_resources ||
        LENGTH(call.out) != n || kind < LEAST_ALLOCATED || kind > BALANCED || (kind == BALANCED && n_resources != 2)) {
        PyErr_SetString(PyExc_ValueError, "arrays of one length and a known kind are wanted");
        goto done;
    }
    if (!rows_within(&call.rows, LENGTH(call.amounts)) || !lines_within(&call.available, &call.amounts, 0) ||
        !lines_within(&call.used, &call.amounts, 0))
        goto done;
    for (Py_ssize_t k = 0; k < n; k++) {
        int64_t row = AT(call.rows, int64_t, k);
        ITEMS(call.out, int64_t)[k] = kind == BALANCED ? balance(&call, row) : allocation(&call, (int)kind, row);
    }
    found = Py_NewRef(Py_None);
done:
    release_call(&call);
    return found;
}

/* count_pod(amounts, row, lines, values, sign) -> whether the values were added to the row of these lines, or taken off;
   nothing was where a sum would be above INT64_MAX */
static PyObject *count_pod(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    Array amounts = {0}, lines = {0}, values = {0};
    PyObject *found = NULL;
    if (!has_arguments("count_pod", n_args, 5))
        return NULL;
    Py_ssize_t row = PyLong_AsSsize_t(args[1]), sign = PyLong_AsSsize_t(args[4]);
    if (PyErr_Occurred())
        return NULL;
    if (take_array(args[0], &amounts, 8, 2, 1, 0) < 0 || take_array(args[2], &lines, 8, 1, 0, 0) < 0 ||
        take_array(args[3], &values, 8, 1, 0, 0) < 0)
        goto done;
    if (LENGTH(lines) != LENGTH(values) || row < 0 || row >= LENGTH(amounts)) {
        PyErr_SetString(PyExc_ValueError, "a row, and a value for each line are wanted");
        goto done;
    }
    if (!lines_within(&lines, &amounts, 0))
        goto done;
    int64_t *sums = ITEMS(amounts, int64_t) + row;
    const int64_t *line = ITEMS(lines, int64_t), *value = ITEMS(values, int64_t);
    Py_ssize_t capacity = LENGTH(amounts);
    int fits = 1;
    for (Py_ssize_t k = 0; sign > 0 && k < LENGTH(lines); k++)
        fits &= sums[line[k] * capacity] <= INT64_MAX - value[k];
    for (Py_ssize_t k = 0; fits && k < LENGTH(lines); k++)
        sums[line[k] * capacity] += sign * value[k];
    found = PyBool_FromLong(fits);
done:
    release_array(&amounts);
    release_array(&lines);
    release_array(&values);
    return found;
}

PyMethodDef resource_functions[] = {
    {"count_pod", (PyCFunction)(void (*)(void))count_pod, METH_FASTCALL, "Count what a pod requests on a row."},
    {"short_of", (PyCFunction)(void (*)(void))short_of, METH_FASTCALL, "What the rows lack of what a pod needs."},
    {"score_resources", (PyCFunction)(void (*)(void))score_resources, METH_FASTCALL, "Score rows by their resources."},
    {NULL},
};
