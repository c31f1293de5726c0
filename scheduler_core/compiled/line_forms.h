/* The forms in which numbers of a line are written, as bits: see recording/frames/codec.py. */
#ifndef SCHEDSCOPE_LINE_FORMS_H
#define SCHEDSCOPE_LINE_FORMS_H

#include "arrays.h"

#define MOST_OTHERS 16
#define MOST_KNOWN 16

enum { PLAIN = 0, ONE = 1, DIFFERENCES = 2, TWO = 4, BY_RECORDED = 8, SAME_ROWS = 16 };

/* Write a number, little-endian. */
static inline void put(char *at, Py_ssize_t size, int64_t number)
{
    for (Py_ssize_t b = 0; b < size; b++)
        at[b] = (char)((uint64_t)number >> (8 * b));
}

/* Whether all numbers are the same. */
int are_one(const int64_t *numbers, Py_ssize_t n);

/* The two numbers that most rows have, if no more than MOST_OTHERS have another one; how many of them there are, 1 or 2, or
   0 where there are more others. */
int find_two(const int64_t *given, Py_ssize_t n, int64_t *two);

/* What rows are to get by what was recorded of them; `at` finds an entry by the lowest byte of what was recorded. */
typedef struct {
    int64_t known[MOST_KNOWN], number[MOST_KNOWN];
    Py_ssize_t votes[MOST_KNOWN];
    int n;
    uint8_t at[256];
} ByRecorded;

static inline int entry_of(ByRecorded *by, int64_t known)
{
    int i = by->at[(uint8_t)known];
    if (i < by->n && by->known[i] == known)
        return i;
    for (i = 0; i < by->n && by->known[i] != known; i++)
        ;
    by->at[(uint8_t)known] = (uint8_t)i;
    return i;
}

/* Find what most rows of each recorded number get; how many rows get something else, or more than MOST_OTHERS. */
Py_ssize_t find_by_recorded(ByRecorded *by, const int64_t *known, const int64_t *numbers, Py_ssize_t n);

/* How many numbers there are, then what was recorded, then what is to be added to each. Returns the bytes written. */
Py_ssize_t write_by_recorded(char *at, const ByRecorded *by, Py_ssize_t size);

/* Write the numbers in a form: those of all rows, byte plane by byte plane if they are differences, or the one or two that
   most rows have; `at` has room for all of it. Returns how many bytes were written. */
Py_ssize_t write_numbers(char *at, const int64_t *numbers, Py_ssize_t n, Py_ssize_t size, const int64_t *two, int form);

#endif
