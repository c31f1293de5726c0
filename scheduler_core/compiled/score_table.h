/* One class's scores: what score_table.c offers to Python, and score_lines.c keeps up to date.

   The normalised score of a row always follows from its raw score and the parameters of its line, cut to 0..100 where
   the row is not feasible. Totals carry a penalty on rows that are not feasible. Counts and extremes are taken over
   the feasible rows. The arithmetic is that of framework/contracts/normalizers.py. */
#ifndef SCHEDSCOPE_SCORE_TABLE_H
#define SCHEDSCOPE_SCORE_TABLE_H

#include "arrays.h"

#include "arguments.h"

#define IGNORED (-1)
#define WIDEST 2048

enum { IDENTITY, DEFAULT, DEFAULT_REVERSED, SPREAD, MIN_MAX, N_KINDS };

/* One plugin. `is_uniform`: all rows have the same raw score. Raw scores of feasible rows are counted in `by_raw`, from `first` on, where they lie close enough
   together; `low` and `high` are then bounds, and without counts the extremes, as long as they are `known`. */
typedef struct {
    int kind, has_params, is_summed, is_uniform, known, is_wide;
    int64_t weight;
    int64_t first, low, high, n_counted;
    int32_t *by_raw;
    int64_t params[2];
    int64_t counts[HIGHEST + 1], sum;
    int lowest, highest; /* as of the last sums() */
} Line;

typedef struct {
    PyObject_HEAD
    ScoreTableArguments of;
    Py_ssize_t n_lines, n_rows, n_moved;
    int64_t penalty;
    uint8_t *feasible;
    int32_t *moved;
    Line *lines;
} ScoreTable;

/* Whether there are scores, and all are the same. */
int is_uniform(const int64_t *raw, Py_ssize_t n);

/* Add n to the number of feasible rows with the raw score. */
void count_raw(Line *line, int64_t score, int64_t more);

/* Bring line j's normalised scores up to date, where only moved rows have other raw scores: 1 where its parameters changed,
   -1 with OverflowError set where a feasible row's score lies outside of 0..100. */
int settle_line(ScoreTable *self, Py_ssize_t j);

/* Count moved rows that are feasible now in line j, and those no more that are not, which changes the count; 1 where such
   a score is none. */
int flip_line(ScoreTable *self, Py_ssize_t j, int64_t n_more);

/* Set OverflowError, which says so; -1. */
int out_of_range(void);

/* Whether another row would have more than `row` without line j; `second` is the best of the others, or -1. */
int decided(const ScoreTable *self, Py_ssize_t j, Py_ssize_t row, Py_ssize_t second);

#endif
