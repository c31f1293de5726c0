/* Groups of rows with the lines that changed there, written one behind the other: see recording/frames/group_writer.py. */
#ifndef SCHEDSCOPE_GROUPS_H
#define SCHEDSCOPE_GROUPS_H

#include "recorded_lines.h"

enum { CODES, REASONS, DECISIVE, RAW, N_PARTS };       /* parts of a matrix: see framework/contracts/change_set.py */
enum { NUMBERS = 0, STEPS = 1, KNOWN = 2, WHOLE = -1 }; /* how rows are written: see recording/frames/codec.py */

typedef struct {
    PyObject_HEAD
    Py_ssize_t n_rows, n_filters, n_scores, row_size, reason_size, decisive_size;
    Py_ssize_t *raw_sizes;
    char **recorded; /* of each raw line in which many rows changed since the key */
    PyObject **known; /* rows told since the key, in order; NULL where they may not be told by their number */
    Py_ssize_t n_known, known_room;
} GroupWriter;

/* What one call works on: the arrays of a frame, and what comes out. */
typedef struct {
    Array parts[N_PARTS];
    Written written;
    PyObject *told;
} Call;

typedef struct {
    const int64_t *rows; /* NULL: all of them */
    Py_ssize_t n;
    int how;
} Rows;

typedef struct {
    long part, index;
} LineNumber;

/* Tell which rows a group is about; `object` is the array that stays as it is, NULL where none does. -1 with an error
   set. */
int tell(GroupWriter *self, Call *call, Rows *rows, PyObject *object);

/* Write a group whose rows were written before, and its lines' other rows as groups of their own: 0, 1 where a value does not fit, -1
   with an error set. */
int write_group(GroupWriter *self, Call *call, const Rows *rows, const LineNumber *lines, Py_ssize_t n_lines);

#endif
