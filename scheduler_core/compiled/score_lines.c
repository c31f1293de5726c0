/* What keeps the lines of a score table up to date: extremes, normalising, counts. */
#include "score_table.h"

/* --- the extremes of raw scores over feasible rows --------------------------------------------------------------- */

static inline int is_extreme(const Line *line, int64_t score)
{
    return line->kind != SPREAD || score != IGNORED;
}

/* Add n to the number of feasible rows with the score. */
void count_raw(Line *line, int64_t score, int64_t more)
{
    if (!line->known || !is_extreme(line, score))
        return;
    int64_t at = score - line->first;
    if (line->is_wide || at < 0 || at >= WIDEST) {
        line->known = 0;
        return;
    }
    line->by_raw[at] += (int32_t)more;
    line->n_counted += more;
    line->low = score < line->low ? score : line->low;
    line->high = score > line->high ? score : line->high;
}

/* Find the extremes, and count where that is possible. */
static void find_extremes(const ScoreTable *self, Line *line, const int64_t *raw)
{
    int64_t low = INT64_MAX, high = INT64_MIN, n = 0;
    for (Py_ssize_t row = 0; row < self->n_rows; row++)
        if (self->feasible[row] && is_extreme(line, raw[row])) {
            low = raw[row] < low ? raw[row] : low;
            high = raw[row] > high ? raw[row] : high;
            n++;
        }
    line->known = 1;
    line->low = low;
    line->high = high;
    line->n_counted = n;
    /* the difference is taken without signs, as it may be too great for one */
    uint64_t width = n ? (uint64_t)high - (uint64_t)low : 0;
    line->is_wide = width >= WIDEST;
    if (line->is_wide)
        return;
    line->first = n ? low - (int64_t)(WIDEST - 1 - width) / 2 : 0; /* with room on both sides */
    memset(line->by_raw, 0, sizeof(int32_t) * WIDEST);
    for (Py_ssize_t row = 0; row < self->n_rows; row++)
        if (self->feasible[row] && is_extreme(line, raw[row]))
            line->by_raw[raw[row] - line->first]++;
}

/* Draw the bounds in to scores that there are. */
static void settle_extremes(Line *line)
{
    if (line->is_wide || !line->n_counted)
        return;
    while (!line->by_raw[line->low - line->first])
        line->low++;
    while (!line->by_raw[line->high - line->first])
        line->high--;
}

int is_uniform(const int64_t *raw, Py_ssize_t n)
{
    Py_ssize_t row = 0;
    while (row < n && raw[row] == raw[0])
        row++;
    return row == n && n > 0;
}

/* --- normalising ------------------------------------------------------------------------------------------------- */

static inline int64_t divided(int64_t number, int64_t by)
{
    int64_t quotient = number / by;
    return quotient * by > number ? quotient - 1 : quotient; /* rounds down; by is above 0 */
}

static inline int64_t normalized(const Line *line, int64_t score)
{
    int64_t first = line->params[0], second = line->params[1];
    switch (line->kind) {
    case DEFAULT:
        return first ? divided(HIGHEST * score, first) : score;
    case DEFAULT_REVERSED:
        return first ? HIGHEST - divided(HIGHEST * score, first) : HIGHEST;
    case SPREAD:
        if (score == IGNORED)
            return 0;
        return second ? divided(HIGHEST * (second + first - score), second) : HIGHEST;
    case MIN_MAX: /* upstream computes in float64 and truncates */
        return second == first ? 0
                               : (int64_t)((double)HIGHEST * ((double)(score - first) / (double)(second - first)));
    default:
        return score;
    }
}

static inline int16_t cut(int64_t score)
{
    return (int16_t)(score < 0 ? 0 : score > HIGHEST ? HIGHEST : score);
}

/* Take the parameters from the extremes; whether they are others than before. */
static int take_params(Line *line)
{
    int64_t first = 0, second = 0;
    if (line->n_counted) {
        first = line->kind == DEFAULT || line->kind == DEFAULT_REVERSED ? (line->high > 0 ? line->high : 0) : line->low;
        second = line->kind == SPREAD || line->kind == MIN_MAX ? line->high : 0;
    }
    if (line->has_params && line->params[0] == first && line->params[1] == second)
        return 0;
    line->has_params = 1;
    line->params[0] = first;
    line->params[1] = second;
    return 1;
}

int out_of_range(void)
{
    PyErr_SetString(PyExc_OverflowError, "a normalised score lies outside of 0 to 100");
    return -1;
}

/* Give the row its normalised score; -1 where that is none of a feasible row. */
static inline int renew(ScoreTable *self, Line *line, Py_ssize_t j, int64_t row, int64_t score)
{
    int16_t *norm = ITEMS(self->of.norm, int16_t) + j * self->n_rows;
    int16_t before = norm[row], after = cut(score);
    if (self->feasible[row] && after != score)
        return -1;
    if (before == after)
        return 0;
    norm[row] = after;
    ITEMS(self->of.totals, int16_t)[row] += (int16_t)(line->weight * (after - before));
    if (self->feasible[row]) {
        line->counts[before]--;
        line->counts[after]++;
        line->sum += after - before;
        line->is_summed = 0;
    }
    return 0;
}

/* All rows again, one by one. */
static int renew_each(ScoreTable *self, Line *line, Py_ssize_t j)
{
    const int64_t *raw = ITEMS(self->of.raw, int64_t) + j * self->n_rows;
    for (Py_ssize_t row = 0; row < self->n_rows; row++)
        if (renew(self, line, j, row, normalized(line, raw[row])) < 0)
            return -1;
    return 0;
}

