package mathml

// Unfinished reports whether a formula is still being set.
func Unfinished() bool { return len(slots) > 0 }
