package loop

import "time"

// AnswerTimeout bounds one request to the storage, or a few in a row. Without it, a request whose answer never comes
// would stop a range from being read while its lease is still renewed, and an instance from taking its share of the
// leases.
const AnswerTimeout = time.Minute
