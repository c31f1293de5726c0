/* What the kernel uses of Python and of C's library, declared here, so that it is built without any header: by a compiler
   that comes as a wheel, or where a compiler is installed but Python's headers and the C library's are not.

   Everything of Python belongs to its stable ABI (https://docs.python.org/3/c-api/stable.html), which is the same in every
   CPython from 3.11 on that has its global lock. tests/scheduler_core/compiled/test_python_abi.py compares these
   declarations with Python's headers, where there are some. */
#ifndef SCHEDSCOPE_PYTHON_ABI_H
#define SCHEDSCOPE_PYTHON_ABI_H

#ifndef Py_PYTHON_H /* the comparison includes Python.h first, and takes all types and constants from there */

#include <stddef.h> /* part of the compiler: size_t, ptrdiff_t, NULL, offsetof */

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef size_t uintptr_t;

#define INT16_MIN (-32767 - 1)
#define INT32_MAX 2147483647
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-INT64_MAX - 1)

typedef ptrdiff_t Py_ssize_t;
#define PY_SSIZE_T_MAX ((Py_ssize_t)((size_t)-1 >> 1))

typedef struct _typeobject PyTypeObject;
typedef struct _object {
    Py_ssize_t ob_refcnt;
    PyTypeObject *ob_type;
} PyObject;
#define PyObject_HEAD PyObject ob_base;

