/* The account of one candidate of a preemption as MessagePack: what framework/preemption_kept.py writes by msgspec. */
#include "arrays.h"

#include <string.h>

#define STAYS 1 /* a fate: see framework/preemption_lockstep.py */

typedef struct {
    uint8_t *bytes, *end;
} Out;

static void put_big(Out *out, uint8_t head, uint64_t number, int size)
{
    *out->end++ = head;
    for (int b = size - 1; b >= 0; b--)
        *out->end++ = (uint8_t)(number >> (8 * b));
}

static void put_integer(Out *out, int64_t number)
{
    uint64_t bits = (uint64_t)number;
    if (number >= 0)
        if (number < 128)
            *out->end++ = (uint8_t)number;
        else
            put_big(out, number < 256 ? 0xcc : number < 65536 ? 0xcd : number < 4294967296 ? 0xce : 0xcf, bits,
                    number < 256 ? 1 : number < 65536 ? 2 : number < 4294967296 ? 4 : 8);
    else if (number >= -32)
        *out->end++ = (uint8_t)bits;
    else
        put_big(out, number >= INT8_MIN ? 0xd0 : number >= INT16_MIN ? 0xd1 : number >= INT32_MIN ? 0xd2 : 0xd3, bits,
                number >= INT8_MIN ? 1 : number >= INT16_MIN ? 2 : number >= INT32_MIN ? 4 : 8);
}

static void put_array(Out *out, Py_ssize_t n)
{
    if (n < 16)
        *out->end++ = (uint8_t)(0x90 | n);
    else
        put_big(out, n < 65536 ? 0xdc : 0xdd, (uint64_t)n, n < 65536 ? 2 : 4);
}

static void put_text(Out *out, const char *text, Py_ssize_t size)
{
    if (size < 32)
        *out->end++ = (uint8_t)(0xa0 | size);
    else
        put_big(out, size < 256 ? 0xd9 : size < 65536 ? 0xda : 0xdb, (uint64_t)size, size < 256 ? 1 : size < 65536 ? 2 : 4);
    memcpy(out->end, text, size);
    out->end += size;
}

/* The UTF-8 text of a str; NULL with an error set. */
static const char *text_of(PyObject *object, Py_ssize_t *size)
{
    if (PyUnicode_Check(object))
        return PyUnicode_AsUTF8AndSize(object, size);
    PyErr_SetString(PyExc_TypeError, "names and keys that are str are wanted");
    return NULL;
}

/* What one call is about. `fates` has one byte for each key from `first` on. */
typedef struct {
    PyObject *node, *keys;
    Py_ssize_t first, n;
    const uint8_t *fates;
    int64_t numbers[4]; /* violations, highest priority, sum of priorities, latest start */
} Candidate;

static int put_keys(Out *out, const Candidate *of, int staying)
{
    Py_ssize_t n = 0, size;
    for (Py_ssize_t k = 0; k < of->n; k++)
        n += (of->fates[k] == STAYS) == staying;
    put_array(out, n);
    for (Py_ssize_t k = 0; k < of->n; k++) {
        if ((of->fates[k] == STAYS) != staying)
            continue;
        const char *text = text_of(PyList_GET_ITEM(of->keys, of->first + k), &size);
        if (text == NULL)
            return -1;
        put_text(out, text, size);
    }
    return 0;
}

/* Bytes that are enough; -1 with an error set. */
static Py_ssize_t room_of(const Candidate *of)
{
    Py_ssize_t size, room = 1 + 2 * 5 + 4 * 9;
    if (text_of(of->node, &size) == NULL)
        return -1;
    room += size + 5;
    for (Py_ssize_t k = 0; k < of->n; k++) {
        if (text_of(PyList_GET_ITEM(of->keys, of->first + k), &size) == NULL)
            return -1;
        room += size + 5;
    }
    return room;
}

static PyObject *written(const Candidate *of)
{
    Py_ssize_t size, room = room_of(of);
    Out out;
    if (room < 0)
        return NULL;
    if ((out.bytes = out.end = PyMem_Malloc(room)) == NULL)
        return PyErr_NoMemory();
    const char *name = text_of(of->node, &size);
    put_array(&out, 7);
    put_text(&out, name, size);
    int failed = put_keys(&out, of, 0);
    put_integer(&out, of->numbers[0]);
    failed = failed < 0 ? failed : put_keys(&out, of, 1);
    for (int i = 1; i < 4; i++)
        put_integer(&out, of->numbers[i]);
    PyObject *found = failed < 0 ? NULL : PyBytes_FromStringAndSize((char *)out.bytes, out.end - out.bytes);
    PyMem_Free(out.bytes);
    return found;
}

/* victim_set(node, keys, first, fates, violations, highest, total, start) -> the VictimSet of the node as MessagePack:
   `fates` are those of the keys from `first` on, victims are told in their order */
static PyObject *victim_set(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
    if (!has_arguments("victim_set", n_args, 8))
        return NULL;
    if (!PyList_Check(args[1]) || !PyBytes_Check(args[3])) {
        PyErr_SetString(PyExc_TypeError, "a list of keys and their fates as bytes are wanted");
        return NULL;
    }
    Candidate of = {.node = args[0], .keys = args[1], .first = PyLong_AsSsize_t(args[2]), .n = PyBytes_GET_SIZE(args[3])};
    of.fates = (const uint8_t *)PyBytes_AS_STRING(args[3]);
    for (int i = 0; i < 4 && !PyErr_Occurred(); i++)
        of.numbers[i] = PyLong_AsLongLong(args[4 + i]);
    if (PyErr_Occurred())
        return NULL;
    if (of.first < 0 || of.first > PyList_GET_SIZE(of.keys) || of.n != PyList_GET_SIZE(of.keys) - of.first) {
        PyErr_SetString(PyExc_ValueError, "a fate for each key is wanted");
        return NULL;
    }
    return written(&of);
}

PyMethodDef victim_functions[] = {
    {"victim_set", (PyCFunction)(void (*)(void))victim_set, METH_FASTCALL, "A candidate's account as MessagePack."},
    {NULL},
};
