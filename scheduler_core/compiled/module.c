/* The compiled kernel: row operations of the kept matrices. See scheduler_core/compiled/__init__.py. */
#include "arrays.h"

static int add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL)
        return -1;
    int failed = PyModule_AddType(module, (PyTypeObject *)type);
    Py_DECREF(type);
    return failed;
}

static int fill_module(PyObject *module)
{
    PyMethodDef *parts[] = {resource_functions, row_functions, domain_functions};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (PyModule_AddFunctions(module, parts[i]) < 0)
            return -1;
    if (PyModule_AddStringConstant(module, "SOURCES", SOURCES) < 0)
        return -1;
    PyType_Spec *types[] = {&score_table_spec, &verdict_table_spec, &group_writer_spec};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (add_type(module, types[i]) < 0)
            return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, fill_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel", "Row operations of the kept matrices.", 0, NULL, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__kernel(void)
{
    return PyModuleDef_Init(&definition);
}
