/* Values of a line on some rows as a recording holds them. */
#ifndef SCHEDSCOPE_RECORDED_LINES_H
#define SCHEDSCOPE_RECORDED_LINES_H

#include "line_forms.h"

/* Bytes that are written one behind the other. Zeroed before use; `bytes` is the owner's to free. */
typedef struct {
    char *bytes;
    Py_ssize_t n, room;
} Written;

/* Make room for more numbers; -1 with MemoryError set if there is none. */
int make_room(Written *written, Py_ssize_t more);

/* A line of a matrix with items of 1 byte without sign, or of 2, 4 or 8 with one; the rows at hand, NULL for the first n;
   how many bytes a value gets, and whether these have a sign; what was recorded of the line, NULL where that does not
   matter. */
typedef struct {
    const char *items;
    Py_ssize_t itemsize;
    const int64_t *rows;
    Py_ssize_t n, size;
    int is_signed;
    char *recorded;
} Values;

/* Write the values one by one, little-endian: 0, 1 where one does not fit, -1 with an error set. */
int write_plainly(const Values *v, Written *written);

/* How a line was written: its form, and the rows for which that does not hold. */
typedef struct {
    int form;
    int64_t others[MOST_OTHERS];
    Py_ssize_t n_others;
} Outcome;

/* Write the values, or what is to be added to those recorded, in the form that is shortest. What was recorded is brought up
   to date. `bits_at` is where the bits of the last line of two values on these rows were written, -1 where there was none.
   Returns as write_plainly does. */
int write_shortly(const Values *v, Written *written, Outcome *outcome, Py_ssize_t *bits_at);

/* Record the values as they are: 0, 1 where one does not fit (what is recorded means nothing then), -1 with an error set. */
int record(const Values *v);

#endif
