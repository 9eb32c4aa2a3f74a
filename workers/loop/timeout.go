package loop

import "time"

// AnswerTimeout bounds a call of the storage, or a few in a row. One whose answer never
// comes would otherwise keep a range from being read while its lease is renewed, and an
// instance from taking its share.
const AnswerTimeout = time.Minute
