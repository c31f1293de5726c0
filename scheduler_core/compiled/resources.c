/* The arithmetic of the plugins about node resources on some rows of the matrix of amounts (columns/row_block.py).

   Twins of filter and score in plugins/node_resources, which say what everything means. Compiled with -fwrapv and
   without contraction of floats, so that results are those of numpy to the last bit. */
#include "arrays.h"

#include "arguments.h"

#define MOST_NEEDS 12
#define UNSCHEDULABLE 2

enum { POD_COUNT, ALLOWED_PODS }; /* lines of the matrix */
enum { LEAST_ALLOCATED, MOST_ALLOCATED, BALANCED, BALANCED_BY_CHANGE };

typedef ScoreResourcesArguments Call;

/* short_of(amounts, rows, allocatable lines, pod_requests, reason of each pattern int32 or -1, patterns int64, codes uint8,
   reasons int32) -> all patterns together, -1 where the reason of one is not known.

   Bit 0 of a pattern: too many pods, bit i: the i-th need. A code is 0, UNSCHEDULABLE or
   UNSCHEDULABLE_AND_UNRESOLVABLE, where the empty node would be too small. */
static PyObject *short_of(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    ShortOfArguments a;
    if (!take_short_of(&a, args, n_args))
        return NULL;
    Py_ssize_t capacity = LENGTH(a.amounts), n_needs = LENGTH(a.available);
    if (n_needs > MOST_NEEDS || LENGTH(a.by_pattern) != (Py_ssize_t)2 << n_needs || LINES(a.amounts) <= ALLOWED_PODS) {
        release_short_of(&a);
        PyErr_SetString(PyExc_ValueError, "a reason of each pattern of up to 12 needs is wanted");
        return NULL;
    }
    const int64_t *amounts = ITEMS(a.amounts, int64_t), *pod_requests = ITEMS(a.pod_requests, int64_t);
    const int64_t *lines = ITEMS(a.available, int64_t);
    const int32_t *known = ITEMS(a.by_pattern, int32_t);
    for (Py_ssize_t r = 0; r < n_needs; r++)
        if (!number_within(lines[r] + 1, LINES(a.amounts))) { /* what is requested stands in the next line */
            release_short_of(&a);
            return NULL;
        }
    int64_t all = 0;
    for (Py_ssize_t k = 0; k < LENGTH(a.rows); k++) {
        int64_t row = AT(a.rows, int64_t, k);
        int64_t pattern = amounts[POD_COUNT * capacity + row] >= amounts[ALLOWED_PODS * capacity + row];
        int too_small = 0;
        for (Py_ssize_t r = 0; r < n_needs; r++) {
            int64_t has = amounts[lines[r] * capacity + row], requested = amounts[(lines[r] + 1) * capacity + row];
            if (has - requested < pod_requests[r]) {
                pattern |= (int64_t)1 << (r + 1);
                too_small |= has < pod_requests[r];
            }
        }
        ITEMS(a.patterns_out, int64_t)[k] = pattern;
        ITEMS(a.codes, uint8_t)[k] = pattern ? UNSCHEDULABLE + too_small : 0;
        ITEMS(a.reasons, int32_t)[k] = pattern ? known[pattern] : 0;
        all |= pattern && known[pattern] < 0 ? -1 : pattern;
    }
    release_short_of(&a);
    return PyLong_FromLongLong(all);
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

static double fraction(const Call *call, Py_ssize_t r, int64_t row, int with_pod)
{
    int64_t has = available(call, r, row);
    if (has <= 0)
        return -1.0;
    int64_t used = with_pod ? used_then(call, r, row) : amount(call, &call->used, r, row);
    double found = (double)used / (double)has;
    return found < 1.0 ? found : 1.0;
}

/* 100 less the standard deviation of two fractions in percent. */
static int64_t balance(const Call *call, int64_t row, int with_pod)
{
    double first = fraction(call, 0, row, with_pod), second = fraction(call, 1, row, with_pod), half = 0.0;
    if (first >= 0.0 && second >= 0.0) {
        half = (first - second) / 2;
        half = half < 0 ? -half : half;
    }
    return (int64_t)((1.0 - half) * (double)HIGHEST);
}

/* How much the balance gains by the pod: 75 where it stays, 50 and 100 at the most that two fractions allow. */
static int64_t balance_change(const Call *call, int64_t row)
{
    return HIGHEST / 2 + (HIGHEST / 2 + balance(call, row, 1) - balance(call, row, 0)) / 2;
}

static int64_t score(const Call *call, int64_t row)
{
    switch (call->kind) {
    case BALANCED:
        return balance(call, row, 1);
    case BALANCED_BY_CHANGE:
        return balance_change(call, row);
    default:
        return allocation(call, (int)call->kind, row);
    }
}

/* score_resources(kind, amounts, rows, allocatable lines, used lines, requests, weights, out) */
static PyObject *score_resources(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    ScoreResourcesArguments a;
    if (!take_score_resources(&a, args, n_args))
        return NULL;
    if (a.kind < LEAST_ALLOCATED || a.kind > BALANCED_BY_CHANGE || (a.kind >= BALANCED && LENGTH(a.available) != 2)) {
        release_score_resources(&a);
        PyErr_SetString(PyExc_ValueError, "a known kind is wanted, and two resources to balance");
        return NULL;
    }
    for (Py_ssize_t k = 0; k < LENGTH(a.rows); k++) {
        int64_t row = AT(a.rows, int64_t, k);
        ITEMS(a.out, int64_t)[k] = score(&a, row);
    }
    release_score_resources(&a);
    return Py_NewRef(Py_None);
}

/* count_pod(amounts, row, lines, values, sign) -> whether the values were added to the row of these lines, or taken off;
   nothing was where a sum would be above INT64_MAX */
static PyObject *count_pod(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    CountPodArguments a;
    if (!take_count_pod(&a, args, n_args))
        return NULL;
    int64_t *sums = ITEMS(a.amounts, int64_t) + a.row;
    const int64_t *line = ITEMS(a.which, int64_t), *value = ITEMS(a.values, int64_t);
    Py_ssize_t capacity = LENGTH(a.amounts);
    int fits = 1;
    for (Py_ssize_t k = 0; a.sign > 0 && k < LENGTH(a.which); k++)
        fits &= sums[line[k] * capacity] <= INT64_MAX - value[k];
    for (Py_ssize_t k = 0; fits && k < LENGTH(a.which); k++)
        sums[line[k] * capacity] += a.sign * value[k];
    release_count_pod(&a);
    return PyBool_FromLong(fits);
}

PyMethodDef resource_functions[] = {
    {"count_pod", (PyCFunction)(void (*)(void))count_pod, METH_FASTCALL, "Count what a pod requests on a row."},
    {"short_of", (PyCFunction)(void (*)(void))short_of, METH_FASTCALL, "What the rows lack of what a pod needs."},
    {"score_resources", (PyCFunction)(void (*)(void))score_resources, METH_FASTCALL, "Score rows by their resources."},
    {NULL},
};
