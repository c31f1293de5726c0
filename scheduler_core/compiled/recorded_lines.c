/* Lines of a matrix as a recording holds them: few bytes for each value, or what was added to those recorded before. */
#include "recorded_lines.h"

#define FEW 64

int make_room(Written *written, Py_ssize_t more)
{
    if (written->n + more <= written->room)
        return 0;
    Py_ssize_t room = 2 * written->room > written->n + more ? 2 * written->room : written->n + more;
    char *bytes = PyMem_Realloc(written->bytes, room);
    if (bytes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    written->bytes = bytes;
    written->room = room;
    return 0;
}

/* --- numbers ----------------------------------------------------------------------------------------------------- */

#define LOAD(type)                                                                                                      \
    for (Py_ssize_t k = 0; k < v->n; k++)                                                                               \
        numbers[k] = ((const type *)v->items)[v->rows ? v->rows[k] : k];                                                \
    break

static void load(const Values *v, int64_t *numbers)
{
    switch (v->itemsize) {
    case 1:
        LOAD(uint8_t);
    case 2:
        LOAD(int16_t);
    case 4:
        LOAD(int32_t);
    default:
        LOAD(int64_t);
    }
}

/* Whether all numbers fit into n bytes each. */
static int all_fit(const Values *v, const int64_t *numbers, Py_ssize_t n)
{
    int64_t low = 0, high = 0, most = v->size == 8 ? INT64_MAX : ((int64_t)1 << (8 * v->size - v->is_signed)) - 1;
    for (Py_ssize_t k = 0; k < n; k++) {
        low = numbers[k] < low ? numbers[k] : low;
        high = numbers[k] > high ? numbers[k] : high;
    }
    return high <= most && low >= (v->size == 8 ? INT64_MIN : v->is_signed ? -most - 1 : 0);
}

/* The numbers at hand with room for more after them, in `few` if that is enough; NULL with MemoryError set. */
static int64_t *loaded(const Values *v, Py_ssize_t more, int64_t few[FEW])
{
    int64_t *numbers = v->n + more <= FEW ? few : PyMem_Malloc(sizeof(int64_t) * (v->n + more));
    if (numbers == NULL)
        PyErr_NoMemory();
    else
        load(v, numbers);
    return numbers;
}

static void release(int64_t *numbers, const int64_t few[FEW])
{
    if (numbers != few)
        PyMem_Free(numbers);
}

/* --- what is recorded -------------------------------------------------------------------------------------------- */

/* For every row at hand: `item` is the one recorded. */
#define EACH_RECORDED(type, action)                                                                                     \
    for (Py_ssize_t k = 0; k < v->n; k++) {                                                                             \
        type *item = (type *)v->recorded + (v->rows ? v->rows[k] : k);                                                  \
        action;                                                                                                         \
    }                                                                                                                   \
    break

#define BY_SIZE(action)                                                                                                 \
    switch (v->size) {                                                                                                  \
    case 1:                                                                                                             \
        action(uint8_t);                                                                                                \
    case 2:                                                                                                             \
        action(uint16_t);                                                                                               \
    case 4:                                                                                                             \
        action(uint32_t);                                                                                               \
    default:                                                                                                            \
        action(uint64_t);                                                                                               \
    }

/* Take the numbers into what is recorded, that into `known`, and off the numbers, modulo their size. */
static void exchange(const Values *v, int64_t *numbers, int64_t *known)
{
#define EXCHANGE(type)                                                                                                  \
    EACH_RECORDED(type, known[k] = (int64_t)*item; *item = (type)numbers[k];                                            \
                  numbers[k] = (int64_t)(type)(*item - (type)known[k]))
    BY_SIZE(EXCHANGE)
}

static void record_numbers(const Values *v, const int64_t *numbers)
{
#define RECORD(type) EACH_RECORDED(type, *item = (type)numbers[k])
    BY_SIZE(RECORD)
}

static void record_one(const Values *v, int64_t number)
{
#define RECORD_ONE(type) EACH_RECORDED(type, *item = (type)number)
    BY_SIZE(RECORD_ONE)
}

int record(const Values *v)
{
    int64_t few[FEW], *numbers = loaded(v, 0, few);
    if (numbers == NULL)
        return -1;
    int fits = all_fit(v, numbers, v->n);
    if (fits)
        record_numbers(v, numbers);
    release(numbers, few);
    return !fits;
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

int write_plainly(const Values *v, Written *written)
{
    int64_t few[FEW], *numbers = loaded(v, 0, few);
    int failed = numbers == NULL || make_room(written, v->n * v->size) < 0 ? -1 : !all_fit(v, numbers, v->n);
    if (!failed) {
        for (Py_ssize_t k = 0; k < v->n; k++)
            put(written->bytes + written->n + k * v->size, v->size, numbers[k]);
        written->n += v->n * v->size;
        if (v->recorded != NULL)
            record_numbers(v, numbers);
    }
    if (numbers != NULL)
        release(numbers, few);
    return failed;
}

/* Whether the line has one number on all rows, and which: seen at the first that differs, before anything is copied. */
static int is_one(const Values *v, int64_t *number)
{
#define IS_ONE(type)                                                                                                    \
    do {                                                                                                                \
        const type *items = (const type *)v->items, one = items[v->rows ? v->rows[0] : 0];                              \
        for (Py_ssize_t k = 1; k < v->n; k++)                                                                           \
            if (items[v->rows ? v->rows[k] : k] != one)                                                                 \
                return 0;                                                                                               \
        *number = one;                                                                                                  \
        return 1;                                                                                                       \
    } while (0)
    if (!v->n)
        return 0;
    switch (v->itemsize) {
    case 1:
        IS_ONE(uint8_t);
    case 2:
        IS_ONE(int16_t);
    case 4:
        IS_ONE(int32_t);
    default:
        IS_ONE(int64_t);
    }
}

static void add_other(const Values *v, Outcome *outcome, Py_ssize_t k)
{
    outcome->others[outcome->n_others++] = v->rows ? v->rows[k] : k;
}

static inline int bit_of(const uint8_t *bits, Py_ssize_t k)
{
    return bits[k >> 3] >> (7 - (k & 7)) & 1;
}

/* Write two numbers that rows have by the bits of the line before; 0 where that is not so. */
static int write_by_same_rows(const Values *v, const int64_t *numbers, Written *written, Outcome *outcome,
                              Py_ssize_t bits_at)
{
    const uint8_t *bits = (const uint8_t *)written->bytes + bits_at;
    int64_t met[2][3] = {{0}}, two[2];
    Py_ssize_t n_met[2] = {0, 0}, n_others = 0;
    for (Py_ssize_t k = 0; k < v->n && (n_met[0] < 3 || n_met[1] < 3); k++) {
        int bit = bit_of(bits, k);
        if (n_met[bit] < 3)
            met[bit][n_met[bit]++] = numbers[k];
    }
    for (int i = 0; i < 2; i++) /* the number of two rows out of three */
        two[i] = met[i][0] == met[i][1] || met[i][0] == met[i][2] ? met[i][0] : met[i][1];
    for (Py_ssize_t k = 0; k < v->n; k++)
        n_others += numbers[k] != two[bit_of(bits, k)];
    if (n_others > MOST_OTHERS)
        return 0;
    for (Py_ssize_t k = 0; n_others && k < v->n; k++)
        if (numbers[k] != two[bit_of(bits, k)])
            add_other(v, outcome, k);
    outcome->form = TWO | SAME_ROWS;
    for (int i = 0; i < 2; i++)
        put(written->bytes + written->n + i * v->size, v->size, two[i]);
    written->n += 2 * v->size;
    return 1;
}

/* Write the numbers, behind which there is room for what was recorded, into room that there is. */
static void write_in_form(const Values *v, int64_t *numbers, Written *written, Outcome *outcome, Py_ssize_t *bits_at)
{
    int64_t two[2] = {0, 0}, *known = numbers + v->n;
    char *at = written->bytes + written->n;
    ByRecorded by;
    int n_two = 0, form = PLAIN;
    if (v->recorded != NULL) {
        form = DIFFERENCES;
        exchange(v, numbers, known);
        if (v->n && are_one(numbers, v->n)) {
            n_two = 1;
            two[0] = two[1] = numbers[0];
        } else if (find_by_recorded(&by, known, numbers, v->n) <= MOST_OTHERS)
            form |= BY_RECORDED;
    } else if (*bits_at >= 0 && write_by_same_rows(v, numbers, written, outcome, *bits_at))
        return;
    if (form & BY_RECORDED)
        written->n += write_by_recorded(at, &by, v->size);
    else {
        n_two = n_two ? n_two : find_two(numbers, v->n, two);
        form |= n_two == 2 ? TWO : n_two == 1 ? ONE : PLAIN;
        if (n_two == 2)
            *bits_at = written->n + 2 * v->size;
        written->n += write_numbers(at, numbers, v->n, v->size, two, form);
    }
    int may_differ = (form & BY_RECORDED) || (n_two && two[0] != two[1]);
    for (Py_ssize_t k = 0; may_differ && k < v->n; k++) {
        int is_told = form & BY_RECORDED ? by.number[entry_of(&by, known[k])] == numbers[k]
                                         : numbers[k] == two[0] || (n_two == 2 && numbers[k] == two[1]);
        if (!is_told)
            add_other(v, outcome, k);
    }
    outcome->form = form;
}

int write_shortly(const Values *v, Written *written, Outcome *outcome, Py_ssize_t *bits_at)
{
    int64_t one, few[FEW];
    outcome->n_others = 0;
    if (make_room(written, v->size * (v->n + 2 * MOST_KNOWN) + v->n + 1) < 0)
        return -1;
    if (is_one(v, &one)) {
        if (!all_fit(v, &one, 1))
            return 1;
        put(written->bytes + written->n, v->size, one);
        written->n += v->size;
        outcome->form = PLAIN | ONE;
        if (v->recorded != NULL)
            record_one(v, one);
        return 0;
    }
    int64_t *numbers = loaded(v, v->n, few);
    if (numbers == NULL)
        return -1;
    int fits = all_fit(v, numbers, v->n);
    if (fits)
        write_in_form(v, numbers, written, outcome, bits_at);
    release(numbers, few);
    return !fits;
}