/* All rows again. Dividing is slow, so scores are looked up where they lie close together. */
static int renew_all(ScoreTable *self, Line *line, Py_ssize_t j)
{
    const int64_t *raw = ITEMS(self->of.raw, int64_t) + j * self->n_rows, low = line->low;
    if (line->is_wide || !line->n_counted || line->high - low >= self->n_rows)
        return renew_each(self, line, j);
    int64_t width = line->high - low + 1, n_ignored = 0;
    int16_t looked_up[WIDEST];
    memset(line->counts, 0, sizeof(line->counts));
    line->sum = 0;
    line->is_summed = 0;
    for (int64_t k = 0; k < width; k++) {
        int64_t score = normalized(line, low + k), n = line->by_raw[low + k - line->first];
        looked_up[k] = cut(score);
        if (score != cut(score))
            return -1; /* it lies between the least and the greatest, which feasible rows have */
        line->counts[score] += n;
        line->sum += n * score;
    }
    int16_t *norm = ITEMS(self->of.norm, int16_t) + j * self->n_rows, *totals = ITEMS(self->of.totals, int16_t);
    int16_t weight = (int16_t)line->weight;
    for (Py_ssize_t row = 0; row < self->n_rows; row++) {
        uint64_t at = (uint64_t)raw[row] - (uint64_t)low;
        int16_t after;
        if (at < (uint64_t)width)
            after = looked_up[at];
        else {
            after = cut(normalized(line, raw[row]));
            n_ignored += self->feasible[row]; /* no others than those lie outside, and they get 0 */
        }
        totals[row] += (int16_t)(weight * (after - norm[row]));
        norm[row] = after;
    }
    line->counts[0] += n_ignored;
    return 0;
}

/* Bring the line's normalised scores up to date, where only moved rows have other raw scores; 1 where the parameters
   changed, -1 with OverflowError set. */
int settle_line(ScoreTable *self, Py_ssize_t j)
{
    Line *line = &self->lines[j];
    const int64_t *raw = ITEMS(self->of.raw, int64_t) + j * self->n_rows;
    if (line->kind != IDENTITY && !line->known)
        find_extremes(self, line, raw);
    if (line->kind != IDENTITY)
        settle_extremes(line);
    if (line->kind != IDENTITY && take_params(line))
        return renew_all(self, line, j) < 0 ? out_of_range() : 1;
    int64_t score = 0, given = normalized(line, 0);
    for (Py_ssize_t k = 0; k < self->n_moved; k++) {
        int64_t row = self->moved[k];
        if (raw[row] != score) { /* dividing is slow, and neighbours mostly have the same */
            score = raw[row];
            given = normalized(line, score);
        }
        if (renew(self, line, j, row, given) < 0)
            return out_of_range();
    }
    return 0;
}

/* Count moved rows that are feasible now, and those no more that are not; 1 where such a score is none. Where scores follow
   from domains, neighbours mostly have the same, and are counted at once. */
int flip_line(ScoreTable *self, Py_ssize_t j, int64_t n_more)
{
    Line *line = &self->lines[j];
    const int64_t *raw = ITEMS(self->of.raw, int64_t) + j * self->n_rows;
    const int16_t *norm = ITEMS(self->of.norm, int16_t) + j * self->n_rows;
    const uint8_t *feasible = self->feasible;
    const int32_t *moved = self->moved;
    Py_ssize_t n_moved = self->n_moved;
    int failed = 0;
    line->is_summed = 0;
    if (line->is_uniform && (line->kind != IDENTITY || raw[0] == norm[0])) {
        count_raw(line, raw[0], n_more);
        line->counts[norm[0]] += n_more;
        line->sum += n_more * norm[0];
        return 0;
    }
    if (line->kind == IDENTITY) {
        int64_t counts[2][HIGHEST + 1] = {{0}}, sum = 0; /* two, as neighbours mostly have the same score */
        for (Py_ssize_t k = 0; k < n_moved; k++) {
            int64_t row = moved[k], given = norm[row], more = feasible[row] ? 1 : -1;
            failed |= feasible[row] && raw[row] != given;
            counts[k & 1][given] += more;
            sum += more * given;
        }
        for (int score = 0; score <= HIGHEST; score++)
            line->counts[score] += counts[0][score] + counts[1][score];
        line->sum += sum;
        return failed;
    }
    for (Py_ssize_t k = 0, n; k < n_moved; k += n) {
        int64_t score = raw[moved[k]], given = norm[moved[k]];
        uint8_t counts = feasible[moved[k]];
        for (n = 1; k + n < n_moved; n++) {
            int64_t row = moved[k + n];
            if (raw[row] != score || norm[row] != given || feasible[row] != counts)
                break;
        }
        int64_t more = counts ? n : -n;
        count_raw(line, score, more);
        line->counts[given] += more;
        line->sum += more * given;
    }
    return failed;
}

/* Whether another row would have won without the line: the runner-up, none as it is too far behind, or any. */
int decided(const ScoreTable *self, Py_ssize_t j, Py_ssize_t row, Py_ssize_t second)
{
    const Line *line = &self->lines[j];
    const int16_t *totals = ITEMS(self->of.totals, int16_t), *norm = ITEMS(self->of.norm, int16_t) + j * self->n_rows;
    int16_t weight = (int16_t)line->weight, rest = (int16_t)(totals[row] - weight * norm[row]), best = INT16_MIN;
    if (norm[row] == line->lowest || second < 0 || totals[second] - weight * line->lowest <= rest)
        return 0;
    if (totals[second] - weight * norm[second] > rest)
        return 1;
    for (Py_ssize_t other = 0; other < self->n_rows; other++) {
        int16_t without = (int16_t)(totals[other] - weight * norm[other]);
        best = without > best ? without : best;
    }
    return best > rest;
}
