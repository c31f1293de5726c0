/* What many numbers of a line come down to: one, two, or what follows from the numbers recorded before. */
#include "line_forms.h"

#define MOST_NUMBERS 8

int are_one(const int64_t *numbers, Py_ssize_t n)
{
    int64_t differs = 0;
    for (Py_ssize_t k = 1; k < n; k++)
        differs |= numbers[k] ^ numbers[0];
    return !differs;
}

/* Which of two numbers to tell, 1 or 2, the first being the more frequent; 0 where too many rows have another one. */
static int told_of_two(Py_ssize_t n, Py_ssize_t n_first, Py_ssize_t n_second)
{
    Py_ssize_t n_others = n - n_first - n_second;
    return n_others > MOST_OTHERS ? 0 : n_second + n_others <= MOST_OTHERS ? 1 : 2;
}

/* The same for the first number and the first other one, which are mostly the two: counted without a branch. */
static int try_two(const int64_t *given, Py_ssize_t n, int64_t *two)
{
    Py_ssize_t other = 0, n_first = 0, n_second = 0;
    if (!n)
        return 0;
    two[0] = two[1] = given[0];
    while (other < n && given[other] == two[0])
        other++;
    if (other == n)
        return 1;
    two[1] = given[other];
    for (Py_ssize_t k = 0; k < n; k++) {
        n_first += given[k] == two[0];
        n_second += given[k] == two[1];
    }
    if (n_first < n_second) {
        two[0] = given[other];
        two[1] = given[0];
    }
    return n_first < n_second ? told_of_two(n, n_second, n_first) : told_of_two(n, n_first, n_second);
}

int find_two(const int64_t *given, Py_ssize_t n, int64_t *two)
{
    int64_t numbers[MOST_NUMBERS];
    Py_ssize_t counts[MOST_NUMBERS] = {0}, last = 0;
    int n_numbers = 0, n_told = try_two(given, n, two);
    if (n_told)
        return n_told;
    for (Py_ssize_t k = 0; k < n; k++) {
        Py_ssize_t i = last; /* mostly the same as before */
        if (!n_numbers || numbers[i] != given[k])
            for (i = 0; i < n_numbers && numbers[i] != given[k]; i++)
                ;
        if (i == n_numbers) {
            if (n_numbers == MOST_NUMBERS)
                return 0;
            numbers[n_numbers++] = given[k];
        }
        counts[i]++;
        last = i;
    }
    int first = 0, second = 1; /* there are two at least */
    if (counts[1] > counts[0])
        first = 1, second = 0;
    for (int i = 2; i < n_numbers; i++)
        if (counts[i] > counts[first]) {
            second = first;
            first = i;
        } else if (counts[i] > counts[second])
            second = i;
    two[0] = numbers[first];
    two[1] = numbers[second];
    return told_of_two(n, counts[first], counts[second]);
}

Py_ssize_t find_by_recorded(ByRecorded *by, const int64_t *known, const int64_t *numbers, Py_ssize_t n)
{
    Py_ssize_t n_others = 0;
    memset(by, 0, sizeof(*by));
    for (Py_ssize_t k = 0; k < n; k++) { /* by votes, for one or against */
        int i = entry_of(by, known[k]);
        if (i == MOST_KNOWN)
            return MOST_OTHERS + 1;
        if (i == by->n)
            by->known[by->n++] = known[k];
        if (!by->votes[i])
            by->number[i] = numbers[k];
        by->votes[i] += by->number[i] == numbers[k] ? 1 : -1;
    }
    for (Py_ssize_t k = 0; k < n; k++)
        n_others += by->number[entry_of(by, known[k])] != numbers[k];
    return n_others;
}

Py_ssize_t write_by_recorded(char *at, const ByRecorded *by, Py_ssize_t size)
{
    *at++ = (char)by->n;
    for (int i = 0; i < by->n; i++) {
        put(at + i * size, size, by->known[i]);
        put(at + (by->n + i) * size, size, by->number[i]);
    }
    return 1 + 2 * by->n * size;
}

Py_ssize_t write_numbers(char *at, const int64_t *numbers, Py_ssize_t n, Py_ssize_t size, const int64_t *two, int form)
{
    if (!(form & (ONE | TWO))) {
        Py_ssize_t of_byte = form & DIFFERENCES ? n : 1, of_row = form & DIFFERENCES ? 1 : size;
        for (Py_ssize_t b = 0; b < size; b++)
            for (Py_ssize_t k = 0; k < n; k++)
                at[b * of_byte + k * of_row] = (char)((uint64_t)numbers[k] >> (8 * b));
        return n * size;
    }
    put(at, size, two[0]);
    if (form & ONE)
        return size;
    put(at + size, size, two[1]);
    uint8_t *bits = (uint8_t *)at + 2 * size;
    memset(bits, 0, (n + 7) / 8);
    for (Py_ssize_t k = 0; k < n; k++)
        bits[k >> 3] |= (uint8_t)((numbers[k] == two[1]) << (7 - (k & 7)));
    return 2 * size + (n + 7) / 8;
}