typedef struct {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
enum { PyBUF_WRITABLE = 0x1, PyBUF_FORMAT = 0x4, PyBUF_STRIDES = 0x18, PyBUF_C_CONTIGUOUS = 0x38 };

typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef struct PyMethodDef {
    const char *ml_name;
    PyCFunction ml_meth;
    int ml_flags;
    const char *ml_doc;
} PyMethodDef;
enum { METH_NOARGS = 0x4, METH_O = 0x8, METH_FASTCALL = 0x80 };

typedef struct PyModuleDef_Slot {
    int slot;
    void *value;
} PyModuleDef_Slot;
enum { Py_mod_exec = 2 };

typedef struct PyModuleDef_Base {
    PyObject ob_base;
    PyObject *(*m_init)(void);
    Py_ssize_t m_index;
    PyObject *m_copy;
} PyModuleDef_Base;
#define PyModuleDef_HEAD_INIT {{1, NULL}, NULL, 0, NULL}
typedef struct PyModuleDef {
    PyModuleDef_Base m_base;
    const char *m_name, *m_doc;
    Py_ssize_t m_size;
    PyMethodDef *m_methods;
    PyModuleDef_Slot *m_slots;
    void *m_traverse, *m_clear, *m_free;
} PyModuleDef;

typedef struct {
    int slot;
    void *pfunc;
} PyType_Slot;
enum { Py_tp_dealloc = 52, Py_tp_doc = 56, Py_tp_methods = 64, Py_tp_new = 65 };
typedef struct {
    const char *name;
    int basicsize, itemsize;
    unsigned int flags;
    PyType_Slot *slots;
} PyType_Spec;
#define Py_TPFLAGS_DEFAULT 0
#define Py_TPFLAGS_LIST_SUBCLASS (1UL << 25)
#define Py_TPFLAGS_TUPLE_SUBCLASS (1UL << 26)
#define Py_TPFLAGS_DICT_SUBCLASS (1UL << 29)

extern PyObject _Py_NoneStruct, _Py_TrueStruct, _Py_FalseStruct;
#define Py_None (&_Py_NoneStruct)
#define Py_True (&_Py_TrueStruct)
#define Py_False (&_Py_FalseStruct)

#define Py_INCREF(object) Py_IncRef((PyObject *)(object))
#define Py_DECREF(object) Py_DecRef((PyObject *)(object))
#define Py_XDECREF(object) Py_DecRef((PyObject *)(object))
#define Py_CLEAR(place)                                                                                                 \
    do {                                                                                                                \
        PyObject *cleared = (PyObject *)(place);                                                                        \
        (place) = NULL;                                                                                                 \
        Py_DecRef(cleared);                                                                                             \
    } while (0)
#define Py_RETURN_NONE return Py_NewRef(Py_None)
#define Py_TYPE(object) (((PyObject *)(object))->ob_type)
#define PyList_Check(object) ((PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_LIST_SUBCLASS) != 0)
#define PyTuple_Check(object) ((PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_TUPLE_SUBCLASS) != 0)
#define PyDict_Check(object) ((PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_DICT_SUBCLASS) != 0)

#define PyMODINIT_FUNC __attribute__((visibility("default"))) PyObject *

#endif

/* --- functions; the names of the parameters say what is not plain ---------------------------------------------------- */

void *memcpy(void *to, const void *from, size_t n);
void *memset(void *at, int byte, size_t n);
int memcmp(const void *one, const void *other, size_t n);

extern PyObject *PyExc_IndexError, *PyExc_OverflowError, *PyExc_TypeError, *PyExc_ValueError;
PyObject *PyErr_Format(PyObject *kind, const char *format, ...);
PyObject *PyErr_NoMemory(void);
PyObject *PyErr_Occurred(void);
void PyErr_SetString(PyObject *kind, const char *text);

void Py_DecRef(PyObject *or_null);
void Py_IncRef(PyObject *or_null);
PyObject *Py_NewRef(PyObject *object);
PyObject *Py_XNewRef(PyObject *or_null);
extern PyTypeObject PyTuple_Type;
PyObject *PyType_GenericAlloc(PyTypeObject *type, Py_ssize_t n_items);
unsigned long PyType_GetFlags(PyTypeObject *type);
PyObject *PyType_FromSpec(PyType_Spec *spec);
void PyObject_Free(void *object);

void *PyMem_Malloc(size_t size);
void *PyMem_Calloc(size_t n, size_t size);
void *PyMem_Realloc(void *at, size_t size);
void PyMem_Free(void *at_or_null);

int PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
void PyBuffer_Release(Py_buffer *view);

int PyArg_ParseTuple(PyObject *arguments, const char *format, ...);
PyObject *Py_BuildValue(const char *format, ...);
PyObject *PyBool_FromLong(long value);
long PyLong_AsLong(PyObject *number);
long long PyLong_AsLongLong(PyObject *number);
Py_ssize_t PyLong_AsSsize_t(PyObject *number);
PyObject *PyLong_FromLongLong(long long value);
PyObject *PyLong_FromSsize_t(Py_ssize_t value);
PyObject *PyBytes_FromStringAndSize(const char *bytes_or_null, Py_ssize_t n);
char *PyBytes_AsString(PyObject *bytes);
int PyDict_Next(PyObject *dict, Py_ssize_t *position, PyObject **borrowed_key, PyObject **borrowed_value);
PyObject *PyList_New(Py_ssize_t n);
Py_ssize_t PyList_Size(PyObject *list);
PyObject *PyList_GetItem(PyObject *list, Py_ssize_t i); /* borrowed */
int PyList_SetItem(PyObject *list, Py_ssize_t i, PyObject *stolen);
int PyList_Append(PyObject *list, PyObject *item);
PyObject *PyList_AsTuple(PyObject *list);
PyObject *PyTuple_New(Py_ssize_t n);
Py_ssize_t PyTuple_Size(PyObject *tuple);
PyObject *PyTuple_GetItem(PyObject *tuple, Py_ssize_t i); /* borrowed */
int PyTuple_SetItem(PyObject *tuple, Py_ssize_t i, PyObject *stolen);

PyObject *PyModuleDef_Init(struct PyModuleDef *definition);
int PyModule_AddFunctions(PyObject *module, PyMethodDef *functions);
int PyModule_AddStringConstant(PyObject *module, const char *name, const char *value);
int PyModule_AddType(PyObject *module, PyTypeObject *type);

#endif
